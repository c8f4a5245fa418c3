"""The address of a request's caller, behind trusted proxies."""

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
"""Stands in for the address of a caller whose connection has none."""

# What one customer of a provider gets; any address in it costs the caller nothing.
_IPV6_PREFIX: Final = 64
# Records keep enough of an address to show that an action came from another place.
_KEPT_PREFIX: Final = {4: 24, 6: 48}


def limited_address(request: Request) -> str:
    """Return the key of address limits: the IPv4 address, or the /64 network of an IPv6 address."""
    address = _of(request)
    if address is None:
        return NO_ADDRESS
    if isinstance(address, IPv4Address):
        return str(address)
    return str(IPv6Network((address, _IPV6_PREFIX), strict=False))


def client_network(request: Request) -> str:
    """Return what records keep of an address: its /24 or /48 network, never the address itself."""
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
    """The caller's address; None where the connection has none.

    `peer` is the connection's other end (None: a UNIX socket, which is never a trusted proxy),
    `forwarded_for` the values of all X-Forwarded-For lines in their order. Each trusted proxy has
    appended whom it heard from, so the answer is the right-most hop that is no trusted proxy. The
    header says nothing if the peer is not trusted. Where a hop cannot be read, the trusted proxy
    that passed it on stands for the caller. Never raises.
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
    """`1.2.3.4:80` and `[2001:db8::1]:80` without their ports; others as they are."""
    if hop.startswith("["):
        inside, bracket, port = hop[1:].partition("]")
        return inside if bracket and (not port or _is_port(port)) else ""
    host, colon, port = hop.partition(":")
    return host if colon and "." in host and _is_port(colon + port) else hop


def _is_port(text: str) -> bool:
    return text[:1] == ":" and text[1:].isascii() and text[1:].isdecimal()


def _address(text: str) -> Address | None:
    """An address without its zone; IPv4 in IPv6's clothes (`::ffff:1.2.3.4`) is IPv4."""
    try:
        address = ip_address(text)
    except ValueError:
        return None
    if isinstance(address, IPv4Address):
        return address
    return address.ipv4_mapped or IPv6Address(int(address))
