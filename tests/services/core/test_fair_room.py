"""A shared capacity: a few clients or addresses cannot exclude others."""

import asyncio
from contextlib import ExitStack
from functools import partial

import pytest
from hypothesis import given
from hypothesis import strategies as st

from api.inbound_entry_limiter import body_room
from domain.core.errors import CallerBusy
from domain.core.ids import TenantId
from domain.inbound.errors import InboundBusy
from services.core.fair_documents import FairDocuments
from services.core.fair_room import FairRoom
from tests.services.core.test_fair_documents import LARGE, Held

KIB = 1024
MIB = 1024 * KIB
LARGEST = 25 * MIB
STEP = 64 * KIB


def room_of() -> FairRoom:
    """Return the service's capacity for bodies to clients' endpoints."""
    return body_room(128 * MIB, 32 * MIB)


def filled(
    room: FairRoom, places: ExitStack, *keys: str, size: int = LARGEST, coming: bool = False
) -> int:
    """Add bodies until one is rejected; return the accepted bytes. `coming`: they never arrive
    completely."""
    taken = 0
    while True:
        place = places.enter_context(room.place(*keys))
        if coming:
            place.may_give_way(lambda: None)
        try:
            for held in range(STEP, size + 1, STEP):
                place.grow(held)
        except InboundBusy:
            return taken + place.held
        taken += place.held


def test_an_idle_room_takes_the_largest_body() -> None:
    with room_of().place("client", "address") as place:
        place.grow(LARGEST)


def test_one_client_from_many_addresses_leaves_room() -> None:
    room = room_of()
    with ExitStack() as places:
        for number in range(40):
            filled(room, places, "client", f"address {number}")
        with room.place("other", "elsewhere") as place:
            place.grow(LARGEST)


def test_one_address_with_many_clients_leaves_room() -> None:
    room = room_of()
    with ExitStack() as places:
        for number in range(40):
            filled(room, places, f"client {number}", "address")
        with room.place("other", "elsewhere") as place:
            place.grow(LARGEST)


@pytest.mark.parametrize("addresses", [11, 40])
@pytest.mark.parametrize("size", [256 * KIB, MIB])
def test_bodies_that_never_come_whole_give_way(addresses: int, size: int) -> None:
    """Earlier, eleven addresses used up the capacity for all others."""
    room = room_of()
    with ExitStack() as places:
        for number in range(addresses):
            filled(room, places, f"address {number}", size=size, coming=True)
        for _ in range(3):
            place = places.enter_context(room.place("another"))
            for held in range(STEP, MIB // 2, STEP):
                place.grow(held)
            assert not place.is_given_up


def test_the_largest_gives_way_and_no_smaller_one() -> None:
    room = FairRoom(in_all=12, of_one=6)
    given_up: list[str] = []
    with ExitStack() as places:
        for name, size in (("small", 1), ("large", 5), ("whole", 3)):
            place = places.enter_context(room.place(name))
            place.grow(size)
            if name != "whole":
                place.may_give_way(partial(given_up.append, name))
        newcomer = places.enter_context(room.place("newcomer"))
        newcomer.grow(3)
        with pytest.raises(CallerBusy):
            newcomer.grow(6)
    assert given_up == ["large"]


def test_a_place_that_is_given_up_is_refused_and_counts_no_more() -> None:
    room = FairRoom(in_all=8, of_one=8, refusal=InboundBusy)
    with room.place("slow") as slow, room.place("newcomer") as newcomer:
        slow.grow(4)
        slow.may_give_way(lambda: None)
        newcomer.grow(3)
        assert (slow.is_given_up, slow.held) == (True, 0)
        with pytest.raises(InboundBusy):
            slow.grow(5)
        with pytest.raises(InboundBusy):
            slow.check_kept()
    assert room._sum == 0


@given(st.lists(st.tuples(st.integers(1, 5), st.integers(1, 5), st.booleans()), max_size=12))
def test_what_is_given_back_is_free_again(bodies: list[tuple[int, int, bool]]) -> None:
    room = body_room(16 * MIB, 4 * MIB)
    with ExitStack() as places:
        for client, address, coming in bodies:
            keys = (f"client {client}", f"address {address}")
            filled(room, places, *keys, size=MIB, coming=coming)
            assert room._sum <= 16 * MIB
    assert not room._held
    assert not room._waiting
    assert room._sum == 0


def test_few_bytes_take_no_room() -> None:
    room = body_room(0, 0)
    with room.place("client") as place:
        place.grow(64 * KIB)
        with pytest.raises(InboundBusy):
            place.grow(64 * KIB + 1)


async def test_clients_that_fill_the_admission_of_documents_keep_no_other_out() -> None:
    """Earlier, eight clients with eight documents each took all slots. Clients without a plan also
    leave a parser to those that pay."""
    reader, other_tenant = Held(), TenantId("9" * 26)

    async def pays(tenant: TenantId) -> bool:
        return tenant == other_tenant

    documents = FairDocuments(reader, pays=pays)
    flood = [
        asyncio.create_task(documents.read(TenantId(f"{client:026d}"), LARGE))
        for client in range(12)
        for _ in range(8)
    ]
    for _ in range(10):
        await asyncio.sleep(0)
    at_work = reader.started

    other = asyncio.create_task(documents.read(other_tenant, LARGE))
    for _ in range(10):
        await asyncio.sleep(0)

    assert (at_work, reader.started) == (1, 2)
    reader.go_on.set()
    assert await other == LARGE.text
    done = await asyncio.gather(*flood, return_exceptions=True)
    assert all(one == LARGE.text or isinstance(one, CallerBusy) for one in done)
    assert sum(one == LARGE.text for one in done) >= 12
    assert not documents._turns._room._held
