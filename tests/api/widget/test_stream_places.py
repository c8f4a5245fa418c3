"""How many streams there may be at once, of whom."""

from contextlib import ExitStack

import pytest

from api.widget_streams import A_CLIENT, A_PROCESS, A_SESSION, AN_ADDRESS, WidgetStreams
from domain.core.errors import CallerBusy, ServerBusy


def test_one_client_leaves_places_to_the_others() -> None:
    """However many addresses and sessions its visitors have."""
    streams = WidgetStreams()
    with ExitStack() as held:
        for number in range(A_CLIENT):
            held.enter_context(streams.place(f"one/{number}", f"address-{number}"))
        with pytest.raises(CallerBusy), streams.place("one/x", "address-x"):
            pass
        held.enter_context(streams.place("other/x", "address-x"))
        assert streams.open == A_CLIENT + 1
    assert streams.open == 0
    with streams.place("one/x", "address-x"):
        assert streams.open == 1


@pytest.mark.parametrize(("session", "address", "places"), [
    ("one/s", "address-{}", A_SESSION), ("one/s-{}", "address", AN_ADDRESS),
])  # fmt: skip
def test_a_session_and_an_address_have_so_many(session: str, address: str, places: int) -> None:
    streams = WidgetStreams()
    with ExitStack() as held:
        for number in range(places):
            held.enter_context(streams.place(session.format(number), address.format(number)))
        with pytest.raises(CallerBusy), streams.place(session.format("x"), address.format("x")):
            pass


def test_a_full_process_says_so() -> None:
    streams = WidgetStreams()
    with ExitStack() as held:
        for number in range(A_PROCESS):
            held.enter_context(streams.place(f"{number % 10}/{number}", f"address-{number}"))
        with pytest.raises(ServerBusy), streams.place("another/x", "address-x"):
            pass
