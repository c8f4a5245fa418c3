"""Limits for concurrent widget streams."""

from contextlib import ExitStack, suppress

import pytest

from api.widget_streams import (
    A_CLIENT,
    A_FREE_CLIENT,
    A_NETWORK,
    A_PROCESS,
    A_SESSION,
    ALL_FREE,
    AN_ADDRESS,
    StreamPlace,
    WidgetStreams,
)
from domain.core.errors import CallerBusy, ServerBusy


class Visitors:
    """Opens streams that stay open, each with its own session, address and network."""

    def __init__(self, streams: WidgetStreams, held: ExitStack) -> None:
        self._streams = streams
        self._held = held
        self._number = 0

    def open(self, client: str, *, pays: bool = True, network: str | None = None) -> StreamPlace:
        self._number += 1
        session, address = f"{client}/{self._number}", f"address-{self._number}"
        network = network or f"network-{self._number}"
        place = self._streams.place(session, address, network, pays=pays)
        return self._held.enter_context(place)

    def fill(self, client: str, *, pays: bool = True) -> int:
        """Open streams of the client until one is rejected; return how many opened."""
        opened = 0
        with suppress(CallerBusy, ServerBusy):
            while True:
                self.open(client, pays=pays)
                opened += 1
        return opened


@pytest.mark.parametrize(("pays", "at_most"), [(True, A_CLIENT), (False, A_FREE_CLIENT)])
def test_one_client_leaves_places_to_the_others(pays: bool, at_most: int) -> None:
    """However many addresses and sessions its visitors have."""
    streams = WidgetStreams()
    with ExitStack() as held:
        visitors = Visitors(streams, held)
        for _ in range(at_most):
            visitors.open("one", pays=pays)
        with pytest.raises(CallerBusy):
            visitors.open("one", pays=pays)
        visitors.open("other", pays=pays)
        assert streams.open == at_most + 1
    assert streams.open == 0
    with streams.place("one/x", "address-x", "network-x", pays=pays):
        assert streams.open == 1


@pytest.mark.parametrize("pays", [True, False])
@pytest.mark.parametrize(("session", "address", "places"), [
    ("one/s", "address-{}", A_SESSION), ("one/s-{}", "address", AN_ADDRESS),
    ("shop-{}/s", "address-{}", A_NETWORK),
])  # fmt: skip
def test_a_session_an_address_and_a_network_have_so_many(
    session: str, address: str, places: int, pays: bool
) -> None:
    streams = WidgetStreams()
    with ExitStack() as held:

        def open_one(number: str) -> None:
            of = session.format(number), address.format(number), "network"
            held.enter_context(streams.place(*of, pays=pays))

        for number in range(places):
            open_one(str(number))
        with pytest.raises(CallerBusy):
            open_one("x")


def test_a_full_process_says_so() -> None:
    streams = WidgetStreams()
    with ExitStack() as held:
        visitors = Visitors(streams, held)
        for number in range(A_PROCESS):
            visitors.open(f"client-{number}")
        with pytest.raises(ServerBusy):
            visitors.open("another")


def test_the_streams_of_a_few_clients_give_way_to_another_shop() -> None:
    """Widget keys are public. Earlier, the streams of four shops could fill the process."""
    streams = WidgetStreams()
    with ExitStack() as held:
        visitors = Visitors(streams, held)
        crowd = [visitors.fill(f"copied-{number}") for number in range(4)]
        assert sum(crowd) >= A_PROCESS

        places = [visitors.open("shop") for _ in range(A_CLIENT // 2)]

        assert not any(place.is_over for place in places)


def test_a_network_gives_way_before_the_visitors_of_the_same_shops() -> None:
    """One caller has many addresses in a network and the keys of many shops."""
    streams = WidgetStreams()
    with ExitStack() as held:
        visitors = Visitors(streams, held)
        earlier = [visitors.open("shop-1") for _ in range(20)]
        theirs = [
            visitors.open(f"shop-{number % 40}", network="2001:db8::/48")
            for number in range(A_NETWORK)
        ]
        later = [visitors.open(f"shop-{number % 40}") for number in range(A_PROCESS - A_NETWORK)]
        assert any(place.is_given_up for place in theirs)
        assert not any(place.is_over for place in (*earlier, *later))


def test_a_shop_has_its_streams_while_others_have_the_rest() -> None:
    streams = WidgetStreams()
    with ExitStack() as held:
        visitors = Visitors(streams, held)
        others = [visitors.open(f"client-{number}") for number in range(A_PROCESS - A_CLIENT)]
        assert visitors.fill("shop") == A_CLIENT
        assert not any(place.is_over for place in others)


def test_a_new_stream_ends_one_other() -> None:
    """A new stream of a caller with many streams ends no more than one other stream."""
    streams = WidgetStreams()
    with ExitStack() as held:
        visitors = Visitors(streams, held)
        large = [visitors.open("large") for _ in range(A_CLIENT)]
        for _ in range(A_CLIENT // 3):
            visitors.open("small")
        for number in range(A_PROCESS - A_CLIENT - A_CLIENT // 3):
            visitors.open(f"client-{number}")
        assert streams.open == A_PROCESS

        visitors.open("small")

        assert sum(place.is_given_up for place in large) == 1


def test_a_network_gives_way_before_other_visitors_of_one_shop() -> None:
    """The shop has the most streams, so one of its streams ends."""
    streams = WidgetStreams()
    with ExitStack() as held:
        visitors = Visitors(streams, held)
        earlier = [visitors.open("shop") for _ in range(A_CLIENT - A_NETWORK)]
        theirs = [visitors.open("shop", network="2001:db8::/48") for _ in range(A_NETWORK)]
        for number in range(A_PROCESS - A_CLIENT):
            visitors.open(f"client-{number}")
        visitors.open("late")
        assert [place.is_given_up for place in theirs].count(True) == 1
        assert not any(place.is_over for place in earlier)


def test_free_accounts_leave_half_to_those_who_pay() -> None:
    streams = WidgetStreams()
    with ExitStack() as held:
        visitors = Visitors(streams, held)
        opened = [visitors.open(f"free-{number}", pays=False) for number in range(ALL_FREE)]
        with pytest.raises(ServerBusy):
            visitors.open("another", pays=False)
        places = [visitors.open(f"shop-{number}") for number in range(A_PROCESS - ALL_FREE)]
        assert not any(place.is_over for place in (*opened, *places))


def test_a_stream_that_gave_way_is_counted_no_more() -> None:
    streams = WidgetStreams()
    with ExitStack() as held:
        visitors = Visitors(streams, held)
        for number in range(ALL_FREE // A_FREE_CLIENT * 3):
            visitors.fill(f"free-{number}", pays=False)
        assert not visitors.open("late", pays=False).is_over
    assert streams.open == 0
    with ExitStack() as held:
        visitors = Visitors(streams, held)
        assert visitors.fill("one", pays=False) == A_FREE_CLIENT
        assert visitors.fill("paying") == A_CLIENT
