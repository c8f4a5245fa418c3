"""Daily counts, compared with the same history counted in Python: run by run, from the definitions
instead of the SQL."""

import random
from collections import Counter
from dataclasses import dataclass
from datetime import UTC, date, datetime, timedelta

import pytest
import sqlalchemy as sa

from adapters.system import new_ulid, utc_now
from domain.analytics.metrics import DayCounts, Slice
from store.analytics.day_counts import count_day
from store.core.database import Database
from store.ratings.tables import ratings
from store.runs.tables import engine_runs
from tests.support.analytics.days import Said, conversation, past_event
from tests.support.tenants.shop import Shop, open_shop

MONDAY = date(2026, 3, 30)
NOON = datetime(2026, 3, 30, 12, tzinfo=UTC)
WEEK = timedelta(days=7)


@dataclass(frozen=True)
class Ticket:
    """A customer's message and its outcome. `talk`: the conversation's number."""

    at: datetime
    customer: str | None
    talk: int
    channel: str
    matter: str | None
    status: str | None
    said: str
    joined: bool
    reviews: tuple[str, ...]
    reason: str
    closed_after: timedelta | None
    cost: int

    @property
    def closed_at(self) -> datetime:
        return self.at + (self.closed_after or timedelta())

    @property
    def is_automatic(self) -> bool:
        return self.status == "completed" and self.said == "" and not self.joined

    @property
    def asks(self) -> bool:
        return self.status is not None and (
            bool(self.reviews) or not (self.joined or self.is_automatic)
        )

    @property
    def is_resolved(self) -> bool:
        return self.asks and self.status == "completed"


def drawn(seed: int) -> list[Ticket]:
    chance = random.Random(seed)
    tickets = []
    for number in range(30):
        status = chance.choice(["completed"] * 6 + ["needs_review", "failed", "received", None])
        reviews = chance.choice([(), (), (), ("approved",), ("edited", "pending"), ("expired",)])
        tickets.append(
            Ticket(
                at=NOON + timedelta(hours=chance.choice([0, 1, 30, 100, 168, 240]), minutes=number),
                customer=chance.choice(["a@b.example", "c@d.example", None]),
                talk=chance.randrange(12),
                channel=chance.choice(["email", "widget"]),
                matter=chance.choice(["order_status", "refund_request", None]),
                status=status,
                said=chance.choice(["Hello.", "Hello.", "Hello.", ""]),
                joined=chance.random() < 0.15,
                reviews=reviews if status else (),
                reason=chance.choice(["low_confidence", "missing_knowledge"]),
                closed_after=chance.choice([None, timedelta(seconds=3), timedelta(hours=70)]),
                cost=chance.randrange(500),
            )
        )
    return tickets


def came_back(ticket: Ticket, all_: list[Ticket]) -> bool:
    later = [
        other
        for other in all_
        if ticket.closed_at < other.at <= ticket.closed_at + WEEK and not other.is_automatic
    ]
    return any(
        other.talk == ticket.talk
        or (
            ticket.customer is not None
            and other.customer == ticket.customer
            and other.status is not None
            and ticket.matter is not None
            and other.matter == ticket.matter
        )
        for other in later
    )


def counted_by_hand(day: date, all_: list[Ticket]) -> dict[str, object]:
    runs = [one for one in all_ if one.at.date() == day and one.status]
    resolved = [one for one in runs if one.is_resolved]
    return {
        "runs": len(runs),
        "asked": sum(one.asks for one in runs),
        "handled": sum(one.asks and one.status != "received" for one in runs),
        "resolved": len(resolved),
        "resolved_alone": sum(not one.reviews for one in resolved),
        "reopened": sum(came_back(one, all_) for one in resolved),
        "durable": sum(not came_back(one, all_) for one in resolved),
        "escalated": sum(bool(one.reviews) for one in runs),
        "escalations": dict(Counter(one.reason for one in runs if one.reviews)),
        "cost_micros": sum(one.cost for one in runs),
    }


async def lived(database: Database, shop: Shop, tickets: list[Ticket]) -> None:
    talks = [await conversation(database, shop, NOON) for _ in range(12)]
    for ticket in tickets:
        said = Said(conversation_id=talks[ticket.talk], channel=ticket.channel)
        await past_event(
            database, shop, ticket.at, status=ticket.status, reviews=ticket.reviews, said=said,
            customer=ticket.customer, classification=ticket.matter, reason=ticket.reason,
            response=ticket.said, cost_micros=ticket.cost,
            joined_review=new_ulid() if ticket.joined else None,
            finished_at=ticket.at + ticket.closed_after if ticket.closed_after else None,
        )  # fmt: skip


async def on(database: Database, shop: Shop, day: date, now: datetime | None = None) -> DayCounts:
    async with database.service() as connection:
        (found,) = await count_day(connection, [shop.client_id], day, now or utc_now())
    return found.counts


@pytest.mark.parametrize("seed", [1, 2, 3])
async def test_every_day_is_as_counted_by_hand(database: Database, seed: int) -> None:
    shop, tickets = await open_shop(database), drawn(seed)
    await lived(database, shop, tickets)

    for number in range(11):
        day = MONDAY + timedelta(days=number)
        expected = counted_by_hand(day, tickets)
        if not any(one.at.date() == day for one in tickets):
            continue
        counts = await on(database, shop, day)
        assert {name: getattr(counts, name) for name in expected} == expected, day
        for parts in (counts.breakdown.by_class, counts.breakdown.by_channel):
            assert _sum(parts, "asked") == counts.asked, "nothing is counted twice"
            assert _sum(parts, "durable") == counts.durable
            assert _sum(parts, "escalated") == counts.escalated


def _sum(parts: tuple[Slice, ...], name: str) -> int:
    return sum(getattr(part, name) for part in parts)


async def test_durable_is_unknown_until_seven_days_after_the_last_closing(
    database: Database,
) -> None:
    shop = await open_shop(database)
    midnight = NOON + timedelta(hours=12)
    await past_event(database, shop, NOON)
    assert (
        await on(database, shop, MONDAY, midnight + WEEK - timedelta(seconds=1))
    ).durable is None
    assert (await on(database, shop, MONDAY, midnight + WEEK)).durable == 1

    late = NOON + timedelta(hours=80)
    await past_event(database, shop, NOON + timedelta(minutes=1), customer=None, finished_at=late)
    assert (await on(database, shop, MONDAY, late + WEEK - timedelta(seconds=1))).durable is None
    assert (await on(database, shop, MONDAY, late + WEEK)).durable == 2


async def test_ratings_belong_to_the_day_on_which_they_were_given(database: Database) -> None:
    shop = await open_shop(database)
    for number, score in enumerate((5, 4, 1)):
        at = NOON + timedelta(minutes=number)
        event_id = await past_event(database, shop, at - timedelta(days=3))
        run = sa.select(engine_runs.c.client_id, engine_runs.c.id, sa.literal(new_ulid()),
                        sa.literal(score), sa.literal("mail"), sa.literal(at))  # fmt: skip
        async with database.tenant(shop.tenant) as connection:
            await connection.execute(
                sa.insert(ratings).from_select(
                    ["client_id", "run_id", "id", "score", "channel", "created_at"],
                    run.where(engine_runs.c.event_id == event_id),
                )
            )

    given = await on(database, shop, MONDAY)
    received = await on(database, shop, MONDAY - timedelta(days=3))

    assert (given.rated, given.satisfied, given.rating_mean) == (3, 2, 3.333333)
    assert (received.runs, received.rated, received.rating_mean) == (3, 0, None)
