"""Churn predictions, from their schedule and on demand."""

from collections.abc import Sequence
from datetime import UTC, datetime, timedelta

import pytest
import sqlalchemy as sa
from structlog.testing import capture_logs
from temporalio.client import ScheduleOverlapPolicy

from activities.analytics import churn
from adapters.system import utc_now
from adapters.temporal.reports import TemporalReports
from adapters.temporal.setup import ensure_weekly_churn_schedule
from domain.analytics.churn import History, week_of
from domain.analytics.contracts import WeeklyChurnInput, WeeklyChurnResult
from domain.core.names import WEEKLY_CHURN_SCHEDULE, weekly_churn_id
from store.analytics.churn import ChurnRepository
from store.analytics.tables import churn_predictions
from tests.support.analytics.days import past_event
from tests.support.core.engine import LiveEngine
from tests.support.core.histories import history_bytes
from tests.support.core.rows import rows
from tests.support.core.schedules import fire
from tests.support.tenants.shop import Shop, open_shop

pytestmark = pytest.mark.own_database

WEEK = week_of(utc_now() - timedelta(days=40))
AT = datetime(WEEK.year, WEEK.month, WEEK.day, 1, 10, tzinfo=UTC)
BEFORE = AT - timedelta(days=3)


async def predict(engine: LiveEngine, client_id: str = "") -> WeeklyChurnResult:
    return await TemporalReports(engine.client).predict_churn(
        WeeklyChurnInput(at=AT, client_id=client_id)
    )


async def test_a_late_week_is_predicted_as_of_its_monday(engine: LiveEngine, shop: Shop) -> None:
    other = await open_shop(engine.database)
    await past_event(
        engine.database, shop, BEFORE, status="failed", mood=-1.0, customer="cross@x.example"
    )
    await past_event(engine.database, shop, BEFORE, customer="calm@x.example")
    await past_event(engine.database, shop, AT + timedelta(hours=1), customer="later@x.example")
    await past_event(engine.database, other, BEFORE, customer="calm@x.example")
    await ensure_weekly_churn_schedule(engine.client)

    workflow_id = await fire(engine.client, WEEKLY_CHURN_SCHEDULE, AT)
    handle = engine.client.get_workflow_handle(workflow_id, result_type=WeeklyChurnResult)

    assert await handle.result() == WeeklyChurnResult(week=WEEK, predicted=3, high=0, failed=0)
    found = {
        (row["client_id"], row["customer_email"]): row
        for row in await rows(engine.database, churn_predictions)
    }
    assert set(found) == {
        (shop.client_id, "cross@x.example"), (shop.client_id, "calm@x.example"),
        (other.client_id, "calm@x.example"),
    }  # fmt: skip
    cross = found[shop.client_id, "cross@x.example"]
    assert (cross["week"], cross["level"]) == (WEEK, "medium")
    contributions = {one["name"]: one["contribution"] for one in cross["factors"]}
    assert contributions == {
        "sentiment": 0.25, "trend": 0, "repeats": 0, "unresolved": 0.125, "silence": 0
    }  # fmt: skip
    assert cross["score"] == 0.375
    assert found[shop.client_id, "calm@x.example"]["score"] == 0


async def test_on_demand_for_one_client_and_twice(engine: LiveEngine, shop: Shop) -> None:
    for one in (shop, await open_shop(engine.database)):
        await past_event(engine.database, one, BEFORE, status="failed")

    for _ in range(2):
        assert (await predict(engine, shop.client_id)).predicted == 1

    (row,) = await rows(engine.database, churn_predictions)
    assert row["client_id"] == shop.client_id


async def test_the_schedule(engine: LiveEngine) -> None:
    for _ in range(2):
        await ensure_weekly_churn_schedule(engine.client)

    told = await engine.client.get_schedule_handle(WEEKLY_CHURN_SCHEDULE).describe()
    times = told.info.next_action_times[:3]
    assert all((t.weekday(), t.hour, t.minute, t.second) == (0, 1, 10, 0) for t in times)
    assert len({week_of(t) for t in times}) == 3
    assert told.schedule.policy.overlap is ScheduleOverlapPolicy.BUFFER_ALL
    assert told.schedule.policy.catchup_window is not None
    assert told.schedule.policy.catchup_window >= timedelta(days=7), "no week is lost"


async def test_a_retry_goes_on_after_the_last_page_of_customers(
    engine: LiveEngine, shop: Shop, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Temporal, which stores the position, never receives an address."""
    monkeypatch.setattr(churn, "_CUSTOMERS_AT_ONCE", 2)
    names = [f"secret{number}@x.example" for number in range(5)]
    for name in names:
        await past_event(engine.database, shop, BEFORE, customer=name)
    asked: list[list[str]] = []
    ask = ChurnRepository.histories

    async def die_once(
        self: ChurnRepository, customers: Sequence[str], at: datetime
    ) -> dict[str, History]:
        asked.append(list(customers))
        if len(asked) == 3:
            raise RuntimeError("the worker fell over")
        return await ask(self, customers, at)

    monkeypatch.setattr(ChurnRepository, "histories", die_once)

    assert (await predict(engine)).predicted == 5
    assert asked == [names[:2], names[2:4], names[4:], names[4:]]
    assert len(await rows(engine.database, churn_predictions)) == 5
    handle = engine.client.get_workflow_handle(weekly_churn_id("", WEEK))
    assert b"secret" not in await history_bytes(handle)


async def test_one_customer_does_not_keep_the_others_from_theirs(
    engine: LiveEngine, shop: Shop, monkeypatch: pytest.MonkeyPatch
) -> None:
    for number in range(5):
        await past_event(engine.database, shop, BEFORE, customer=f"{number}@x.example")
    ask = ChurnRepository.histories

    async def take_too_long(
        self: ChurnRepository, customers: Sequence[str], at: datetime
    ) -> dict[str, History]:
        if "4@x.example" in customers:
            await self._connection.execute(sa.text("SET LOCAL statement_timeout = 1"))
            await self._connection.execute(sa.text("SELECT pg_sleep(10)"))
        return await ask(self, customers, at)

    monkeypatch.setattr(ChurnRepository, "histories", take_too_long)
    with capture_logs() as lines:
        done = await predict(engine)

    assert (done.predicted, done.failed) == (4, 1)
    told = [line for line in lines if line["event"] == "churn prediction failed"]
    assert [(line["client_id"], line["customers"]) for line in told] == [(shop.client_id, 1)]
    assert "@" not in str(told)


async def test_one_client_does_not_keep_the_others_from_theirs(
    engine: LiveEngine, shop: Shop, monkeypatch: pytest.MonkeyPatch
) -> None:
    other = await open_shop(engine.database)
    for one in (shop, other):
        await past_event(engine.database, one, BEFORE)
    customers = ChurnRepository.customers

    async def take_too_long(
        repository: ChurnRepository, at: datetime, *, after: str, limit: int
    ) -> list[str]:
        if repository._tenant == min(shop.client_id, other.client_id):
            await repository._connection.execute(sa.text("SET LOCAL statement_timeout = 1"))
            await repository._connection.execute(sa.text("SELECT pg_sleep(1)"))
        return await customers(repository, at, after=after, limit=limit)

    monkeypatch.setattr(ChurnRepository, "customers", take_too_long)

    done = await predict(engine)

    assert (done.predicted, done.failed) == (1, 1)


async def test_nobody_to_predict_of(engine: LiveEngine, shop: Shop) -> None:
    assert await predict(engine) == WeeklyChurnResult(week=WEEK, predicted=0, high=0, failed=0)
