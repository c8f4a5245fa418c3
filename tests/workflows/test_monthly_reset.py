"""The monthly reset and the nightly housekeeping, started by their schedules."""

from datetime import UTC, datetime, timedelta

import pytest
import sqlalchemy as sa
from sqlalchemy.ext.asyncio import AsyncConnection
from structlog.testing import capture_logs
from temporalio.client import ScheduleActionStartWorkflow, WorkflowFailureError

from activities.billing import usage_periods
from adapters.system import new_ulid, utc_now
from adapters.temporal.setup import (
    ensure_housekeeping_schedule,
    ensure_monthly_reset_schedule,
    ensure_sweep_schedule,
)
from domain.billing.contracts import MonthlyResetInput, MonthlyResetResult
from domain.billing.subscription import Subscription
from domain.core.errors import InvalidInput
from domain.core.names import (
    ENGINE_QUEUE,
    HOUSEKEEPING,
    HOUSEKEEPING_SCHEDULE,
    MONTHLY_RESET,
    MONTHLY_RESET_SCHEDULE,
    SWEEP_SCHEDULE,
)
from domain.core.period import Period, period_of
from domain.privacy.contracts import HousekeepingInput, HousekeepingResult
from domain.runs.contracts import SweepInput
from domain.tenants.client import Plan
from store.billing.tables import usage_counters
from store.billing.usage_periods import Drift, drifting
from store.core.database import Database
from store.core.tables import error_reports
from store.intake.tables import idempotency_keys
from store.tenants.accounts import AccountRepository
from store.tenants.tables import clients
from tests.support.core.engine import LiveEngine
from tests.support.core.rows import only_row, row_counts, rows
from tests.support.core.schedules import fire
from tests.support.intake.admission import admit_event
from tests.support.tenants.shop import Shop, open_shop
from workflows import options

pytestmark = pytest.mark.own_database


async def _reset_of(engine: LiveEngine, at: datetime) -> MonthlyResetResult:
    """Fire the schedule for the first day of a month, long afterwards."""
    await ensure_monthly_reset_schedule(engine.client)
    workflow_id = await fire(engine.client, MONTHLY_RESET_SCHEDULE, at)
    handle = engine.client.get_workflow_handle(workflow_id, result_type=MonthlyResetResult)
    result: MonthlyResetResult = await handle.result()
    return result


@pytest.mark.parametrize(
    ("at", "period"),
    [
        (datetime(2025, 1, 1, tzinfo=UTC), "2025-01"),  # December to January
        (datetime(2024, 3, 1, tzinfo=UTC), "2024-03"),  # the day after 29 February
    ],
)
async def test_a_late_reset_is_for_the_month_it_was_meant_for(
    engine: LiveEngine, shop: Shop, at: datetime, period: str
) -> None:
    result = await _reset_of(engine, at)

    assert result == MonthlyResetResult(period=period, opened=1, changed=0, drifting=0)
    counter = await only_row(engine.database, usage_counters)
    assert (counter["period"], counter["tickets_used"]) == (period, 0)


async def test_a_doubled_reset_changes_nothing_more(engine: LiveEngine, shop: Shop) -> None:
    await admit_event(engine.database, shop)
    for number in range(2):
        result = await engine.client.execute_workflow(
            MONTHLY_RESET,
            MonthlyResetInput(at=utc_now()),
            id=f"doubled-{number}",
            task_queue=ENGINE_QUEUE,
            result_type=MonthlyResetResult,
        )
        counter = await only_row(engine.database, usage_counters)

        assert counter["tickets_used"] == 1, "what was used this month stays used"
        assert (result.opened, result.drifting) == (0, 0)


async def test_the_reset_makes_the_changes_of_plan_that_are_due(engine: LiveEngine) -> None:
    at = datetime(2025, 1, 1, tzinfo=UTC)
    due, later = await open_shop(engine.database), await open_shop(engine.database)
    await _downgrade(engine.database, due, at)
    await _downgrade(engine.database, later, at + timedelta(days=31))

    result = await _reset_of(engine, at)

    assert result.changed == 1
    plans = {row["id"]: row for row in await rows(engine.database, clients)}
    assert (plans[due.client_id]["plan"], plans[due.client_id]["next_plan"]) == ("free", None)
    assert (plans[later.client_id]["plan"], plans[later.client_id]["next_plan"]) == ("pro", "free")


async def test_many_clients_are_opened_page_by_page(engine: LiveEngine, shop: Shop) -> None:
    count = sa.text("""
        INSERT INTO clients (id, owner_user_id, brand_name, plan, created_at)
        SELECT 'C' || number, :owner, 'b', 'free', now() FROM generate_series(1, 1200) AS number
    """)
    async with engine.database.service() as connection:
        await connection.execute(count, {"owner": shop.owner_user_id})

    assert (await _reset_of(engine, datetime(2025, 1, 1, tzinfo=UTC))).opened == 1201
    assert (await row_counts(engine.database))["usage_counters"] == 1201


async def test_what_does_not_add_up_is_found(engine: LiveEngine) -> None:
    honest, wrong = await open_shop(engine.database), await open_shop(engine.database)
    for shop in (honest, wrong):
        await admit_event(engine.database, shop)
    async with engine.database.service() as connection:
        await connection.execute(
            sa.update(usage_counters)
            .where(usage_counters.c.client_id == wrong.client_id)
            .values(tickets_used=7)
        )

    with capture_logs() as lines:
        result = await _housekeeping(engine)

    assert result.drifting == 1
    told = [line for line in lines if line["event"] == "usage totals do not match"]
    assert [(line["client_id"], line["counted"], line["in_ledger"]) for line in told] == [
        (wrong.client_id, 7, 1)
    ]


async def test_housekeeping_prunes_what_has_lapsed(engine: LiveEngine, shop: Shop) -> None:
    now = utc_now()
    async with engine.database.service() as connection:
        for name, age in (("old", timedelta(hours=25)), ("new", timedelta(hours=23))):
            await connection.execute(
                sa.insert(idempotency_keys).values(
                    client_id=shop.client_id, key=name, body_digest=b"", event_id="e",
                    created_at=now - age,
                )
            )  # fmt: skip
            await connection.execute(
                sa.insert(error_reports).values(
                    id=new_ulid(), place=name, code="c", created_at=now - age * 30
                )
            )

    assert (await _housekeeping(engine)).pruned == 2

    assert (await only_row(engine.database, idempotency_keys))["key"] == "new"
    assert (await only_row(engine.database, error_reports))["place"] == "new"


async def test_schedules_are_made_once_and_kept(engine: LiveEngine) -> None:
    for _ in range(2):
        await ensure_monthly_reset_schedule(engine.client)
        await ensure_housekeeping_schedule(engine.client)

    monthly = await engine.client.get_schedule_handle(MONTHLY_RESET_SCHEDULE).describe()
    nightly = await engine.client.get_schedule_handle(HOUSEKEEPING_SCHEDULE).describe()
    first_of_months = monthly.info.next_action_times[:3]
    assert all((t.day, t.hour, t.minute, t.second) == (1, 0, 0, 0) for t in first_of_months)
    assert len({period_of(t) for t in first_of_months}) == 3
    assert all((t.hour, t.minute) == (0, 30) for t in nightly.info.next_action_times)


async def test_comparing_goes_on_where_it_broke_off(
    engine: LiveEngine, monkeypatch: pytest.MonkeyPatch
) -> None:
    shops = [await open_shop(engine.database) for _ in range(45)]
    async with engine.database.service() as connection:
        first = min(shop.client_id for shop in shops)
        await connection.execute(
            sa.insert(usage_counters).values(
                client_id=first, period=period_of(utc_now()), tickets_used=7
            )
        )
    asked: list[list[str]] = []

    async def break_off_once(
        connection: AsyncConnection, client_ids: list[str], period: Period
    ) -> list[Drift]:
        asked.append(client_ids)
        if len(asked) == 3:
            raise OSError("the worker ended")
        return await drifting(connection, client_ids, period)

    monkeypatch.setattr(usage_periods, "drifting", break_off_once)
    result = await _housekeeping(engine)

    assert [len(page) for page in asked] == [20, 20, 5, 5]
    assert asked[2] == asked[3]
    assert result.drifting == 1, "what the first try found is not forgotten"


async def test_what_has_lapsed_is_pruned_though_comparing_fails(
    engine: LiveEngine, shop: Shop, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def fail(*_: object) -> list[Drift]:
        raise InvalidInput("it cannot be compared")

    monkeypatch.setattr(usage_periods, "drifting", fail)
    async with engine.database.service() as connection:
        await connection.execute(
            sa.insert(error_reports).values(
                id=new_ulid(), place="p", code="c", created_at=utc_now() - timedelta(days=31)
            )
        )

    with pytest.raises(WorkflowFailureError):
        await _housekeeping(engine)

    assert (await row_counts(engine.database))["error_reports"] == 0


async def test_schedules_give_up_in_time_for_the_next(engine: LiveEngine) -> None:
    """A run that cannot end would block all later ones."""
    await ensure_monthly_reset_schedule(engine.client)
    await ensure_housekeeping_schedule(engine.client)

    for schedule_id in (MONTHLY_RESET_SCHEDULE, HOUSEKEEPING_SCHEDULE):
        schedule = (await engine.client.get_schedule_handle(schedule_id).describe()).schedule
        assert isinstance(schedule.action, ScheduleActionStartWorkflow)
        timeout = schedule.action.execution_timeout
        assert timeout is not None
        assert timedelta(hours=1) <= timeout < timedelta(days=1)
    retried = options.HOUSEKEEPING["retry_policy"]
    assert retried is not None
    assert retried.maximum_attempts > 0


async def test_paused_schedules_stay_paused(engine: LiveEngine) -> None:
    async def ensure_all(sweep_every_s: float) -> None:
        await ensure_monthly_reset_schedule(engine.client)
        await ensure_housekeeping_schedule(engine.client)
        await ensure_sweep_schedule(engine.client, SweepInput(older_than_s=0), sweep_every_s)

    await ensure_all(3600)
    handles = [
        engine.client.get_schedule_handle(schedule_id)
        for schedule_id in (MONTHLY_RESET_SCHEDULE, HOUSEKEEPING_SCHEDULE, SWEEP_SCHEDULE)
    ]
    for handle in handles:
        await handle.pause(note="not this week")

    await ensure_all(1800)

    told = [(await handle.describe()).schedule for handle in handles]
    assert [(t.state.paused, t.state.note) for t in told] == [(True, "not this week")] * 3
    assert told[2].spec.intervals[0].every == timedelta(seconds=1800), "the rest is brought up"


async def _housekeeping(engine: LiveEngine) -> HousekeepingResult:
    result: HousekeepingResult = await engine.client.execute_workflow(
        HOUSEKEEPING,
        HousekeepingInput(),
        id=new_ulid(),
        task_queue=ENGINE_QUEUE,
        result_type=HousekeepingResult,
    )
    return result


async def _downgrade(database: Database, shop: Shop, at: datetime) -> None:
    async with database.tenant(shop.tenant) as connection:
        await AccountRepository(connection, shop.tenant).save(
            Subscription(Plan.PRO, next_plan=Plan.FREE, next_plan_from=at)
        )
