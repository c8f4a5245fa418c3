"""Storage of events in 24 hours: of those without a playbook, and of all events without a plan."""

import secrets
from datetime import UTC, datetime, timedelta

import pytest
import sqlalchemy as sa

from domain.intake.errors import EventRoomUsed, UnprovedShareUsed
from domain.intake.event_room import ROOM, WINDOW
from domain.intake.gateway_limits import PER_CLIENT
from domain.integrations.providers import Provider
from domain.tenants.client import Plan
from services.intake import shares
from services.intake.admission import Admitted, Unmatched
from store.core.database import Database
from store.intake.tables import engine_events
from tests.support.core.rows import owned, row_counts
from tests.support.intake.admission import on_plan, try_to_admit
from tests.support.tenants.shop import Shop, open_shop

NOON = datetime(2026, 11, 21, 12, tzinfo=UTC)
HOUR = timedelta(hours=1)
LARGE = secrets.token_hex(500_000)  # random, so that it cannot be compressed


async def comes(
    database: Database, shop: Shop, at: datetime, *, kind: str = "other", large: str = LARGE
) -> object:
    return await try_to_admit(
        database, shop, now=at, event_type=kind, payload={"large": large}, message="x"
    )


@pytest.fixture
async def mail_shop(database: Database) -> Shop:
    return await open_shop(database, event_type="email.*")


def test_without_the_room_a_day_would_bring_gigabytes() -> None:
    """At the gateway's limits for messages and bodies."""
    a_day = PER_CLIENT.messages * (WINDOW // PER_CLIENT.window) * 1024 * 1024

    assert a_day > 70 * ROOM


async def test_what_no_playbook_wants_has_a_room(
    database: Database, mail_shop: Shop, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(shares, "ROOM", 1_500_000)
    for minutes in range(2):
        assert isinstance(
            await comes(database, mail_shop, NOON + timedelta(minutes=minutes)), Unmatched
        )
    before = await row_counts(database, of=mail_shop)

    for large in (LARGE, ""):
        with pytest.raises(EventRoomUsed) as refused:
            await comes(database, mail_shop, NOON + HOUR, large=large)
        assert refused.value.retry_after_s == 23 * 3600
    assert await row_counts(database, of=mail_shop) == before, "nothing is kept of it"

    wanted = await comes(database, mail_shop, NOON + HOUR, kind="email.received")
    assert isinstance(wanted, Admitted)
    later = NOON + WINDOW + timedelta(seconds=1)
    assert isinstance(await comes(database, mail_shop, later), Unmatched)


async def test_what_compresses_takes_what_it_is_kept_with(
    database: Database, mail_shop: Shop, shop: Shop, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Events with a playbook, and other clients' events, do not count."""
    monkeypatch.setattr(shares, "ROOM", 100_000)
    other = await open_shop(database, event_type="email.*")
    await comes(database, other, NOON)
    await comes(database, shop, NOON)
    await comes(database, mail_shop, NOON, kind="email.received")
    for _ in range(3):
        assert isinstance(await comes(database, mail_shop, NOON, large="x" * 1_000_000), Unmatched)


async def test_the_words_of_a_message_count(
    database: Database, mail_shop: Shop, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The text is stored twice, in the event and in its message."""
    monkeypatch.setattr(shares, "ROOM", 150_000)
    words = secrets.token_urlsafe(75_000)
    await try_to_admit(database, mail_shop, now=NOON, event_type="other", message=words)

    with pytest.raises(EventRoomUsed):
        await comes(database, mail_shop, NOON, large="")


async def test_without_a_plan_all_events_have_the_room(
    database: Database, mail_shop: Shop, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Including a trial's events: their tickets are returned without an answer."""
    await on_plan(database, mail_shop, Plan.FREE, trial_ends_at=NOON + 10 * WINDOW)
    monkeypatch.setattr(shares, "ROOM", 1_500_000)
    for minutes in range(2):
        at = NOON + timedelta(minutes=minutes)
        assert isinstance(await comes(database, mail_shop, at, kind="email.received"), Admitted)
    before = await row_counts(database, of=mail_shop)

    for kind, matched in (("email.received", True), ("other", False)):
        with pytest.raises(EventRoomUsed) as refused:
            await comes(database, mail_shop, NOON + HOUR, kind=kind)
        assert (refused.value.retry_after_s, refused.value.matched) == (23 * 3600, matched)
    assert await row_counts(database, of=mail_shop) == before, "nothing is kept, and no ticket used"

    later = NOON + WINDOW + timedelta(seconds=1)
    assert isinstance(await comes(database, mail_shop, later, kind="email.received"), Admitted)
    await on_plan(database, mail_shop, Plan.STARTER)
    assert isinstance(await comes(database, mail_shop, later, kind="email.received"), Admitted)


async def test_strangers_leave_a_half_of_the_room_without_a_plan(
    database: Database, mail_shop: Shop, monkeypatch: pytest.MonkeyPatch
) -> None:
    await on_plan(database, mail_shop, Plan.FREE)
    monkeypatch.setattr(shares, "ROOM", 1_500_000)
    assert isinstance(await brought(database, mail_shop), Admitted)

    with pytest.raises(UnprovedShareUsed) as refused:
        await brought(database, mail_shop)
    assert refused.value.retry_after_s == 30 * 60
    assert isinstance(await comes(database, mail_shop, NOON, kind="email.received"), Admitted)


async def test_what_waited_for_days_takes_the_room_of_the_day(
    database: Database, mail_shop: Shop, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A platform's message keeps its time of arrival, and may have been queued for storage."""
    monkeypatch.setattr(shares, "ROOM", 500_000)
    await comes(database, mail_shop, NOON)
    async with database.tenant(mail_shop.tenant) as connection:
        await connection.execute(
            sa.update(engine_events)
            .where(owned(engine_events, mail_shop))
            .values(received_at=NOON - 2 * WINDOW)
        )

    with pytest.raises(EventRoomUsed):
        await comes(database, mail_shop, NOON)


async def brought(database: Database, shop: Shop) -> object:
    """Receive a stranger's email through a platform."""
    return await try_to_admit(
        database, shop, now=NOON, event_type="email.received", payload={"large": LARGE},
        message="x", received_by=Provider.POSTMARK,
    )  # fmt: skip
