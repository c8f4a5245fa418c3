"""One client's large bodies wait for one another; another client's do not wait for them."""

import asyncio
import threading

import pytest

from domain.core.ids import TenantId
from domain.inbound.errors import InboundBusy
from domain.inbound.inbound_request import InboundRequest
from services.inbound.receiving import ArrivalGates

FLOOD, OTHER = TenantId("01AAAAAAAAAAAAAAAAAAAAAAAA"), TenantId("01BBBBBBBBBBBBBBBBBBBBBBBB")
SMALL, LARGE = (InboundRequest({}, bytes(size)) for size in (16 * 1024, 64 * 1024))


class HeldReading:
    """A parser that blocks its thread until it is released."""

    def __init__(self) -> None:
        self.started = 0
        self.begun = threading.Event()
        self.go_on = threading.Event()

    def read(self) -> str:
        self.started += 1
        self.begun.set()
        assert self.go_on.wait(60)
        return "flood"


async def test_a_flood_of_large_bodies_holds_up_no_other_client() -> None:
    gates, held = ArrivalGates(), HeldReading()
    flood = [asyncio.create_task(gates.reading(FLOOD, LARGE, held.read)) for _ in range(16)]
    try:
        assert await asyncio.to_thread(held.begun.wait, 60)
        async with asyncio.timeout(20):
            other = await gates.reading(OTHER, LARGE, lambda: "other")
            small = await gates.reading(FLOOD, SMALL, lambda: "small")
    finally:
        at_once = held.started
        held.go_on.set()
        read = await asyncio.gather(*flood)

    assert (other, small, at_once) == ("other", "small", 1)
    assert (read, held.started) == (["flood"] * 16, 16)


async def test_a_large_body_that_waits_too_long_is_sent_again_later() -> None:
    gates, held = ArrivalGates(read_patience_s=0.05, large=1), HeldReading()
    first = asyncio.create_task(gates.reading(FLOOD, LARGE, held.read))
    assert await asyncio.to_thread(held.begun.wait, 60)

    for tenant in (FLOOD, OTHER):
        with pytest.raises(InboundBusy):
            await gates.reading(tenant, LARGE, held.read)

    held.go_on.set()
    assert await first == "flood"
    assert await gates.reading(OTHER, LARGE, held.read) == "flood"
