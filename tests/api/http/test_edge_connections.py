"""Which connection is closed at the connection limit."""

import pytest

from api.http.edge_connections import EdgeConnections, Waiting
from api.http.edge_limits import EdgeLimits
from domain.core.errors import CallerBusy, ServerBusy
from settings.service import ServerSettings


class Connection:
    def __init__(self, edge_connections: EdgeConnections) -> None:
        self._connections = edge_connections
        self.is_open = True

    def give_up(self) -> None:
        self.is_open = False
        self._connections.leave(self)


def connections_of(edge_connections: int, per_address: int, proxies: str = "") -> EdgeConnections:
    server = ServerSettings.model_validate({"TRUSTED_PROXIES": proxies})
    return EdgeConnections(
        EdgeLimits(connections=edge_connections, per_address=per_address, proxies=server.proxies)
    )


def come(
    edge_connections: EdgeConnections, peer: str | None, number: int = 1, why: Waiting | None = None
) -> list[Connection]:
    """Open the connections, all idle or all with a request in progress."""
    opened = [Connection(edge_connections) for _ in range(number)]
    for one in opened:
        edge_connections.enter(one, peer)
        if why is not None:
            edge_connections.waits(one, why)
    return opened


def open_of(edge_connections: list[Connection]) -> list[bool]:
    return [one.is_open for one in edge_connections]


def test_address_with_its_share_gives_one_of_its_own() -> None:
    edge_connections = connections_of(10, 2)
    other = come(edge_connections, "10.0.0.2", 1, Waiting.NEW)
    flood = come(edge_connections, "10.0.0.1", 5, Waiting.NEW)

    assert open_of(flood) == [False, False, False, True, True]
    assert open_of(other) == [True]


def test_address_with_its_share_at_work_is_refused_alone() -> None:
    edge_connections = connections_of(10, 2)
    busy = come(edge_connections, "10.0.0.1", 2)
    with pytest.raises(CallerBusy):
        come(edge_connections, "10.0.0.1")
    come(edge_connections, "10.0.0.2")

    edge_connections.leave(busy[0])
    edge_connections.leave(busy[0])
    with pytest.raises(CallerBusy):
        come(edge_connections, "10.0.0.1")


def test_fullest_address_makes_room_for_all() -> None:
    edge_connections = connections_of(4, 4)
    idle = come(edge_connections, "10.0.0.2", 1, Waiting.NEW)
    flood = come(edge_connections, "10.0.0.1", 3, Waiting.UNREAD)
    come(edge_connections, "10.0.0.3")

    assert open_of(idle) == [True]
    assert open_of(flood) == [False, True, True]


def test_all_at_work() -> None:
    edge_connections = connections_of(2, 2)
    come(edge_connections, "10.0.0.1"), come(edge_connections, "10.0.0.2")
    with pytest.raises(ServerBusy):
        come(edge_connections, "10.0.0.3")


def test_who_said_nothing_goes_before_who_was_answered() -> None:
    edge_connections = connections_of(4, 3)
    unread = come(edge_connections, "10.0.0.1", 1, Waiting.UNREAD)
    idle = come(edge_connections, "10.0.0.1", 1, Waiting.IDLE)
    new = come(edge_connections, "10.0.0.1", 1, Waiting.NEW)
    for gone in (new, idle, unread):
        come(edge_connections, "10.0.0.1")
        assert open_of(gone) == [False]


def test_who_is_served_again_does_not_go() -> None:
    edge_connections = connections_of(4, 1)
    (served,) = come(edge_connections, "10.0.0.1", 1, Waiting.IDLE)
    edge_connections.is_served(served)
    with pytest.raises(CallerBusy):
        come(edge_connections, "10.0.0.1")
    assert served.is_open


def test_connections_of_a_proxy_are_not_counted_by_address() -> None:
    edge_connections = connections_of(6, 1, "10.0.0.0/8,2001:db8::1")
    come(edge_connections, "10.0.0.1", 2)
    come(edge_connections, "::ffff:10.0.0.1", 1)
    come(edge_connections, "2001:db8::1", 2)
    come(edge_connections, "192.0.2.1")
    with pytest.raises(CallerBusy):
        come(edge_connections, "192.0.2.1")


@pytest.mark.parametrize(
    ("one", "another", "same"),
    [
        ("2001:db8::1", "2001:db8::ffff:1", True),
        ("2001:db8::1", "2001:db8:0:1::1", False),
        ("fe80::1%eth0", "fe80::2", True),
        ("192.0.2.1", "::ffff:192.0.2.1", True),
        ("192.0.2.1", "192.0.2.2", False),
        (None, None, True),
        (None, "192.0.2.1", False),
    ],
)
def test_what_counts_as_one_address(one: str | None, another: str | None, same: bool) -> None:
    edge_connections = connections_of(9, 1)
    come(edge_connections, one)
    if same:
        with pytest.raises(CallerBusy):
            come(edge_connections, another)
    else:
        come(edge_connections, another)
