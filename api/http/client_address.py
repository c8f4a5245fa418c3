"""The address of a request's caller. The caller may be behind trusted proxies."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
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

# Providers assign each customer an IPv6 network of 64, 56 or 48 bits, within which the customer can
# use any address. Each network may therefore use a multiple of one address's limit. A wide
# network's multiple is larger, so that a neighbor alone cannot use it up.
_IPV6_SHARES: Final = ((64, 1), (56, 2), (48, 8), (32, 32))
# Records contain only the network part of an address, which shows whether two actions came from
# different networks.
_KEPT_PREFIX: Final = {4: 24, 6: 48}


@dataclass(frozen=True, slots=True)
class LimitedNetwork:
    """A rate limit key, and the multiple of the limit that its requests may use together."""

    name: str
    share: int


def limited_networks(request: Request) -> tuple[LimitedNetwork, ...]:
    """Return the rate limit keys for a caller's requests, narrowest first: the IPv4 address, or the
    networks that contain the IPv6 address."""
    address = _of(request)
    if not isinstance(address, IPv6Address):
        return (LimitedNetwork(NO_ADDRESS if address is None else str(address), 1),)
    return tuple(
        LimitedNetwork(str(IPv6Network((address, prefix), strict=False)), share)
        for prefix, share in _IPV6_SHARES
    )


def limited_address(request: Request) -> str:
    """Return the key of the caller's address: the IPv4 address, or the /64 network of an IPv6
    address."""
    return limited_networks(request)[0].name


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
    """Return the caller's address, or None if the connection has none. Never raises.

    `peer` is the other end, or None for a UNIX socket, which is never trusted. `forwarded_for` are
    all X-Forwarded-For lines in order.

    Each trusted proxy appends its sender's address, so the caller is the rightmost untrusted hop.
    An untrusted peer's header is ignored. Before an unparsable hop, the proxy that forwarded it is
    the caller.
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
