"""What one process grants to connections, whoever is behind them."""

from dataclasses import dataclass
from ipaddress import IPv4Network, IPv6Network
from typing import Final

Network = IPv4Network | IPv6Network


@dataclass(frozen=True, slots=True)
class EdgeLimits:
    """Times in seconds. The time and size of a body are in `api/http/json_body.py`."""

    head_s: float = 10.0
    """From the connection, or from a later request's first byte, to the end of its head."""
    stalled_s: float = 10.0
    """How long a caller may leave what was sent to it lying."""
    linger_s: float = 2.0
    """How long is still read, and thrown away, from a caller that was refused while it sends."""
    head_bytes: int = 64 * 1024
    headers: int = 100
    pipelined: int = 16
    """Requests that may wait behind one that is being answered."""
    connections: int = 2048
    """With full heads in all of them, 128 MiB."""
    per_address: int = 1536
    """Of one IPv4 address, or one /64 network of IPv6."""
    proxies: tuple[Network, ...] = ()
    """Addresses that many callers share: they are not counted by address."""


DEFAULT_LIMITS: Final = EdgeLimits()
