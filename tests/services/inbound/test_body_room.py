"""The room for large bodies is shared: no client and no address fills it."""

from contextlib import ExitStack

import pytest
from hypothesis import given
from hypothesis import strategies as st

from domain.core.ids import TenantId
from domain.inbound.errors import InboundBusy
from services.inbound.body_room import BodyRoom

MIB = 1024 * 1024
LARGEST = 25 * MIB


def tenant(number: int) -> TenantId:
    return TenantId(f"{number:026d}")


def filled(room: BodyRoom, places: ExitStack, client: TenantId | None, address: str) -> int:
    """Bodies of the largest size, one after the other, until one is refused; the bytes taken."""
    taken = 0
    while True:
        place = places.enter_context(room.place(client, address))
        try:
            for size in range(MIB, LARGEST + 1, MIB):
                place.grow(size)
        except InboundBusy:
            return taken + place.held
        taken += place.held


def test_an_idle_room_takes_the_largest_body() -> None:
    with BodyRoom().place(tenant(1), "a") as place:
        place.grow(LARGEST)


def test_one_client_from_many_addresses_leaves_room() -> None:
    room = BodyRoom()
    with ExitStack() as places:
        for number in range(40):
            filled(room, places, tenant(1), f"a{number}")
        with room.place(tenant(2), "b") as place:
            place.grow(LARGEST)


def test_one_address_with_many_clients_leaves_room() -> None:
    room = BodyRoom()
    with ExitStack() as places:
        for number in range(40):
            filled(room, places, tenant(number), "a")
        for _ in range(40):
            filled(room, places, None, "a")
        with room.place(tenant(99), "b") as place:
            place.grow(LARGEST)


@given(st.lists(st.tuples(st.integers(1, 5), st.integers(1, 5)), max_size=12))
def test_what_is_given_back_is_free_again(bodies: list[tuple[int, int]]) -> None:
    room = BodyRoom()
    with ExitStack() as places:
        for client, address in bodies:
            filled(room, places, tenant(client), str(address))
        assert room._sum <= 128 * MIB
    assert not room._held
    assert room._sum == 0


def test_few_bytes_take_no_room() -> None:
    room = BodyRoom(in_all=0, of_one=0)
    with room.place(tenant(1), "a") as place:
        place.grow(64 * 1024)
        with pytest.raises(InboundBusy):
            place.grow(64 * 1024 + 1)
