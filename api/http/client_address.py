"""The address of a request's caller. The caller may be behind trusted proxies."""

from collections.abc import Iterator, Sequence
from ipaddress import (
    IPv4Address,
    IPv4Network,
    IPv6Address,
    IPv6Network,
    ip_address,
    ip_network,
)
from typing import Final

from starlette.requests import Request

from settings import Settings

Address = IPv4Address | IPv6Address
Network = IPv4Network | IPv6Network

NO_ADDRESS: Final = "unix"
"""Placeholder address for a connection without an address."""

# Providers assign a /64 network to each customer, who can change the address within it at no cost.
_IPV6_PREFIX: Final = 64
# Records contain only the network part of an address, which shows whether two actions came from
# different networks.
_KEPT_PREFIX: Final = {4: 24, 6: 48}


def limited_address(request: Request) -> str:
    """Return the rate limit key for a caller's requests: the IPv4 address, or the /64 network of an
    IPv6 address."""
    address = _of(request)
    if address is None:
        return NO_ADDRESS
    if isinstance(address, IPv4Address):
        return str(address)
    return str(IPv6Network((address, _IPV6_PREFIX), strict=False))


def client_network(request: Request) -> str:
    """Return the network to store in records: the /24 network of an IPv4 address or the /48 network
    of an IPv6 address. The full address is never stored."""
    address = _of(request)
    if address is None:
        return NO_ADDRESS
    return str(ip_network((address, _KEPT_PREFIX[address.version]), strict=False))


def _of(request: Request) -> Address | None:
    settings: Settings = request.app.state.resources.settings
    peer = request.client.host if request.client else None
    forwarded = request.headers.getlist("x-forwarded-for")
    return client_address(peer, forwarded, settings.server.proxies)


def client_address(
    peer: str | None, forwarded_for: Sequence[str], trusted_proxies: Sequence[Network]
) -> Address | None:
    """Return the caller's address, or None if the connection has no address. Never raises.

    `peer`: the address at the other end of the connection, or None for a UNIX socket. A UNIX socket
    is never a trusted proxy. `forwarded_for`: the values of all X-Forwarded-For lines, in order.

    Each trusted proxy appends the address that sent the request to the proxy. The caller is
    therefore the rightmost hop that is not a trusted proxy. If the peer is not trusted, the header
    is ignored. If a hop cannot be parsed, the trusted proxy that forwarded it is treated as the
    caller.
    """
    nearest = _address(peer or "")
    if nearest is None:
        return None
    for hop in _from_the_right(forwarded_for):
        if not any(nearest in network for network in trusted_proxies):
            break
        farther = _address(_without_port(hop))
        if farther is None:
            break
        nearest = farther
    return nearest


def _from_the_right(lines: Sequence[str]) -> Iterator[str]:
    for line in reversed(lines):
        rest = line
        while rest:
            rest, _, hop = rest.rpartition(",")
            yield hop.strip()


def _without_port(hop: str) -> str:
    """Return the hop without its port. Examples of hops with a port are `1.2.3.4:80` and
    `[2001:db8::1]:80`."""
    if hop.startswith("["):
        inside, bracket, port = hop[1:].partition("]")
        return inside if bracket and (not port or _is_port(port)) else ""
    host, colon, port = hop.partition(":")
    return host if colon and "." in host and _is_port(colon + port) else hop


def _is_port(text: str) -> bool:
    return text[:1] == ":" and text[1:].isascii() and text[1:].isdecimal()


def _address(text: str) -> Address | None:
    """Return the parsed address without its zone. Convert an IPv4-mapped IPv6 address
    (`::ffff:1.2.3.4`) to IPv4."""
    try:
        address = ip_address(text)
    except ValueError:
        return None
    if isinstance(address, IPv4Address):
        return address
    return address.ipv4_mapped or IPv6Address(int(address))
