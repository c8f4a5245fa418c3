"""The counts of a day, compared with hand-made days."""

from collections.abc import Sequence
from datetime import UTC, date, datetime, timedelta
from typing import Any

import pytest
import sqlalchemy as sa

from adapters.system import utc_now
from domain.analytics.metrics import Breakdown, DayCounts, DayInsight, DayMetrics, Slice
from store.analytics.day_counts import ClientDay, count_day
from store.analytics.metrics import MetricsRepository, keep_day
from store.analytics.tables import metrics_daily
from store.core.database import Database
from store.intake.tables import engine_events
from store.reviews.tables import escalation_tickets
from store.runs.tables import engine_messages
from store.tenants.tables import clients
from tests.support.analytics.days import past_event
from tests.support.core.rows import only_row, owned, rows
from tests.support.tenants.shop import Shop, open_shop

DAY = date(2026, 3, 29)  # on which Europe changes its clocks: a UTC day still has 24 hours
NOON = datetime(2026, 3, 29, 12, tzinfo=UTC)
MOMENT = timedelta(milliseconds=1)


async def counted(database: Database, shop: Shop, day: date = DAY) -> DayCounts:
    async with database.service() as connection:
        (found,) = await count_day(connection, [shop.client_id], day, utc_now())
    assert found.client_id == shop.client_id
    return found.counts


async def kept(
    database: Database, shops: Sequence[Shop], day: date = DAY, now: datetime | None = None
) -> int:
    async with database.service() as connection:
        found = await count_day(
            connection, [shop.client_id for shop in shops], day, now or utc_now()
        )
        return await keep_day(connection, found, day, now or utc_now())


@pytest.fixture
async def shop(database: Database) -> Shop:
    """A shop that was created long ago."""
    shop = await open_shop(database)
    async with database.service() as connection:
        await connection.execute(
            sa.update(clients)
            .where(clients.c.id == shop.client_id)
            .values(created_at=datetime(2024, 1, 1, tzinfo=UTC))
        )
    return shop


async def test_a_whole_day(database: Database, shop: Shop) -> None:
    minute = timedelta(minutes=1)
    made: list[dict[str, Any]] = [
        {"duration_ms": 100, "mood": 0.5, "replied_after": minute},
        {"duration_ms": 200, "mood": -1.0, "customer": "c@d.example", "replied_after": minute},
        {"duration_ms": 300, "reviews": ["approved"], "replied_after": timedelta(days=2)},
        {"duration_ms": 400, "reviews": ["edited", "expired"]},
        {"duration_ms": 1000, "status": "needs_review", "reviews": ["pending"]},
        {"duration_ms": None, "status": "needs_review", "reviews": ["rejected"], "customer": None},
        {"duration_ms": None, "status": "failed"},
        {"duration_ms": None, "status": "received"},
        {"status": None, "mood": 0.2},
    ]
    for number, event in enumerate(made):
        await past_event(database, shop, NOON + number * MOMENT, **event)
    await past_event(database, await open_shop(database), NOON, mood=0.9)

    part: dict[str, Any] = {
        "asked": 8, "resolved": 4, "resolved_alone": 2, "escalated": 4, "reopened": 3, "durable": 1,
        "latencies": {"94": 1, "109": 1, "115": 1, "121": 1, "142": 1},
    }  # fmt: skip
    assert await counted(database, shop) == DayCounts(
        events=9, runs=8, completed=4, needs_review=2, failed=1, no_playbook=1,
        escalated=4, reviewed=3, asked=8, handled=7, resolved=4, resolved_alone=2,
        reopened=3, durable=1, escalations={"low_confidence": 4},
        messages_in=9, messages_out=2, customers=2,
        latency_p50_ms=300, latency_p95_ms=880,
        latencies={"94": 1, "108": 1, "116": 1, "122": 1, "141": 1},
        sentiment_mean=-0.1, sentiment_count=3, rated=0, satisfied=0, rating_mean=None,
        cost_micros=0, breakdown=Breakdown(
            by_class=(Slice(key="order_status", **part),),
            by_playbook=(Slice(key=shop.playbook_id, **part),),
            by_channel=(Slice(key="", **part),),
            is_detailed=True,
        ),
    )  # fmt: skip
    later = await counted(database, shop, DAY + timedelta(days=2))
    assert (later.messages_in, later.messages_out, later.events) == (0, 1, 0)


async def test_automatic_mails_do_not_raise_the_resolution_rate(
    database: Database, shop: Shop
) -> None:
    """Nothing was answered or executed: they are neither resolved nor counted."""
    made: list[dict[str, Any]] = [
        {"response": "Hello."}, {"status": "needs_review", "reviews": ["pending"]},
        {"response": ""}, {"response": ""},
        {"response": "", "plan": [{"kind": "add_tags"}]}, {"response": "", "reviews": ["approved"]},
        {"response": "", "joined_review": "01ARZ3NDEKTSV4RRFFQ69G5FAV"}, {"status": "failed"},
    ]  # fmt: skip
    for number, event in enumerate(made):
        await past_event(database, shop, NOON + number * MOMENT, **event)
    counts = await counted(database, shop)
    assert (counts.runs, counts.completed, counts.asked) == (8, 6, 5)
    assert (counts.resolved, counts.resolved_alone) == (3, 2)

    await kept(database, [shop])
    row = await only_row(database, metrics_daily, of=shop)
    assert row["resolution_rate"] == pytest.approx(3 / 5)


@pytest.mark.parametrize(
    ("at", "day"),
    [
        (datetime(2026, 3, 28, 23, 59, 59, 999000, tzinfo=UTC), date(2026, 3, 28)),
        (datetime(2026, 3, 29, 0, 0, tzinfo=UTC), date(2026, 3, 29)),
        (datetime(2026, 3, 29, 23, 59, 59, 999000, tzinfo=UTC), date(2026, 3, 29)),
        (datetime(2026, 3, 30, 0, 0, tzinfo=UTC), date(2026, 3, 30)),
        (datetime(2026, 2, 28, 23, 59, 59, 999000, tzinfo=UTC), date(2026, 2, 28)),
        (datetime(2024, 2, 29, 0, 0, tzinfo=UTC), date(2024, 2, 29)),
        (datetime(2025, 12, 31, 23, 59, 59, 999000, tzinfo=UTC), date(2025, 12, 31)),
    ],
)
async def test_each_moment_belongs_to_one_day(
    database: Database, shop: Shop, at: datetime, day: date
) -> None:
    await past_event(database, shop, at, mood=0.1)

    for offset in (-1, 0, 1):
        found = await counted(database, shop, day + timedelta(days=offset))
        expected = (1, 1, 1, 1) if offset == 0 else (0, 0, 0, 0)
        assert (found.events, found.runs, found.messages_in, found.sentiment_count) == expected


async def test_what_waited_behind_a_lock_at_midnight_is_found(
    database: Database, shop: Shop
) -> None:
    """The message and the sentiment are written later than their ids are created."""
    before = datetime(2026, 3, 28, 23, 59, 59, tzinfo=UTC)
    event_id = await past_event(database, shop, before, mood=0.1)
    for table, column in (("engine_messages", "event_id"), ("sentiment_logs", "event_id")):
        async with database.service() as connection:
            await connection.execute(
                sa.text(f"UPDATE {table} SET created_at = :at WHERE {column} = :id"),  # noqa: S608
                {"at": before + timedelta(seconds=2), "id": event_id},
            )

    found = await counted(database, shop)

    assert (found.events, found.messages_in, found.sentiment_count) == (0, 1, 1)


async def test_an_idle_day_has_a_row_of_zeros(database: Database, shop: Shop) -> None:
    assert await kept(database, [shop]) == 1

    row = await only_row(database, metrics_daily, of=shop)
    assert {row[c.name] for c in metrics_daily.columns if isinstance(c.type, sa.Integer)} == {0}
    for name in ("latency_p50_ms", "sentiment_mean", "resolution_rate", "review_rate"):
        assert row[name] is None


@pytest.mark.own_database
async def test_days_of_whom_there_was_not_and_of_whom_is_erased(
    database: Database, shop: Shop
) -> None:
    newer, imported, closed = [await open_shop(database) for _ in range(3)]
    await past_event(database, imported, NOON)
    await past_event(database, closed, NOON)
    async with database.service() as connection:
        await connection.execute(
            sa.update(clients).where(clients.c.id == closed.client_id).values(closed_at=NOON)
        )

    await kept(database, [shop, newer, imported, closed])

    days = {row["client_id"] for row in await rows(database, metrics_daily)}
    assert days == {shop.client_id, imported.client_id}


async def test_whoever_is_closed_between_counting_and_keeping_gets_no_row(
    database: Database, shop: Shop
) -> None:
    async with database.service() as connection:
        found = await count_day(connection, [shop.client_id], DAY, utc_now())
        await connection.execute(
            sa.update(clients).where(owned(clients, shop)).values(closed_at=NOON)
        )
        assert await keep_day(connection, found, DAY, NOON) == 0


async def test_a_late_decision_changes_the_day_of_the_run(database: Database, shop: Shop) -> None:
    await past_event(database, shop, NOON, status="needs_review", reviews=["pending"])
    first, second = NOON + timedelta(days=1), NOON + timedelta(days=4)
    assert await kept(database, [shop], now=first) == 1
    assert (await only_row(database, metrics_daily, of=shop))["review_rate"] == 0

    assert await kept(database, [shop], now=second) == 0, "nothing has changed"
    assert (await only_row(database, metrics_daily, of=shop))["computed_at"] == first
    async with database.service() as connection:
        await connection.execute(
            sa.update(escalation_tickets)
            .where(escalation_tickets.c.client_id == shop.client_id)
            .values(status="approved")
        )
    assert await kept(database, [shop], now=second) == 1

    row = await only_row(database, metrics_daily, of=shop)
    assert (row["review_rate"], row["reviewed"], row["computed_at"]) == (1, 1, second)


async def test_what_is_kept_is_what_is_shown(database: Database, shop: Shop) -> None:
    await past_event(database, shop, NOON, mood=-1 / 3)
    other = await open_shop(database)
    for day in (DAY, DAY + timedelta(days=1), DAY + timedelta(days=2)):
        await kept(database, [shop], day, NOON)
    async with database.service() as connection:
        await connection.execute(
            sa.update(clients)
            .where(clients.c.id == other.client_id)
            .values(created_at=datetime(2024, 1, 1, tzinfo=UTC))
        )
    await kept(database, [other], DAY)

    async with database.tenant(shop.tenant) as connection:
        days = MetricsRepository(connection, shop.tenant)
        found = await days.between(DAY, DAY + timedelta(days=1))
        nothing = await days.between(DAY + timedelta(days=1), DAY)
        (insight,) = await days.insight(DAY, DAY)

    assert [day.day for day in found] == [DAY, DAY + timedelta(days=1)]
    assert nothing == []
    row = await only_row(database, metrics_daily, client_id=shop.client_id, day=DAY)
    assert set(DayInsight.model_fields) == set(row) - {"client_id"}
    assert insight == DayInsight(**{name: row[name] for name in DayInsight.model_fields})
    assert found[0] == DayMetrics(**insight.model_dump(include=set(DayMetrics.model_fields)))
    assert (found[0].sentiment_mean, found[0].resolution_rate) == (-0.333333, 1)


async def test_settings_of_retention_come_with_the_day(database: Database, shop: Shop) -> None:
    async def found() -> ClientDay:
        async with database.service() as connection:
            (one,) = await count_day(connection, [shop.client_id], DAY, utc_now())
        return one

    assert (await found()).retention == {}
    async with database.service() as connection:
        await connection.execute(
            sa.text("INSERT INTO client_settings (client_id, retention, updated_at) "
                    "VALUES (:id, CAST(:kept AS jsonb), now())"),
            {"id": shop.client_id, "kept": '{"conversations": 90}'},
        )  # fmt: skip
    assert (await found()).retention == {"conversations": 90}


async def test_a_day_of_which_records_have_gone_stays_as_it_was(
    database: Database, shop: Shop
) -> None:
    """Retention deleted them, and the client has since chosen to keep records forever."""
    for number in range(2):
        await past_event(database, shop, NOON + number * MOMENT, status=None)
    assert await kept(database, [shop]) == 1
    before = await only_row(database, metrics_daily, of=shop)
    async with database.service() as connection:
        for table in (engine_messages, engine_events):
            await connection.execute(sa.delete(table).where(owned(table, shop)))

    assert await kept(database, [shop]) == 0

    assert await only_row(database, metrics_daily, of=shop) == before
