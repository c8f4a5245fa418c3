"""Limits on one client's actions in progress. Slow shops do not occupy the whole worker."""

import asyncio
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import timedelta
from functools import partial
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
from workflows import options

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

    async def have_started(self, messages: int) -> bool:
        """Return whether this many messages have been refunded, or refused a slot."""
        if self.asked > ACTIONS_AT_ONCE:
            return True
        is_refused = messages <= ACTIONS_AT_ONCE or self.refused > 0
        return self.asked >= min(messages, ACTIONS_AT_ONCE) and is_refused

    async def are_full(self) -> bool:
        waiting = MESSAGES - ACTIONS_AT_ONCE
        return self.asked > ACTIONS_AT_ONCE or self.refused >= waiting * ATTEMPTS


async def _refund(engine: LiveEngine, of: Acting, number: int) -> None:
    await engine.post(
        of.shop,
        customer_email=f"c{number}@b.example",
        message="Remboursez ma commande svp",
        order_number=str(number),
    )


async def _refunded(of: Acting, orders: int) -> bool:
    return of.refunded == orders * 4_900


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
    # The refunds wait for as long as a slow machine needs to start all of them.
    for timeout in ("start_to_close_timeout", "schedule_to_close_timeout"):
        monkeypatch.setitem(options.OUTSIDE, timeout, timedelta(minutes=5))
    calls: list[asyncio.Future[None]] = []
    async with acting.working():
        try:
            # One after the other, because the client's lookups have a limit too.
            for number in numbers:
                calls.append(asyncio.ensure_future(_refund(acting, slow, number)))
                await eventually(partial(actions.have_started, len(calls)), seconds=90)
            await eventually(actions.are_full, seconds=90)
            assert actions.asked == ACTIONS_AT_ONCE
            claimed = await rows(acting.database, action_ledger, of=slow.shop)
            assert len(claimed) == ACTIONS_AT_ONCE
            await _refund(acting, other, 3001)
            assert await eventually(partial(_refunded, other, 1), seconds=90)
        finally:
            actions.opens.set()
        await asyncio.gather(*calls)
        assert await eventually(partial(_refunded, slow, MESSAGES), seconds=90)
    assert actions.asked == MESSAGES


async def test_a_run_has_its_clients_share_of_the_queue(acting: LiveEngine, tmp_path: Path) -> None:
    """Temporal serves the clients in rotation, also for a run that is started again."""
    it = await acting_shop(acting, tmp_path, [order("3001", email="c3001@b.example")], rules())
    think_by(acting, ScriptedBrain(ActionKind.REFUND))
    async with acting.working():
        await _refund(acting, it, 3001)
    started = 0
    async for execution in acting.client.list_workflows():
        handle = acting.client.get_workflow_handle(execution.id)
        event = (await handle.fetch_history()).events[0]
        attributes = event.workflow_execution_started_event_attributes
        assert attributes.priority.fairness_key == it.shop.client_id, execution.id
        started += 1
    assert started
