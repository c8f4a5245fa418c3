"""The cost of a gateway call with an order lookup: statements, transactions and history events."""

from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import timedelta
from pathlib import Path

import httpx
import psycopg
import pytest
from sqlalchemy import event
from temporalio import activity
from temporalio.api.enums.v1 import EventType

from adapters.demo.shop import open_demo_shop
from domain.core import names
from domain.integrations.providers import Provider
from tests.support.agent.acting import connect, order
from tests.support.core.engine import LiveEngine
from tests.support.tenants.shop import ORDER_QUESTION, Shop
from workflows import options

# These are limits: a change that needs more has a reason. A client with embedded knowledge needs
# one more transaction.
STATEMENTS = Counter(
    {
        names.NORMALIZE: 6,
        names.LOOK_UP: 4,
        names.THINK: 11,
        names.EXECUTE: 3,
        names.PERSIST: 10,
    }
)
COMMITS = Counter(
    {
        names.NORMALIZE: 1,
        names.LOOK_UP: 2,
        names.THINK: 2,
        names.EXECUTE: 1,
        names.PERSIST: 1,
    }
)
LONGEST_HISTORY = 16


@contextmanager
def counted(
    engine: LiveEngine, monkeypatch: pytest.MonkeyPatch
) -> Iterator[tuple[Counter[str], Counter[str]]]:
    """Yield the statements and the commits of the worker, by activity."""
    statements, commits = Counter[str](), Counter[str]()
    commit = psycopg.AsyncConnection.commit

    def before(*_: object) -> None:
        if activity.in_activity():
            statements[activity.info().activity_type] += 1

    async def counting(connection: psycopg.AsyncConnection[object]) -> None:
        if activity.in_activity():
            commits[activity.info().activity_type] += 1
        await commit(connection)

    worker = engine.worker_database.engine.sync_engine
    event.listen(worker, "before_cursor_execute", before)
    monkeypatch.setattr(psycopg.AsyncConnection, "commit", counting)
    try:
        yield statements, commits
    finally:
        event.remove(worker, "before_cursor_execute", before)


async def _ask(engine: LiveEngine, shop: Shop, folder: Path) -> httpx.Response:
    path = folder / "shop.db"
    open_demo_shop(path, (order("1042", state="shipped"),))
    await connect(engine, shop, Provider.DEMO_SHOP, {"path": str(path)}, "{}")
    return await engine.post(
        shop,
        event_type="shopify.ticket.created",
        customer_email="lea.martin@example.com",
        customer_name="Léa Martin",
        message=ORDER_QUESTION,
    )


# If a workflow task exceeds its timeout, its steps run again.
@pytest.mark.alone
async def test_a_call_with_an_order_lookup_executes_few_statements(
    acting: LiveEngine, shop: Shop, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    # On a busy machine, the shop might not respond in time. The lookup would then run twice.
    monkeypatch.setitem(options.LOOK_UP_INSIDE, "start_to_close_timeout", timedelta(seconds=20))
    async with acting.working():
        with counted(acting, monkeypatch) as (statements, commits):
            answer = await _ask(acting, shop, tmp_path)
        body = answer.json()
        history = await acting.run_of(shop, body["event_id"]).fetch_history()

    assert (body["status"], body["classification"]) == ("completed", "order_status")
    background = set(statements) - set(STATEMENTS)
    for other in background:
        del statements[other], commits[other]
    assert (statements, commits) == (STATEMENTS, COMMITS)
    kinds = [one.event_type for one in history.events]
    assert EventType.EVENT_TYPE_ACTIVITY_TASK_SCHEDULED not in kinds
    assert len(kinds) <= LONGEST_HISTORY


async def test_a_slow_shop_is_asked_again_in_a_regular_activity(
    acting: LiveEngine, shop: Shop, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(options.LOOK_UP_INSIDE, "start_to_close_timeout", timedelta(milliseconds=1))
    async with acting.working():
        body = (await _ask(acting, shop, tmp_path)).json()
        history = await acting.run_of(shop, body["event_id"]).fetch_history()

    assert (body["status"], body["classification"]) == ("completed", "order_status")
    regular = [
        one.activity_task_scheduled_event_attributes.activity_type.name
        for one in history.events
        if one.event_type == EventType.EVENT_TYPE_ACTIVITY_TASK_SCHEDULED
    ]
    assert regular == [names.LOOK_UP]
