"""Slots for expensive work: clients without a plan do not keep out those that pay."""

import asyncio
from contextlib import AsyncExitStack

import pytest

from domain.core.errors import CallerBusy
from domain.core.ids import TenantId
from services.core.fair_slots import FairSlots


def client(name: str) -> TenantId:
    return TenantId(name)


async def test_clients_without_a_plan_leave_slots_to_those_that_pay() -> None:
    slots = FairSlots(4, unpaid=2, patience_s=0.01)
    async with AsyncExitStack() as held:
        for name in "ab":
            await held.enter_async_context(slots.slot(client(name), pays=False))
        with pytest.raises(CallerBusy):
            await held.enter_async_context(slots.slot(client("c"), pays=False))
        for name in "de":
            await held.enter_async_context(slots.slot(client(name), pays=True))
        with pytest.raises(CallerBusy):
            await held.enter_async_context(slots.slot(client("f"), pays=True))
    async with slots.slot(client("c"), pays=False):
        pass


async def test_a_client_holds_one_slot_and_others_do_not_wait_for_it() -> None:
    slots = FairSlots(2, unpaid=2, patience_s=None)
    order: list[str] = []

    async def works(name: str) -> None:
        async with slots.slot(client(name), pays=False):
            order.append(name)

    async with slots.slot(client("many"), pays=False):
        waiting = [asyncio.ensure_future(works(one)) for one in ("many", "many", "other")]
        await asyncio.wait(waiting[2:])
        assert order == ["other"]
    await asyncio.gather(*waiting)
    assert order == ["other", "many", "many"]


async def test_a_caller_that_is_cancelled_leaves_its_place() -> None:
    slots = FairSlots(1, unpaid=1, patience_s=None)

    async def works() -> None:
        async with slots.slot(client("waits"), pays=False):
            pass

    async with slots.slot(client("works"), pays=False):
        waiting = asyncio.ensure_future(works())
        await asyncio.sleep(0)
        waiting.cancel()
        await asyncio.gather(waiting, return_exceptions=True)
    async with slots.slot(client("last"), pays=False):
        pass
