"""Whose connection goes when there are too many."""

import pytest

from api.http.edge_crowd import EdgeCrowd, Waiting
from api.http.edge_limits import EdgeLimits
from domain.core.errors import CallerBusy, ServerBusy
from settings.service import ServerSettings


class Connection:
    def __init__(self, crowd: EdgeCrowd) -> None:
        self._crowd = crowd
        self.is_open = True

    def give_up(self) -> None:
        self.is_open = False
        self._crowd.leave(self)


def crowd_of(connections: int, per_address: int, proxies: str = "") -> EdgeCrowd:
    server = ServerSettings.model_validate({"TRUSTED_PROXIES": proxies})
    return EdgeCrowd(
        EdgeLimits(connections=connections, per_address=per_address, proxies=server.proxies)
    )


def come(
    crowd: EdgeCrowd, peer: str | None, number: int = 1, why: Waiting | None = None
) -> list[Connection]:
    """So many, that nobody works for, or all of them at work."""
    opened = [Connection(crowd) for _ in range(number)]
    for one in opened:
        crowd.enter(one, peer)
        if why is not None:
            crowd.waits(one, why)
    return opened


def open_of(connections: list[Connection]) -> list[bool]:
    return [one.is_open for one in connections]


def test_address_with_its_share_gives_one_of_its_own() -> None:
    crowd = crowd_of(10, 2)
    other = come(crowd, "10.0.0.2", 1, Waiting.NEW)
    flood = come(crowd, "10.0.0.1", 5, Waiting.NEW)

    assert open_of(flood) == [False, False, False, True, True]
    assert open_of(other) == [True]


def test_address_with_its_share_at_work_is_refused_alone() -> None:
    crowd = crowd_of(10, 2)
    busy = come(crowd, "10.0.0.1", 2)
    with pytest.raises(CallerBusy):
        come(crowd, "10.0.0.1")
    come(crowd, "10.0.0.2")

    crowd.leave(busy[0])
    crowd.leave(busy[0])
    with pytest.raises(CallerBusy):
        come(crowd, "10.0.0.1")


def test_fullest_address_makes_room_for_all() -> None:
    crowd = crowd_of(4, 4)
    idle = come(crowd, "10.0.0.2", 1, Waiting.NEW)
    flood = come(crowd, "10.0.0.1", 3, Waiting.UNREAD)
    come(crowd, "10.0.0.3")

    assert open_of(idle) == [True]
    assert open_of(flood) == [False, True, True]


def test_all_at_work() -> None:
    crowd = crowd_of(2, 2)
    come(crowd, "10.0.0.1"), come(crowd, "10.0.0.2")
    with pytest.raises(ServerBusy):
        come(crowd, "10.0.0.3")


def test_who_said_nothing_goes_before_who_was_answered() -> None:
    crowd = crowd_of(4, 3)
    unread = come(crowd, "10.0.0.1", 1, Waiting.UNREAD)
    idle = come(crowd, "10.0.0.1", 1, Waiting.IDLE)
    new = come(crowd, "10.0.0.1", 1, Waiting.NEW)
    for gone in (new, idle, unread):
        come(crowd, "10.0.0.1")
        assert open_of(gone) == [False]


def test_who_is_served_again_does_not_go() -> None:
    crowd = crowd_of(4, 1)
    (served,) = come(crowd, "10.0.0.1", 1, Waiting.IDLE)
    crowd.is_served(served)
    with pytest.raises(CallerBusy):
        come(crowd, "10.0.0.1")
    assert served.is_open


def test_connections_of_a_proxy_are_not_counted_by_address() -> None:
    crowd = crowd_of(6, 1, "10.0.0.0/8,2001:db8::1")
    come(crowd, "10.0.0.1", 2)
    come(crowd, "::ffff:10.0.0.1", 1)
    come(crowd, "2001:db8::1", 2)
    come(crowd, "192.0.2.1")
    with pytest.raises(CallerBusy):
        come(crowd, "192.0.2.1")


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
    crowd = crowd_of(9, 1)
    come(crowd, one)
    if same:
        with pytest.raises(CallerBusy):
            come(crowd, another)
    else:
        come(crowd, another)
