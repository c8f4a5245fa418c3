"""The demo shop's history in a real PostgreSQL: written once, for one client, and consistent."""

from collections import Counter, defaultdict
from datetime import UTC, datetime, timedelta
from pathlib import Path

import sqlalchemy as sa

from adapters.system import new_ulid
from demo.history.plan import DAYS, plan_history
from demo.history.topics import SampleOutcome
from demo.history.write import add_history
from demo.orders import RULEBOOK
from demo.seed import REVIEWER_IDS, add_reviewers, seed
from domain.agent.plan import ActionKind
from domain.core.ids import TenantId
from domain.core.period import period_of
from domain.intake.event import Channel
from domain.tenants.actor import Actor
from domain.tenants.client import Role
from services.analytics.insight import read_insight
from services.core.unit_of_work import UnitsOfWork
from store.analytics.open_questions import OpenQuestions
from store.billing.usage_periods import drifting
from store.core.database import Database
from store.metadata import metadata
from store.reviews.tables import escalation_tickets
from store.runs.tables import action_ledger, ai_conversations, engine_messages, engine_runs
from tests.support.core.rows import rows
from tests.support.core.units import Recorder
from tests.support.webhooks.webhooks import SEALER

NOW = datetime(2026, 11, 29, 15, 30, tzinfo=UTC)
OWNER = Actor.person("owner", Role.OWNER)


async def demo_shop(database: Database, folder: Path, engine: Recorder) -> TenantId:
    tenant = TenantId(new_ulid())
    units = UnitsOfWork(database, engine, lambda: NOW, new_ulid)
    async with units.spanning(tenant) as work:
        await seed(work, folder / "orders", SEALER, to=None)
    async with units.spanning(tenant) as work:
        await add_reviewers(work)
    return tenant


async def written(database: Database, tenant: TenantId, engine: Recorder) -> bool:
    units = UnitsOfWork(database, engine, lambda: NOW, new_ulid)
    return await add_history(units, tenant, REVIEWER_IDS)


async def counts(database: Database) -> Counter[tuple[str, str]]:
    """Return the number of each client's rows in each table."""
    found: Counter[tuple[str, str]] = Counter()
    async with database.service() as connection:
        for name, table in metadata.tables.items():
            if "client_id" in table.c:
                query = sa.select(table.c.client_id, sa.func.count()).group_by(table.c.client_id)
                for client_id, number in await connection.execute(query):
                    found[name, client_id] = number
    return found


async def test_written_once_for_its_client_alone(database: Database, tmp_path: Path) -> None:
    engine = Recorder()
    tenant = await demo_shop(database, tmp_path, engine)
    before = await counts(database)
    started = (list(engine.sent), list(engine.begun), list(engine.woken))
    assert await written(database, tenant, engine)
    once = await counts(database)
    assert 300 <= once["ai_conversations", tenant] <= 500
    assert {client_id for (_, client_id), _ in (once - before).items()} == {tenant}
    assert not await written(database, tenant, engine)
    assert await counts(database) == once
    # Nothing is sent: no webhook, no email, no workflow.
    assert (engine.sent, engine.begun, engine.woken) == started
    assert ("webhook_deliveries", tenant) not in once


async def test_the_ledgers_agree_with_the_runs(database: Database, tmp_path: Path) -> None:
    tenant = await demo_shop(database, tmp_path, Recorder())
    await written(database, tenant, Recorder())
    periods = {period_of(NOW), period_of(NOW - timedelta(days=DAYS))}
    async with database.service() as connection:
        for period in periods:
            assert await drifting(connection, [tenant], period) == []
    runs = await rows(database, engine_runs, client_id=tenant)
    events = {run["event_id"] for run in runs}
    charged = await rows(database, metadata.tables["usage_ledger"], client_id=tenant)
    assert {one["event_id"] for one in charged} == events
    counters = await rows(database, metadata.tables["usage_counters"], client_id=tenant)
    assert sum(one["tickets_used"] for one in counters) == len(runs)
    assert all(run["status"] in {"completed", "needs_review"} for run in runs)
    for table, column in ((engine_messages, "created_at"), (engine_runs, "received_at")):
        for row in await rows(database, table, client_id=tenant):
            assert NOW - timedelta(days=DAYS + 1) < row[column] < NOW


async def test_refunds_stay_within_the_policy(database: Database, tmp_path: Path) -> None:
    tenant = await demo_shop(database, tmp_path, Recorder())
    await written(database, tenant, Recorder())
    limits = RULEBOOK.actions[ActionKind.REFUND].limits
    assert limits is not None
    approved = {
        review["run_id"]
        for review in await rows(database, escalation_tickets, client_id=tenant)
        if review["first_approved_by"] not in {None, review["decided_by"]}
    }
    refunds = await rows(database, action_ledger, client_id=tenant, action="refund")
    assert len(refunds) > 20
    by_customer: dict[str, int] = defaultdict(int)
    assert limits.per_action is not None
    assert limits.per_customer is not None
    for one in refunds:
        by_customer[one["customer_key"]] += one["amount"]
        assert one["amount"] <= limits.per_action or one["run_id"] in approved
    assert max(by_customer.values()) <= limits.per_customer
    assert {one["run_id"] for one in refunds} & approved


async def test_every_day_and_every_list_has_figures(database: Database, tmp_path: Path) -> None:
    tenant = await demo_shop(database, tmp_path, Recorder())
    await written(database, tenant, Recorder())
    last = NOW.date() - timedelta(days=1)
    async with database.reading(tenant) as connection:
        for back in range(DAYS):
            day = last - timedelta(days=back)
            figures = (
                await read_insight(connection, tenant, OWNER, (day, day), compare=False)
            ).period.figures
            assert figures.asked > 0, day
        month = await read_insight(
            connection, tenant, OWNER, (last - timedelta(days=DAYS - 1), last), compare=False
        )
        questions = await OpenQuestions(connection, tenant).newest(NOW - timedelta(days=30), 100)
    assert len(questions) > 10
    assert month.churn is not None
    assert len(month.by_channel) == 4
    assert len(month.by_playbook) == 4
    assert len(month.by_class) >= 4
    figures = month.period.figures
    assert 0.6 < (figures.automation_rate or 0) < 0.9
    assert figures.rated > 20
    statuses = Counter(
        one["status"] for one in await rows(database, escalation_tickets, client_id=tenant)
    )
    assert {"pending", "approved", "edited", "rejected", "expired"} <= set(statuses)
    talks = await rows(database, ai_conversations, client_id=tenant)
    assert any(one["closed_at"] for one in talks)
    assert {one["channel"] for one in talks} == {"shop", "email", "widget", "helpdesk"}


def test_the_same_time_yields_the_same_plan() -> None:
    assert plan_history(NOW) == plan_history(NOW)


def test_customers_come_back_and_write_in_both_languages() -> None:
    talks = plan_history(NOW)
    writers = Counter(talk.customer.email for talk in talks if talk.customer)
    assert sum(number > 1 for number in writers.values()) > 40
    assert {talk.language for talk in talks} == {"fr", "en"}
    assert {talk.channel for talk in talks} == set(Channel) - {Channel.API}
    outcomes = {one.outcome for talk in talks for one in talk.exchanges}
    assert outcomes == set(SampleOutcome)


def test_there_are_open_reviews_at_any_hour() -> None:
    for hour in range(0, 24 * 7, 5):
        now = NOW + timedelta(hours=hour)
        talks = plan_history(now)
        waiting = sum(talk.last.outcome is SampleOutcome.WAITING for talk in talks)
        assert 2 <= waiting <= 6
        assert all(one.at < now for talk in talks for one in talk.exchanges)
