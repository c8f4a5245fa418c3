"""Export slots: slow readers do not block other callers, over real sockets."""

from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import replace

import httpx
import pytest

from api.exports import Exports
from domain.tenants.client import Plan
from tests.support.core.engine import LiveEngine
from tests.support.core.waiting import eventually
from tests.support.exports.export import EXPORT, add_conversations, nothing_open, served
from tests.support.exports.export_reader import PATIENT, ROWS, WEIGHT, Reader, reader, request
from tests.support.intake.admission import on_plan
from tests.support.tenants.shop import Shop, open_shop

NEVER_S = 1_000.0


@asynccontextmanager
async def exports_of(front: LiveEngine, *, slow_after_s: float) -> AsyncIterator[None]:
    """Return the same application with shorter timeouts."""
    before = front.app.state.resources
    exports = Exports(front.settings.database.url, patience_s=0.3, slow_after_s=slow_after_s)
    front.app.state.resources = replace(before, exports=exports)
    try:
        yield
    finally:
        front.app.state.resources = before
        await exports.database.close()


async def opened(front: LiveEngine, plan: Plan) -> Shop:
    shop = await open_shop(front.database)
    await on_plan(front.database, shop, plan)
    return shop


@asynccontextmanager
async def slow_readers(
    front: LiveEngine, port: int, number: int, plan: Plan
) -> AsyncIterator[list[Reader]]:
    """Open exports for this many clients that read a little, and then stop."""
    async with AsyncExitStack() as stack:
        begun = []
        for _ in range(number):
            shop = await opened(front, plan)
            add_conversations(front.settings.database.url, shop, ROWS, weight=WEIGHT)
            begun.append(await stack.enter_async_context(reader(port, request(shop))))
            await begun[-1].begin()
        yield begun


async def status(port: int, shop: Shop) -> int:
    async with httpx.AsyncClient(trust_env=False, timeout=30) as http:
        answer = await http.get(f"http://127.0.0.1:{port}{EXPORT}", headers=shop.headers)
    return answer.status_code


async def test_free_accounts_leave_places_to_those_who_pay(front: LiveEngine, shop: Shop) -> None:
    third = await opened(front, Plan.FREE)
    async with (
        exports_of(front, slow_after_s=NEVER_S),
        served(front.app, PATIENT) as port,
        slow_readers(front, port, 2, Plan.FREE),
    ):
        assert await status(port, third) == 503
        assert await status(port, shop) == 200


@pytest.mark.parametrize("plan", [Plan.FREE, Plan.PRO])
async def test_a_slow_reader_gives_way(front: LiveEngine, plan: Plan) -> None:
    """If all slots are used, one slow reader is cut off, and detects the incomplete file."""
    number = {Plan.FREE: 2, Plan.PRO: 4}[plan]
    one_more = await opened(front, plan)
    async with (
        exports_of(front, slow_after_s=0.1),
        served(front.app, PATIENT) as port,
        slow_readers(front, port, number, plan) as begun,
    ):
        assert await status(port, one_more) == 200
        ends = [(await one.go_on()).endswith(b"0\r\n\r\n") for one in begun]

        assert sorted(ends) == [False] + [True] * (number - 1)
    await eventually(lambda: nothing_open(front.settings.database.url))


async def test_who_pays_gives_no_way_to_who_does_not(front: LiveEngine) -> None:
    free = await opened(front, Plan.FREE)
    async with (
        exports_of(front, slow_after_s=0.1),
        served(front.app, PATIENT) as port,
        slow_readers(front, port, 4, Plan.PRO) as begun,
    ):
        assert await status(port, free) == 503
        assert (await begun[0].go_on()).endswith(b"0\r\n\r\n")


async def test_a_client_has_one_place(front: LiveEngine, shop: Shop) -> None:
    add_conversations(front.settings.database.url, shop, ROWS, weight=WEIGHT)
    async with (
        exports_of(front, slow_after_s=0.1),
        served(front.app, PATIENT) as port,
        reader(port, request(shop)) as first,
    ):
        await first.begin()
        assert await status(port, shop) == 503
        assert (await first.go_on()).endswith(b"0\r\n\r\n")
