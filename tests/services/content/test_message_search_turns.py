"""Turns for searches in messages: clients without a plan leave slots to those that pay."""

from contextlib import AsyncExitStack

import pytest

from domain.core.errors import CallerBusy
from domain.core.ids import TenantId
from services.content.search_turns import MessageSearchTurns, search_turns


async def _pays(tenant: TenantId) -> bool:
    return tenant.startswith("pays")


async def test_ten_free_accounts_hold_one_slot() -> None:
    """Earlier, ten free accounts held all connections of an API process."""
    searches = search_turns()
    turns = MessageSearchTurns(searches, pays=_pays, patience_s=0.01)
    async with AsyncExitStack() as held:
        await held.enter_async_context(turns.turn(TenantId("free 0")))
        for number in range(1, 10):
            with pytest.raises(CallerBusy):
                await held.enter_async_context(turns.turn(TenantId(f"free {number}")))
        for name in ("pays a", "pays b"):
            await held.enter_async_context(turns.turn(TenantId(name)))
        with pytest.raises(CallerBusy):
            await held.enter_async_context(turns.turn(TenantId("pays c")))
        async with searches.turn(TenantId("free 1")):
            pass
    async with turns.turn(TenantId("free 1")):
        pass
