"""The limits of one process for its connections, the same for every caller."""

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
    """Seconds that a caller may leave sent data unread."""
    linger_s: float = 2.0
    """Seconds in which the server still reads and discards data from a caller that was refused
    while sending."""
    head_bytes: int = 64 * 1024
    headers: int = 100
    pipelined: int = 16
    """Requests that may wait behind the one being answered."""
    connections: int = 2048
    """128 MiB if all of them have full heads."""
    per_address: int = 1536
    """Connections of one IPv4 address, or one /64 network of IPv6."""
    proxies: tuple[Network, ...] = ()
    """Addresses that many callers share: they are not counted by address."""


DEFAULT_LIMITS: Final = EdgeLimits()
