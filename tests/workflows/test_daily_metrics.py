"""Daily metrics, from their schedule and on demand for past days."""

from collections.abc import Sequence
from datetime import UTC, date, datetime, timedelta

import pytest
import sqlalchemy as sa
from sqlalchemy.ext.asyncio import AsyncConnection
from structlog.testing import capture_logs
from temporalio.client import ScheduleActionStartWorkflow, ScheduleOverlapPolicy

from activities.analytics import metrics
from adapters.system import utc_now
from adapters.temporal.reports import TemporalReports
from adapters.temporal.setup import ensure_daily_metrics_schedule
from domain.analytics.contracts import (
    BackfillMetricsInput,
    ComputeMetricsResult,
    DailyMetricsResult,
)
from domain.core.errors import EngineUnavailable
from domain.core.names import DAILY_METRICS_SCHEDULE
from store.analytics.day_counts import ClientDay, count_day
from store.analytics.tables import metrics_daily
from store.reviews.tables import escalation_tickets
from store.tenants.tables import clients
from tests.support.analytics.days import past_event
from tests.support.core.engine import LiveEngine
from tests.support.core.rows import only_row, row_counts, rows
from tests.support.core.schedules import fire
from tests.support.tenants.shop import Shop, open_shop

pytestmark = pytest.mark.own_database

DAY = utc_now().date() - timedelta(days=40)
NOON = datetime(DAY.year, DAY.month, DAY.day, 12, tzinfo=UTC)
LONG_AGO = datetime(2015, 1, 1, tzinfo=UTC)


async def grown_old(engine: LiveEngine, when: datetime = LONG_AGO) -> None:
    async with engine.database.service() as connection:
        await connection.execute(sa.update(clients).values(created_at=when))


@pytest.fixture
async def shop(engine: LiveEngine) -> Shop:
    """A shop that was created long ago."""
    shop = await open_shop(engine.database)
    await grown_old(engine)
    return shop


async def night_after(engine: LiveEngine, day: date) -> DailyMetricsResult:
    """Fire the schedule for the night after a day, long afterwards."""
    await ensure_daily_metrics_schedule(engine.client)
    at = datetime(day.year, day.month, day.day, 0, 10, tzinfo=UTC) + timedelta(days=1)
    workflow_id = await fire(engine.client, DAILY_METRICS_SCHEDULE, at)
    handle = engine.client.get_workflow_handle(workflow_id, result_type=DailyMetricsResult)
    result: DailyMetricsResult = await handle.result()
    return result


async def backfill(
    engine: LiveEngine, first: date, last: date, client_id: str = ""
) -> ComputeMetricsResult:
    return await TemporalReports(engine.client).backfill_metrics(
        BackfillMetricsInput(first=first, last=last, client_id=client_id), lambda _: None
    )


async def test_a_late_night_is_for_the_day_it_was_meant_for(engine: LiveEngine, shop: Shop) -> None:
    await past_event(engine.database, shop, NOON)

    assert await night_after(engine, DAY) == DailyMetricsResult(
        day=DAY, computed=13, changed=13, failed=0
    )

    found = {row["day"]: row for row in await rows(engine.database, metrics_daily)}
    assert sorted(found) == [DAY - timedelta(days=n) for n in range(12, -1, -1)]
    assert [found[day]["completed"] for day in sorted(found)] == [*[0] * 12, 1]


async def test_the_nights_after_see_what_was_decided_since(engine: LiveEngine, shop: Shop) -> None:
    await past_event(engine.database, shop, NOON, status="needs_review", reviews=["pending"])
    await night_after(engine, DAY)
    assert (await only_row(engine.database, metrics_daily, day=DAY))["review_rate"] == 0
    async with engine.database.service() as connection:
        await connection.execute(sa.update(escalation_tickets).values(status="rejected"))

    result = await night_after(engine, DAY + timedelta(days=4))

    assert result.changed == 5, "four new days and the one of the run"
    assert (await only_row(engine.database, metrics_daily, day=DAY))["review_rate"] == 1
    assert (await night_after(engine, DAY + timedelta(days=5))).changed == 1


async def test_the_schedule(engine: LiveEngine) -> None:
    for _ in range(2):
        await ensure_daily_metrics_schedule(engine.client)

    told = await engine.client.get_schedule_handle(DAILY_METRICS_SCHEDULE).describe()
    times = told.info.next_action_times
    assert all((t.hour, t.minute, t.second) == (0, 10, 0) for t in times)
    assert len({t.date() for t in times}) == len(times)
    policy, action = told.schedule.policy, told.schedule.action
    assert policy.overlap is ScheduleOverlapPolicy.BUFFER_ALL
    assert policy.catchup_window is not None
    assert policy.catchup_window >= timedelta(days=7), "no day is lost to an outage"
    assert isinstance(action, ScheduleActionStartWorkflow)
    assert action.execution_timeout is not None
    assert action.execution_timeout < timedelta(days=1)


async def test_a_backfill_computes_all_days_of_one_client(engine: LiveEngine, shop: Shop) -> None:
    await open_shop(engine.database)
    await grown_old(engine)
    first = DAY - timedelta(days=24)
    told: list[int] = []

    done = await TemporalReports(engine.client).backfill_metrics(
        BackfillMetricsInput(first=first, last=DAY, client_id=shop.client_id), told.append
    )

    assert done == ComputeMetricsResult(computed=25, changed=25)
    found = await rows(engine.database, metrics_daily)
    assert {row["client_id"] for row in found} == {shop.client_id}
    assert sorted(row["day"] for row in found) == [first + timedelta(days=n) for n in range(25)]
    assert told == sorted(told)
    again = await backfill(engine, first, DAY, shop.client_id)
    assert again == ComputeMetricsResult(computed=25, changed=0)


async def test_the_same_backfill_is_joined(idle_engine: LiveEngine) -> None:
    shop = await open_shop(idle_engine.database)
    await grown_old(idle_engine)
    reports = TemporalReports(idle_engine.client)
    asked = BackfillMetricsInput(first=DAY, last=DAY, client_id=shop.client_id)

    first = await reports.start_backfill(asked)
    second = await reports.start_backfill(asked)

    assert first.first_execution_run_id is not None
    assert first.first_execution_run_id == second.first_execution_run_id


async def test_days_on_which_retention_has_begun_stay_as_they_are(
    engine: LiveEngine, shop: Shop
) -> None:
    gone = utc_now().date() - timedelta(days=800)
    async with engine.database.service() as connection:
        zeros = {c.name: 7 for c in metrics_daily.columns if isinstance(c.type, sa.Integer)}
        await connection.execute(
            sa.insert(metrics_daily).values(
                client_id=shop.client_id, day=gone, computed_at=LONG_AGO, **zeros
            )
        )

    done = await backfill(engine, gone, gone + timedelta(days=1))

    assert done == ComputeMetricsResult(left=2)
    assert (await only_row(engine.database, metrics_daily))["runs"] == 7, "no zeros over history"


async def test_many_clients_are_done_page_by_page_and_go_on_where_it_broke_off(
    engine: LiveEngine, shop: Shop, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with engine.database.service() as connection:
        await connection.execute(
            sa.text("""
                INSERT INTO clients (id, owner_user_id, brand_name, plan, created_at)
                SELECT 'C' || number, :owner, 'b', 'free', :at
                FROM generate_series(1, 500) AS number
            """),
            {"owner": shop.owner_user_id, "at": LONG_AGO},
        )
    asked: list[Sequence[str]] = []

    async def die_once(
        connection: AsyncConnection, client_ids: Sequence[str], day: date, now: datetime
    ) -> list[ClientDay]:
        asked.append(client_ids)
        if len(asked) == 3:
            raise RuntimeError("the worker fell over")
        return await count_day(connection, client_ids, day, now)

    monkeypatch.setattr(metrics, "count_day", die_once)
    done = await backfill(engine, DAY, DAY)

    assert [len(page) for page in asked] == [200, 200, 101, 101]
    assert done == ComputeMetricsResult(computed=501, changed=501), "nothing is counted twice"


async def test_one_client_does_not_keep_the_others_from_theirs(
    engine: LiveEngine, monkeypatch: pytest.MonkeyPatch
) -> None:
    shops = [await open_shop(engine.database) for _ in range(7)]
    await grown_old(engine)
    wrong = shops[2].client_id

    async def take_too_long(
        connection: AsyncConnection, client_ids: Sequence[str], day: date, now: datetime
    ) -> list[ClientDay]:
        if wrong in client_ids:
            await connection.execute(sa.text("SET LOCAL statement_timeout = 1"))
            await connection.execute(sa.text("SELECT pg_sleep(10)"))
        return await count_day(connection, client_ids, day, now)

    monkeypatch.setattr(metrics, "count_day", take_too_long)
    with capture_logs() as lines:
        done = await backfill(engine, DAY, DAY)

    assert done == ComputeMetricsResult(computed=6, changed=6, failed=1)
    found = {row["client_id"] for row in await rows(engine.database, metrics_daily)}
    assert found == {shop.client_id for shop in shops} - {wrong}
    told = [line for line in lines if line["event"] == "failed to compute metrics"]
    assert [(line["client_id"], line["day"]) for line in told] == [(wrong, DAY.isoformat())]


async def test_a_database_that_is_away_fails_nobody(
    engine: LiveEngine, shop: Shop, monkeypatch: pytest.MonkeyPatch
) -> None:
    away = iter([True, True])

    async def refuse() -> None:
        if next(away, False):
            raise EngineUnavailable("away")

    async def count(
        connection: AsyncConnection, client_ids: Sequence[str], day: date, now: datetime
    ) -> list[ClientDay]:
        await refuse()
        return await count_day(connection, client_ids, day, now)

    monkeypatch.setattr(metrics, "count_day", count)
    monkeypatch.setattr(engine.worker_database, "ping", refuse)

    assert await backfill(engine, DAY, DAY) == ComputeMetricsResult(computed=1, changed=1)
    assert (await row_counts(engine.database))["metrics_daily"] == 1
