"""Events that no playbook wants cost no ticket, and have a room of their own in 24 hours."""

import secrets
from datetime import UTC, datetime, timedelta

import pytest

from domain.intake.errors import UnmatchedRoomUsed
from domain.intake.gateway_limits import PER_CLIENT
from domain.intake.unmatched_room import ROOM, WINDOW
from services.intake import shares
from services.intake.admission import Admitted, Unmatched
from store.core.database import Database
from tests.support.core.rows import row_counts
from tests.support.intake.admission import try_to_admit
from tests.support.tenants.shop import Shop, open_shop

NOON = datetime(2026, 11, 21, 12, tzinfo=UTC)
HOUR = timedelta(hours=1)
LARGE = secrets.token_hex(500_000)  # random: it is not kept with fewer bytes


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
    """At the gateway's limits of messages and of a body."""
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
        with pytest.raises(UnmatchedRoomUsed) as refused:
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
    """And what a playbook wants, or another client's, takes nothing."""
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
    """They are kept twice, in the event and in its message."""
    monkeypatch.setattr(shares, "ROOM", 150_000)
    words = secrets.token_urlsafe(75_000)
    await try_to_admit(database, mail_shop, now=NOON, event_type="other", message=words)

    with pytest.raises(UnmatchedRoomUsed):
        await comes(database, mail_shop, NOON, large="")
