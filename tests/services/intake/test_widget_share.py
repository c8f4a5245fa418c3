"""The widget's share of the client's limits is exact, and affects nobody else."""

from datetime import UTC, datetime, timedelta

import pytest
import sqlalchemy as sa

from adapters.system import new_ulid
from domain.intake.errors import ClientRateLimited
from domain.tenants.actor import Actor
from domain.tenants.client import Plan
from domain.widget.errors import SessionUnknown, WidgetShareUsed
from domain.widget.share import WidgetShare
from domain.widget.visit import WidgetVisit
from domain.widget.widget_session import VerifiedBy
from services.core.unit_of_work import UnitsOfWork
from services.intake.admission import Admitted, Repeated, Unmatched, receive_event
from services.intake.entry_limiter import EntryLimiter
from store.billing.tables import usage_ledger
from store.core.database import Database
from store.intake.idempotency import IdempotencyKey
from store.runs.tables import engine_messages
from store.widget.visitor_sessions import WidgetSessionRepository
from tests.support.core.rows import row_counts, rows
from tests.support.core.units import Recorder
from tests.support.intake.admission import (
    arrival,
    at_once,
    on_plan,
    sent_before,
    try_to_admit,
    used_before,
)
from tests.support.tenants.shop import Shop, open_shop

NOON = datetime(2026, 11, 21, 12, tzinfo=UTC)
HOUR = timedelta(hours=1)
CALLERS = 30
REFUSED = WidgetShareUsed.code


def visit(
    hourly: int | None = None, monthly: int | None = None, *, session_id: str | None = None
) -> WidgetVisit:
    return WidgetVisit(session_id or new_ulid(), "fr", WidgetShare(hourly, monthly))


async def visited_before(database: Database, shop: Shop, number: int, at: datetime) -> None:
    """Create this many visitor messages without tickets."""
    there = {row["id"] for row in await rows(database, engine_messages, of=shop)}
    await sent_before(database, shop, number, at=at)
    async with database.service() as connection:
        await connection.execute(
            sa.update(engine_messages)
            .where(engine_messages.c.client_id == shop.client_id)
            .where(engine_messages.c.id.not_in(there))
            .values(widget_session_id=new_ulid())
        )


async def test_of_thirty_at_once_as_many_get_in_as_there_is_room(
    database: Database, shop: Shop
) -> None:
    """Other messages do not use the share, and visitors do not use the rest."""
    await sent_before(database, shop, 20, at=NOON)
    await visited_before(database, shop, 3, NOON - timedelta(minutes=59))

    came = await at_once(
        lambda: try_to_admit(database, shop, now=NOON, visit=visit(hourly=7)), CALLERS
    )

    assert came == {"in": 4, REFUSED: CALLERS - 4}
    with pytest.raises(WidgetShareUsed) as refused:
        await try_to_admit(database, shop, now=NOON, visit=visit(hourly=7))
    assert refused.value.retry_after_s == 60
    await try_to_admit(database, shop, now=NOON)
    await try_to_admit(database, shop, now=NOON, visit=visit(hourly=8))


async def test_the_hour_slides_and_is_a_half_by_itself(database: Database, shop: Shop) -> None:
    await visited_before(database, shop, 100, NOON - HOUR)
    await try_to_admit(database, shop, now=NOON, visit=visit())

    just_before = NOON - timedelta(milliseconds=1)
    with pytest.raises(WidgetShareUsed):
        await try_to_admit(database, shop, now=just_before, visit=visit())
    await sent_before(database, shop, 199, at=NOON)
    with pytest.raises(ClientRateLimited):
        await try_to_admit(database, shop, now=NOON, visit=visit())


async def test_of_thirty_at_once_as_many_get_tickets_as_there_are(database: Database) -> None:
    """Monthly tickets: messages without a playbook, from the previous month or of another client do
    not count."""
    shop = await open_shop(database)
    await on_plan(database, shop, Plan.FREE)
    await used_before(database, shop, 20, NOON)
    await visited_before(database, shop, 30, NOON - 2 * HOUR)
    last_month = NOON - timedelta(days=25)
    for _ in range(2):
        await try_to_admit(database, shop, now=last_month, visit=visit())

    came = await at_once(
        lambda: try_to_admit(database, shop, now=NOON, visit=visit(hourly=200)), CALLERS
    )

    assert came == {"in": 25, REFUSED: CALLERS - 25}, "a half of 50"
    with pytest.raises(WidgetShareUsed) as refused:
        await try_to_admit(database, shop, now=NOON, visit=visit(hourly=200))
    assert refused.value.retry_after_s is None
    await try_to_admit(database, shop, now=NOON)
    await try_to_admit(database, shop, now=NOON, visit=visit(200, 26))
    assert len(await rows(database, usage_ledger, of=shop)) == 2 + 25 + 2


async def test_an_unlimited_plan_has_no_month_but_a_chosen_one(
    database: Database, shop: Shop
) -> None:
    await on_plan(database, shop, Plan.ENTERPRISE)
    await used_before(database, shop, 1_000_000, NOON)
    for _ in range(2):
        await try_to_admit(database, shop, now=NOON, visit=visit())
    with pytest.raises(WidgetShareUsed):
        await try_to_admit(database, shop, now=NOON, visit=visit(monthly=2))


async def test_a_refused_message_leaves_nothing_and_a_repeated_one_is_not_refused(
    database: Database, shop: Shop
) -> None:
    key = IdempotencyKey("key", b"digest")
    await try_to_admit(database, shop, now=NOON, visit=visit(1), idempotency=key)
    before = await row_counts(database, of=shop)

    with pytest.raises(WidgetShareUsed):
        await try_to_admit(database, shop, now=NOON, visit=visit(1))
    repeated = await try_to_admit(database, shop, now=NOON, visit=visit(1), idempotency=key)

    assert isinstance(repeated, Repeated)
    assert await row_counts(database, of=shop) == before


async def test_a_full_share_is_remembered_at_the_door(database: Database, shop: Shop) -> None:
    """A flood of visitors therefore takes no lock. After a change of the share, for a retry, and
    for other callers, the database is checked."""
    entry_limiter = EntryLimiter()
    key = IdempotencyKey("key", b"digest")

    async def receive(
        at: datetime, its: WidgetVisit | None, key: IdempotencyKey | None = None
    ) -> Admitted | Unmatched | Repeated:
        return await receive_event(
            UnitsOfWork(database, Recorder(), lambda: at, new_ulid),
            entry_limiter,
            Actor.system("widget"),
            arrival(now=at, visit=its, idempotency=key),
            tenant=shop.tenant,
            now=lambda: at,
        )

    await receive(NOON, visit(1), key)
    with pytest.raises(WidgetShareUsed):
        await receive(NOON, visit(1))
    event = arrival().event
    known = entry_limiter.known_refusal(shop.tenant, event, lambda: NOON, visit(1).share)
    assert isinstance(known, WidgetShareUsed)
    assert known.retry_after_s == 3600
    assert entry_limiter.known_refusal(shop.tenant, event, lambda: NOON, None) is None
    assert entry_limiter.known_refusal(shop.tenant, event, lambda: NOON, visit(2).share) is None
    assert isinstance(await receive(NOON, visit(1), key), Repeated)
    await receive(NOON, None)
    await receive(NOON, visit(2))
    await receive(NOON + HOUR, visit(2))


@pytest.mark.parametrize("by", VerifiedBy)
async def test_a_session_that_became_anothers_meanwhile(
    database: Database, shop: Shop, by: VerifiedBy
) -> None:
    """It was read before the lock. Changed values are read again."""
    session_id = new_ulid()
    async with database.tenant(shop.tenant) as connection:
        sessions = WidgetSessionRepository(connection, shop.tenant)
        await sessions.open(session_id, "fr", NOON)
        await sessions.verify(session_id, "a@b.example", by, NOON)
    before = await row_counts(database, of=shop)
    share = WidgetShare()

    refused = [
        WidgetVisit(session_id, "fr", share, signed_email="x@b.example"),
        WidgetVisit(session_id, "fr", share, coded_email="x@b.example"),
        WidgetVisit(session_id, "fr", share),
    ]
    for one in refused:
        with pytest.raises(SessionUnknown):
            await try_to_admit(database, shop, now=NOON, visit=one)
    assert await row_counts(database, of=shop) == before

    own = WidgetVisit(session_id, "fr", share, signed_email="a@b.example")
    await try_to_admit(database, shop, now=NOON, visit=own)
