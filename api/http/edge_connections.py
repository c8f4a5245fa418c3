"""Track a process's open connections by address, and choose the connection to close when a limit is
reached."""

from collections.abc import Iterable
from enum import IntEnum
from ipaddress import IPv4Address, IPv6Address, IPv6Network, ip_address
from typing import Final, Protocol

from api.http.client_address import client_address
from api.http.edge_limits import EdgeLimits
from domain.core.errors import CallerBusy, DomainError, ServerBusy

# Providers assign a /64 network to each customer, who can change the address within it at no cost.
_IPV6_PREFIX: Final = 64
# Connections without an address (UNIX sockets) share one key.
_UNKNOWN: Final = "unix"
_FORWARDED: Final = b"x-forwarded-for"


class Waiting(IntEnum):
    """The reason why a connection is idle, in the order in which idle connections are closed."""

    NEW = 0
    """No complete request head has arrived on the connection."""
    IDLE = 1
    """The last request has been answered, and no further request has arrived."""
    UNREAD = 2
    """The caller is not reading its response."""


class Closable(Protocol):
    def give_up(self) -> None:
        """Close the connection immediately, even with data in transit."""


class _Address:
    """The connections from one address: their number, and the idle connections, longest idle
    first."""

    def __init__(self) -> None:
        self.number = 0
        self.waiting: tuple[dict[Closable, None], ...] = ({}, {}, {})

    def first_to_go(self) -> Closable | None:
        return next((one for kind in self.waiting for one in kind), None)


class EdgeConnections:
    """A process's open connections. At a limit, an idle connection is closed to admit a new one.

    The closed connection is from the same address or, at the process's limit, from the address with
    the most connections. A flood from one address therefore does not lock out others.
    """

    def __init__(self, limits: EdgeLimits) -> None:
        self._limits = limits
        self._number = 0
        self._addresses: dict[str, _Address] = {}
        self._where: dict[Closable, str] = {}
        self._proxies: dict[Closable, str] = {}

    def enter(self, connection: Closable, peer: str | None) -> None:
        """Count a connection until `leave` is called. If no connection is idle, raises CallerBusy
        above the limit per address and ServerBusy above the limit per process."""
        where = _counted_as(peer)
        address = self._addresses.setdefault(where, _Address())
        address.number += 1
        self._number += 1
        self._where[connection] = where
        if peer is not None and self._is_proxy(peer):
            self._proxies[connection] = peer
        if address.number > self._limits.per_address and connection not in self._proxies:
            _make_room([address], CallerBusy())
        elif self._number > self._limits.connections:
            _make_room(sorted(self._addresses.values(), key=_fullest_first), ServerBusy())

    def waits(self, connection: Closable, why: Waiting) -> None:
        """Mark the connection as idle for this reason."""
        self.is_served(connection)
        if where := self._where.get(connection):
            self._addresses[where].waiting[why][connection] = None

    def is_served(self, connection: Closable) -> None:
        if where := self._where.get(connection):
            for kind in self._addresses[where].waiting:
                kind.pop(connection, None)

    def leave(self, connection: Closable) -> None:
        """Remove a connection that is closed or about to be closed. Repeated calls have no
        effect."""
        self.is_served(connection)
        self._proxies.pop(connection, None)
        where = self._where.pop(connection, None)
        if where is None:
            return
        self._number -= 1
        address = self._addresses[where]
        address.number -= 1
        if not address.number:
            del self._addresses[where]

    def turns_of(self, connection: Closable, headers: Iterable[tuple[bytes, bytes]]) -> str:
        """Return the key of the caller whose turns a request of this connection uses. Behind a
        trusted proxy, the caller is the address in the proxy's header."""
        peer = self._proxies.get(connection)
        if peer is None:
            return self._where.get(connection, _UNKNOWN)
        forwarded = [value.decode("latin-1") for name, value in headers if name == _FORWARDED]
        caller = client_address(peer, forwarded, self._limits.proxies)
        return _counted_as(None if caller is None else str(caller))

    def _is_proxy(self, peer: str) -> bool:
        if not self._limits.proxies:
            return False
        address = _plain(peer)
        return address is not None and any(address in network for network in self._limits.proxies)


def _make_room(addresses: Iterable[_Address], refusal: DomainError) -> None:
    """Close an idle connection from the first address that has one. Raises `refusal` if no
    connection is idle."""
    for address in addresses:
        if (first := address.first_to_go()) is not None:
            first.give_up()
            return
    raise refusal


def _fullest_first(address: _Address) -> int:
    return -address.number


def _counted_as(peer: str | None) -> str:
    """Return the key for counting a connection by its address."""
    address = _plain(peer or "")
    if address is None:
        return _UNKNOWN
    if isinstance(address, IPv6Address):
        return str(IPv6Network((address, _IPV6_PREFIX), strict=False))
    return str(address)


def _plain(peer: str) -> IPv4Address | IPv6Address | None:
    """Return the parsed address without its zone. Convert an IPv4-mapped IPv6 address
    (`::ffff:1.2.3.4`) to IPv4."""
    try:
        address = ip_address(peer)
    except ValueError:
        return None
    if isinstance(address, IPv4Address):
        return address
    return address.ipv4_mapped or IPv6Address(int(address))
