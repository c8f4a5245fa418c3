"""Many messages of one client at once: few of them are processed at a time, and other clients'
messages do not wait for all of them."""

import asyncio
from collections import Counter
from functools import wraps

import httpx
import pytest

from activities.intake.normalize import Normalize
from domain.intake.contracts import NormalizeInput, NormalizeResult
from tests.support.core.engine import LiveEngine
from tests.support.tenants.shop import ORDER_QUESTION, Shop, open_shop
from workers.engine import WORKFLOW_TASKS

FLOOD = 3 * WORKFLOW_TASKS


class AtWork:
    """The number of messages that are normalized at the same time, and the order of clients."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.now = self.most = 0
        self.clients: list[str] = []
        self.first = asyncio.Event()
        self.goes_on = asyncio.Event()
        normalize = Normalize.normalize

        @wraps(normalize)
        async def counted(room: Normalize, step: NormalizeInput) -> NormalizeResult:
            self.now += 1
            self.most = max(self.most, self.now)
            self.clients.append(step.ref.client_id)
            self.first.set()
            try:
                await self.goes_on.wait()
                return await normalize(room, step)
            finally:
                self.now -= 1

        monkeypatch.setattr(Normalize, "normalize", counted)


async def test_few_are_processed_at_a_time_and_others_are_not_last(
    idle_engine: LiveEngine, shop: Shop, monkeypatch: pytest.MonkeyPatch
) -> None:
    at_work, engine = AtWork(monkeypatch), idle_engine
    other = await open_shop(engine.database)

    async def send(to: Shop) -> httpx.Response:
        return await engine.post(to, message=ORDER_QUESTION)

    async with engine.working():
        flood = [asyncio.ensure_future(send(shop)) for _ in range(FLOOD)]
        await at_work.first.wait()
        late = asyncio.ensure_future(send(other))
        at_work.goes_on.set()
        answers = await asyncio.gather(*flood, late)

    assert Counter(answer.status_code for answer in answers) == {200: FLOOD + 1}
    assert 0 < at_work.most <= WORKFLOW_TASKS
    assert at_work.clients.index(other.client_id) < FLOOD
