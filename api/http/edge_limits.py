"""Connection limits for one process. They are the same for every caller."""

from dataclasses import dataclass
from ipaddress import IPv4Network, IPv6Network
from typing import Final

Network = IPv4Network | IPv6Network


@dataclass(frozen=True, slots=True)
class EdgeLimits:
    """Connection limits, in seconds where they are timeouts. `api/http/json_body.py` limits
    bodies."""

    head_s: float = 10.0
    """Timeout for receiving a complete request head. For the first request, the timeout starts when
    the connection opens. For a later request, it starts with the first byte."""
    stalled_s: float = 10.0
    """Timeout for a caller that does not read the data sent to it."""
    linger_s: float = 2.0
    """After rejecting an incomplete request, the server reads and discards the caller's data for
    this many seconds."""
    head_bytes: int = 64 * 1024
    headers: int = 100
    pipelined: int = 16
    """Maximum number of pipelined requests queued behind the current one."""
    connections: int = 2048
    """Maximum number of connections. Request heads of the maximum size on all connections occupy
    128 MiB in total."""
    per_address: int = 1536
    """Maximum number of connections from one IPv4 address or one /64 IPv6 network."""
    turn_s: float = 0.005
    """The seconds of one pass of the event loop within which the steps of one address's requests
    start. The longest wait of another address is about this time and one step."""
    proxies: tuple[Network, ...] = ()
    """Proxies shared by many callers. Connections from these proxies are not limited by address."""


DEFAULT_LIMITS: Final = EdgeLimits()
