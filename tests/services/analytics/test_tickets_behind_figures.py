"""A figure of insight counts exactly the tickets in its list."""

import random
from collections import Counter
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, replace
from datetime import UTC, date, datetime, timedelta
from typing import Any, Final

import pytest
import sqlalchemy as sa

from adapters.system import new_ulid, utc_now
from domain.analytics.insight import Insight, SliceFigures
from domain.analytics.metrics import days_of
from domain.core.money import Money
from domain.runs.ticket_outcome import TicketOutcome
from domain.tenants.actor import Actor
from domain.tenants.business_hours import (
    BusinessCalendar,
    BusinessHours,
    Weekday,
    calendar_of,
    parse_day,
)
from services.analytics.insight import read_insight
from services.tenants.business_hours import set_business_hours
from store.analytics.day_counts import count_day
from store.analytics.metrics import keep_day
from store.core.database import Database
from store.ratings.tables import ratings
from store.runs import run_lists
from store.runs.run_lists import RunFilter, RunLists
from store.runs.tables import action_ledger, engine_runs
from tests.support.analytics.days import Said, conversation, past_event
from tests.support.core.units import units_on
from tests.support.tenants.shop import Shop, open_shop

NOON: Final = datetime(2026, 3, 2, 12, tzinfo=UTC)
FIRST: Final = NOON.date()
LAST: Final = FIRST + timedelta(days=3)
PERIOD: Final = RunFilter(first=FIRST, last=LAST)
READER: Final = Actor.operator("operator:tests")
HOURS: Final = BusinessHours(
    week={day: parse_day("09:00-12:00, 13:00-17:00") for day in list(Weekday)[:5]},
    target_minutes=240,
)


@dataclass(frozen=True, slots=True)
class Refund:
    minor: int
    currency: str
    state: str = "done"


async def refund(database: Database, shop: Shop, event_id: str, refunds: list[Refund]) -> None:
    async with database.tenant(shop.tenant) as connection:
        run_id = await connection.scalar(
            sa.select(engine_runs.c.id).where(engine_runs.c.event_id == event_id)
        )
        for step, one in enumerate(refunds):
            await connection.execute(
                sa.insert(action_ledger).values(
                    client_id=shop.client_id, id=new_ulid(), run_id=run_id, step=step, round=0,
                    action="refund", state=one.state, detail="", order_key="o",
                    amount=one.minor, currency=one.currency, planned_at=NOON,
                )
            )  # fmt: skip


async def rate(database: Database, shop: Shop, event_id: str, score: int, at: datetime) -> None:
    async with database.tenant(shop.tenant) as connection:
        run = sa.select(
            engine_runs.c.client_id, engine_runs.c.id, sa.literal(new_ulid()),
            sa.literal(score), sa.literal("mail"), sa.literal(at),
        )  # fmt: skip
        await connection.execute(
            sa.insert(ratings).from_select(
                ["client_id", "run_id", "id", "score", "channel", "created_at"],
                run.where(engine_runs.c.event_id == event_id),
            )
        )


async def lived(database: Database, shop: Shop, seed: int, count: int = 40) -> None:
    """Random tickets in the period and on days around it, and their metrics."""
    async with units_on(database).of(shop.tenant) as work:
        await set_business_hours(work, READER, HOURS)
    chance = random.Random(seed)
    talks = [await conversation(database, shop, NOON) for _ in range(12)]
    for number in range(count):
        at = NOON + timedelta(days=chance.randrange(-3, 6), minutes=number)
        status = chance.choice(["completed"] * 5 + ["needs_review", "failed", "received"])
        event_id = await past_event(
            database, shop, at, status=status,
            reviews=chance.choice([(), (), (), ("approved",), ("edited", "pending")]),
            customer=chance.choice(["a@b.example", "c@d.example", None]),
            duration_ms=chance.choice([None, 80, 900, 40_000]),
            classification=chance.choice(["order_status", "complaint", None]),
            response=chance.choice(["Hello.", "Hello.", ""]),
            replied_after=chance.choice([None, timedelta(minutes=20), timedelta(hours=30)]),
            joined_review=new_ulid() if chance.random() < 0.1 else None,
            said=Said(
                conversation_id=chance.choice(talks),
                channel=chance.choice(["email", "widget", None]),
            ),
        )  # fmt: skip
        if chance.random() < 0.4:
            refunds = [
                Refund(chance.randrange(1, 9_000), chance.choice(["EUR", "USD"]), state)
                for state in chance.choice([["done"], ["done", "done"], ["failed"], ["unknown"]])
            ]
            await refund(database, shop, event_id, refunds)
        if chance.random() < 0.6:
            rated_at = at + timedelta(days=chance.randrange(5))
            await rate(database, shop, event_id, chance.randrange(1, 6), rated_at)
    await compute(database, shop)


async def compute(database: Database, shop: Shop) -> None:
    async with database.service() as connection:
        for day in days_of(FIRST, LAST):
            found = await count_day(connection, [shop.client_id], day, utc_now())
            await keep_day(connection, found, day, utc_now())


async def insight(database: Database, shop: Shop) -> Insight:
    async with database.reading(shop.tenant) as connection:
        return await read_insight(connection, shop.tenant, READER, (FIRST, LAST), compare=False)


@asynccontextmanager
async def lists(database: Database, shop: Shop) -> AsyncIterator[RunLists]:
    async with database.reading(shop.tenant) as connection:
        yield RunLists(connection, shop.tenant)


async def listed(found: RunLists, wanted: RunFilter) -> list[str]:
    """Return the ids of all runs in a list over all pages; the list's count must match."""
    ids: list[str] = []
    cursor = None
    while True:
        page, cursor = await found.page(wanted, limit=7, before=cursor)
        ids += [run.run_id for run in page]
        if cursor is None:
            break
    count = await found.count(wanted)
    assert (count.count, count.is_partial) == (len(ids), False)
    assert ids == sorted(set(ids), reverse=True)
    return ids


@pytest.mark.parametrize("seed", [1, 2])
async def test_a_figure_counts_the_tickets_of_its_list(database: Database, seed: int) -> None:
    shop, other = await open_shop(database), await open_shop(database)
    await lived(database, shop, seed)
    await lived(database, other, seed + 10)

    found = await insight(database, shop)

    figures = found.period.figures
    expected = {
        TicketOutcome.ASKED: figures.asked,
        TicketOutcome.RESOLVED: figures.resolved,
        TicketOutcome.AUTOMATED: figures.resolved_alone,
        TicketOutcome.WITH_TEAM: figures.resolved_with_people,
        TicketOutcome.OPEN: figures.asked - figures.resolved,
        TicketOutcome.ESCALATED: figures.escalated,
        TicketOutcome.DURABLE: figures.durable,
        TicketOutcome.REOPENED: figures.reopened,
        TicketOutcome.ANSWERED: figures.answered,
        TicketOutcome.IN_TARGET: figures.in_target,
        TicketOutcome.LATE: figures.targeted - figures.in_target,
        TicketOutcome.REFUNDED: figures.refunds,
        TicketOutcome.RATED: figures.rated,
        TicketOutcome.SATISFIED: figures.satisfied,
    }
    assert found.period.undetailed == 0
    async with lists(database, shop) as of_shop:
        for outcome, count in expected.items():
            ids = await listed(of_shop, replace(PERIOD, outcome=outcome))
            assert (len(ids), outcome) == (count, outcome)
        assert len(await listed(of_shop, PERIOD)) == figures.runs
    assert figures.refunds
    assert figures.answered == figures.targeted > figures.in_target > 0
    assert figures.rated > figures.satisfied


@pytest.mark.parametrize("seed", [3])
async def test_the_parts_of_a_breakdown_are_those_of_their_lists(
    database: Database, seed: int
) -> None:
    shop = await open_shop(database)
    await lived(database, shop, seed)

    found = await insight(database, shop)

    async with lists(database, shop) as of_shop:
        for name, parts in (
            ("channel", found.by_channel),
            ("classification", found.by_class),
            ("playbook_id", found.by_playbook),
        ):
            assert parts
            for part in parts:
                chosen: dict[str, Any] = {name: part.key or "none"}
                wanted = replace(PERIOD, **chosen)
                assert await counted(of_shop, wanted) == figures_of(part), (name, part.key)
            assert sum(part.refunds for part in parts) == found.period.figures.refunds
            assert sum(part.rated for part in parts) == found.period.figures.rated
            sums: Counter[str] = Counter()
            for part in parts:
                sums.update({one.currency: one.minor for one in part.refunded})
            assert sums == {one.currency: one.minor for one in found.period.refunded}


async def counted(of_shop: RunLists, wanted: RunFilter) -> dict[str, int]:
    async def number(outcome: TicketOutcome) -> int:
        return len(await listed(of_shop, replace(wanted, outcome=outcome)))

    return {
        "asked": await number(TicketOutcome.ASKED),
        "resolved_alone": await number(TicketOutcome.AUTOMATED),
        "escalated": await number(TicketOutcome.ESCALATED),
        "answered": await number(TicketOutcome.ANSWERED),
        "in_target": await number(TicketOutcome.IN_TARGET),
        "refunds": await number(TicketOutcome.REFUNDED),
        "rated": await number(TicketOutcome.RATED),
        "satisfied": await number(TicketOutcome.SATISFIED),
    }


def figures_of(part: SliceFigures) -> dict[str, int]:
    return part.model_dump(
        include={
            "asked", "resolved_alone", "escalated", "answered", "in_target", "refunds", "rated",
            "satisfied",
        }
    )  # fmt: skip


async def test_money_times_and_ratings_of_a_topic(database: Database) -> None:
    shop = await open_shop(database)
    for number, duration_ms in enumerate((100, 1_000, 50_000)):
        at = NOON + timedelta(minutes=number)
        event_id = await past_event(database, shop, at, duration_ms=duration_ms)
        failed = Refund(9, "EUR", "failed")
        done = [Refund(1_000, "EUR"), Refund(500, "EUR"), Refund(300, "USD")]
        await refund(database, shop, event_id, [*done, failed])
        await rate(database, shop, event_id, 5 - 2 * number, at + timedelta(days=1))
    await compute(database, shop)

    found = await insight(database, shop)

    (topic,) = found.by_class
    money = (Money(minor=4_500, currency="EUR"), Money(minor=900, currency="USD"))
    assert (found.period.refunded, topic.refunded, topic.refunds) == (money, money, 3)
    assert (topic.rated, topic.satisfied, topic.satisfied_share) == (3, 1, 1 / 3)
    assert topic.latency_p50_ms == pytest.approx(1_000, rel=0.076)
    assert found.period.figures.hours_saved == pytest.approx(0.3)


async def test_a_rating_of_an_older_ticket_is_listed_on_its_own_day(database: Database) -> None:
    shop = await open_shop(database)
    event_id = await past_event(database, shop, NOON - timedelta(days=40))
    await rate(database, shop, event_id, 4, NOON)
    await compute(database, shop)

    found = await insight(database, shop)

    (topic,) = found.by_class
    assert (topic.asked, topic.rated, topic.followed) == (0, 1, 0)
    async with lists(database, shop) as of_shop:
        assert len(await listed(of_shop, replace(PERIOD, outcome=TicketOutcome.SATISFIED))) == 1
        assert await listed(of_shop, PERIOD) == []


async def test_a_client_without_tickets(database: Database) -> None:
    shop, other = await open_shop(database), await open_shop(database)
    await lived(database, other, 5, 6)
    await compute(database, shop)

    found = await insight(database, shop)

    assert (found.by_class, found.by_channel, found.by_playbook) == ((), (), ())
    assert (found.period.refunded, found.period.figures.hours_saved) == ((), 0)
    async with lists(database, shop) as of_shop:
        for outcome in TicketOutcome:
            assert await listed(of_shop, replace(PERIOD, outcome=outcome)) == []


async def test_a_page_of_a_rare_outcome_continues_after_the_examined_runs(
    database: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("store.runs.run_lists.LOOKED_THROUGH", 3)
    shop = await open_shop(database)
    for number in range(8):
        await past_event(
            database, shop, NOON + timedelta(minutes=number),
            reviews=["approved"] if number == 0 else [],
        )  # fmt: skip

    async with lists(database, shop) as of_shop:
        wanted = RunFilter(outcome=TicketOutcome.ESCALATED)
        first, cursor = await of_shop.page(wanted, limit=2)
        rare = await listed(of_shop, wanted)

    assert (first, cursor is not None, len(rare)) == ([], True, 1)


async def test_the_calendar_does_not_depend_on_the_first_day(
    database: Database, shop: Shop, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A list since 1970 built a calendar of 83,000 openings, twice for each page."""
    await lived(database, shop, seed=1)
    built: list[tuple[datetime, datetime]] = []

    def noted(hours: BusinessHours, first: datetime, last: datetime) -> BusinessCalendar:
        built.append((first, last))
        return calendar_of(hours, first, last)

    monkeypatch.setattr(run_lists, "calendar_of", noted)
    for outcome in (TicketOutcome.LATE, TicketOutcome.IN_TARGET):
        lengths = []
        for first in (date(1970, 1, 2), None, FIRST - timedelta(days=30)):
            async with lists(database, shop) as found:
                wanted = RunFilter(outcome=outcome, first=first)
                page, _ = await found.page(wanted, limit=50)
                lengths.append((len(page), (await found.count(wanted)).count))
        assert lengths[0][0] > 0
        assert len({*lengths}) == 1
    assert len(built) == 6
    assert min(first for first, _ in built) > NOON - timedelta(days=4)
