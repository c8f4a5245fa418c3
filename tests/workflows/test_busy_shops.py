"""Limits on one client's actions in progress. Slow shops do not occupy the whole worker."""

import asyncio
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from activities.runs.actions import ACTIONS_AT_ONCE, Actions, Step
from domain.agent.plan import ActionKind
from domain.core.ids import TenantId
from domain.integrations.errors import ActionsBusy
from domain.integrations.integration import Integration
from store.runs.tables import action_ledger
from tests.support.agent.acting import (
    Acting,
    ScriptedBrain,
    acting_shop,
    order,
    rules,
    think_by,
)
from tests.support.core.engine import LiveEngine
from tests.support.core.rows import rows
from tests.support.core.waiting import eventually

pytestmark = pytest.mark.own_database
MESSAGES = ACTIONS_AT_ONCE + 2
# A run makes four attempts while its caller may wait. The fifth attempt is made after that.
ATTEMPTS = 5


class SlowActions:
    """The worker's actions, without a response to one client's refunds before `opens` is set.
    `refused`: the number of attempts without a slot."""

    def __init__(self, actions: Actions, tenant: TenantId, monkeypatch: pytest.MonkeyPatch) -> None:
        self.opens = asyncio.Event()
        self.asked = self.refused = 0
        self._tenant = tenant
        self._perform, self._room = actions.perform, actions.room
        monkeypatch.setattr(actions, "perform", self.perform)
        monkeypatch.setattr(actions, "room", self.room)

    async def perform(self, step: Step) -> str:
        if step.tenant == self._tenant and step.action.kind is ActionKind.REFUND:
            self.asked += 1
            await self.opens.wait()
        return await self._perform(step)

    @contextmanager
    def room(self, tenant: TenantId, integration: Integration | None) -> Iterator[None]:
        try:
            with self._room(tenant, integration):
                yield
        except ActionsBusy:
            self.refused += 1
            raise

    async def are_full(self) -> bool:
        waiting = MESSAGES - ACTIONS_AT_ONCE
        return self.asked > ACTIONS_AT_ONCE or self.refused >= waiting * ATTEMPTS


async def _refund(engine: LiveEngine, of: Acting, number: int) -> str:
    answer = await engine.post(
        of.shop,
        customer_email=f"c{number}@b.example",
        message="Remboursez ma commande svp",
        order_number=str(number),
    )
    return str(answer.json()["status"])


@pytest.mark.usefixtures("tried_quickly")
async def test_a_client_with_slow_shops_has_few_actions_in_progress(
    acting: LiveEngine, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Earlier, one client's refunds could occupy every activity slot of the worker. A refund
    without a slot is executed later, and once."""
    numbers = range(3001, 3001 + MESSAGES)
    orders = [order(str(number), email=f"c{number}@b.example") for number in numbers]
    slow = await acting_shop(acting, tmp_path, orders, rules())
    other = await acting_shop(acting, tmp_path, orders[:1], rules())
    think_by(acting, ScriptedBrain(ActionKind.REFUND))
    actions = SlowActions(acting.activities.execute._actions, slow.shop.tenant, monkeypatch)
    async with acting.working():
        calls = [asyncio.ensure_future(_refund(acting, slow, number)) for number in numbers]
        try:
            await eventually(actions.are_full, seconds=90)
            assert actions.asked == ACTIONS_AT_ONCE
            claimed = await rows(acting.database, action_ledger, of=slow.shop)
            assert len(claimed) == ACTIONS_AT_ONCE
            assert await _refund(acting, other, 3001) == "completed"
        finally:
            actions.opens.set()

        assert await asyncio.gather(*calls) == ["completed"] * MESSAGES
    assert slow.refunded == MESSAGES * 4_900
    assert other.refunded == 4_900


async def test_a_run_has_its_clients_share_of_the_queue(acting: LiveEngine, tmp_path: Path) -> None:
    """Temporal serves the clients in rotation, also for a run that is started again."""
    it = await acting_shop(acting, tmp_path, [order("3001", email="c3001@b.example")], rules())
    think_by(acting, ScriptedBrain(ActionKind.REFUND))
    async with acting.working():
        assert await _refund(acting, it, 3001) == "completed"
    started = 0
    async for execution in acting.client.list_workflows():
        handle = acting.client.get_workflow_handle(execution.id)
        event = (await handle.fetch_history()).events[0]
        attributes = event.workflow_execution_started_event_attributes
        assert attributes.priority.fairness_key == it.shop.client_id, execution.id
        started += 1
    assert started
