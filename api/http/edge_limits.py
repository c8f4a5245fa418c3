"""Connection limits of one process, the same for every caller."""

from dataclasses import dataclass
from ipaddress import IPv4Network, IPv6Network
from typing import Final

Network = IPv4Network | IPv6Network


@dataclass(frozen=True, slots=True)
class EdgeLimits:
    """Connection limits. Timeouts are in seconds. `api/http/json_body.py` limits the duration and
    size of bodies."""

    head_s: float = 10.0
    """Timeout for a complete request head. It starts with the connection, or with the first byte of
    a later request."""
    stalled_s: float = 10.0
    """Timeout for a caller that does not read sent data."""
    linger_s: float = 2.0
    """Seconds for which the server still reads and discards data from a caller whose request was
    rejected while the caller was still sending it."""
    head_bytes: int = 64 * 1024
    headers: int = 100
    pipelined: int = 16
    """Maximum number of pipelined requests queued behind the current one."""
    connections: int = 2048
    """Maximum number of connections. If every connection holds a request head of the maximum size,
    all connections together occupy 128 MiB."""
    per_address: int = 1536
    """Maximum number of connections from one IPv4 address or one /64 IPv6 network."""
    proxies: tuple[Network, ...] = ()
    """Proxies that many callers share. Connections from these proxies are not limited by address.
    """


DEFAULT_LIMITS: Final = EdgeLimits()
