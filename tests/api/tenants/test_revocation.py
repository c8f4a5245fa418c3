"""A key is revoked during heavy use: later requests are rejected, and leave no records."""

import asyncio
from dataclasses import dataclass, field
from datetime import datetime

from adapters.system import utc_now
from store.intake.tables import engine_events
from store.tenants.keys import KeyRepository
from tests.support.core.engine import GATEWAY, LiveEngine
from tests.support.core.rows import rows
from tests.support.tenants.shop import Shop, open_shop

CALLERS = 20
CALLS_BEFORE = 3
CALLS_AFTER = 2


@dataclass
class Traffic:
    """What callers observed: the start and result of each call."""

    engine: LiveEngine
    shop: Shop
    warm: asyncio.Event = field(default_factory=asyncio.Event)
    revoked: asyncio.Event = field(default_factory=asyncio.Event)
    calls: list[tuple[datetime, int]] = field(default_factory=list)

    async def call(self) -> None:
        started = utc_now()
        answer = await self.engine.http.post(
            GATEWAY,
            json={"client_id": self.shop.client_id, "event_type": "nobody.listens"},
            headers=self.shop.headers,
        )
        self.calls.append((started, answer.status_code))
        if len(self.calls) > CALLERS:
            self.warm.set()

    async def caller(self) -> None:
        for _ in range(CALLS_BEFORE):
            await self.call()
        await self.revoked.wait()
        for _ in range(CALLS_AFTER):
            await self.call()


async def test_revocation_under_load(front: LiveEngine) -> None:
    shop = await open_shop(front.database, event_type="something.else")
    traffic = Traffic(front, shop)

    async with asyncio.TaskGroup() as group:
        for _ in range(CALLERS):
            group.create_task(traffic.caller())
        await traffic.warm.wait()
        async with front.database.service() as connection:
            await KeyRepository(connection).revoke(shop.key_id, utc_now())
        revoked_at, under_way = utc_now(), CALLERS * CALLS_BEFORE - len(traffic.calls)
        traffic.revoked.set()

    assert under_way > 0, "the revocation came when all was over"
    assert len(traffic.calls) == CALLERS * (CALLS_BEFORE + CALLS_AFTER)
    assert {status for _, status in traffic.calls} == {200, 401}
    late = [status for started, status in traffic.calls if started > revoked_at]
    assert len(late) >= CALLERS * CALLS_AFTER
    assert set(late) == {401}
    # The rows agree: each accepted call has an event, and each rejected one has none.
    events = await rows(front.database, engine_events, of=shop)
    assert len(events) == sum(status == 200 for _, status in traffic.calls)
    assert max(event["received_at"] for event in events) <= revoked_at
