"""A slow request body gives up its slot to another sender's body."""

import asyncio
from typing import Any

import pytest
from starlette.requests import Request

from api.http.json_body import body_within
from domain.core.errors import BodyTooSlow
from domain.inbound.errors import InboundBusy
from services.core.fair_room import FairRoom


def slow_request(first: bytes, started: asyncio.Event) -> Request:
    """Return a request whose body never completes."""
    sent = False

    async def receive() -> dict[str, Any]:
        nonlocal sent
        if not sent:
            sent = True
            return {"type": "http.request", "body": first, "more_body": True}
        started.set()
        await asyncio.Event().wait()
        raise AssertionError("unreachable")

    return Request({"type": "http", "headers": []}, receive)


async def test_a_slow_body_is_ended_at_once_for_another_sender() -> None:
    room = FairRoom(in_all=16, of_one=16, refusal=InboundBusy)
    started = asyncio.Event()

    async def slow() -> None:
        with room.place("slow") as place:
            await body_within(
                slow_request(b"12345678", started), at_most=99, seconds=3_600, place=place
            )

    reading = asyncio.create_task(slow())
    await started.wait()
    with room.place("another") as place:
        place.grow(5)
        with pytest.raises(InboundBusy):
            await reading
    assert room._sum == 0


async def test_a_body_that_keeps_its_room_is_only_too_slow() -> None:
    room = FairRoom(in_all=16, of_one=16, refusal=InboundBusy)
    request = slow_request(b"1", asyncio.Event())
    with room.place("slow") as place, pytest.raises(BodyTooSlow):
        await body_within(request, at_most=99, seconds=0.01, place=place)
