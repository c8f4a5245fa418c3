"""Unverified senders have a share of the client's limits; their flood blocks nobody else."""

from datetime import UTC, datetime, timedelta

import pytest

from domain.intake.errors import ClientRateLimited, UnprovedShareUsed
from domain.intake.unproved_share import MESSAGES, SENDER, TICKET_RETRY
from domain.integrations.providers import Provider
from domain.tenants.client import Plan
from domain.widget.share import WidgetShare
from domain.widget.visit import WidgetVisit
from services.intake.admission import Admitted
from store.core.database import Database
from tests.support.core.rows import row_counts
from tests.support.intake.admission import on_plan, sent_before, try_to_admit, used_before
from tests.support.tenants.shop import Shop, open_shop

FIRST = datetime(2026, 11, 1, tzinfo=UTC)
NOON = datetime(2026, 11, 21, 12, tzinfo=UTC)
MINUTE = timedelta(minutes=1)


async def stranger(
    database: Database,
    shop: Shop,
    at: datetime,
    *,
    name: str | None = "a@b.example",
    proved: bool = False,
) -> object:
    return await try_to_admit(
        database,
        shop,
        now=at,
        customer_email=name,
        payload={"customer_verified": proved},
        received_by=Provider.GENERIC,
    )


async def flooded(database: Database, shop: Shop, at: datetime, *, by: int = MESSAGES) -> None:
    """Create this many messages from unverified senders, each with another address."""
    await sent_before(
        database, shop, by, claimed=True, received_by=Provider.POSTMARK, at=at - MINUTE
    )


async def test_a_flood_of_strangers_leaves_room_for_everyone_else(
    database: Database, shop: Shop
) -> None:
    await flooded(database, shop, NOON)
    before = await row_counts(database, of=shop)

    for name in ("a@b.example", None):
        with pytest.raises(UnprovedShareUsed) as refused:
            await stranger(database, shop, NOON, name=name)
        assert refused.value.retry_after_s == 59 * 60
    assert await row_counts(database, of=shop) == before, "nothing is counted or charged"

    await try_to_admit(database, shop, customer_email="a@b.example", now=NOON)
    await stranger(database, shop, NOON, proved=True)
    visit = WidgetVisit("01K00000000000000000000000", "fr", WidgetShare())
    await try_to_admit(database, shop, now=NOON, visit=visit)
    await stranger(database, shop, NOON + 59 * MINUTE)


@pytest.mark.parametrize(
    "name",
    [
        pytest.param("a{}@b.example", id="a domain's addresses"),
        pytest.param("a@b{}.c.example", id="a domain's subdomains"),
        pytest.param("a@gmail.com", id="one mailbox"),
        pytest.param("m.e+{}@gmail.com", id="one mailbox with suffixes"),
        pytest.param("a{}@me.fastmail.com", id="one customer of a provider"),
    ],
)
async def test_a_proved_sender_without_end_counts_as_a_stranger(
    database: Database, shop: Shop, name: str
) -> None:
    """A domain's owner can verify any number of addresses."""
    await flooded(database, shop, NOON, by=MESSAGES - 1)
    times = [NOON + number * MINUTE for number in range(SENDER.messages + 2)]
    for number, at in enumerate(times[:-1]):
        await stranger(database, shop, at, name=name.format(number), proved=True)

    with pytest.raises(UnprovedShareUsed):
        await stranger(database, shop, times[-1], name=name.format("z"), proved=True)

    for other in ("a@other.example", "b@gmail.com"):
        await stranger(database, shop, times[-1], name=other, proved=True)
    tomorrow = NOON + SENDER.window
    await flooded(database, shop, tomorrow)
    await stranger(database, shop, tomorrow, name=name.format("z"), proved=True)


async def test_a_vouched_customer_is_counted_by_no_domain(database: Database, shop: Shop) -> None:
    """Callers of the gateway vouch for their customers, many of whom may belong to one company."""
    await flooded(database, shop, NOON)
    for number in range(SENDER.messages + 1):
        await try_to_admit(database, shop, customer_email=f"a{number}@b.example", now=NOON)
    await stranger(database, shop, NOON, proved=True)


async def test_others_messages_take_nothing_of_the_share(database: Database, shop: Shop) -> None:
    """Neither customers claimed at the gateway nor verified webhooks count. PER_CLIENT still
    applies."""
    await flooded(database, shop, NOON, by=MESSAGES - 2)
    await sent_before(database, shop, 50, claimed=True, at=NOON)
    await sent_before(database, shop, 50, received_by=Provider.POSTMARK, at=NOON)

    await stranger(database, shop, NOON)
    await stranger(database, shop, NOON, name=None)
    with pytest.raises(UnprovedShareUsed):
        await stranger(database, shop, NOON)
    await try_to_admit(database, shop, now=NOON)
    await sent_before(database, shop, 200, at=NOON)
    with pytest.raises(ClientRateLimited):
        await stranger(database, shop, NOON)


async def test_strangers_leave_tickets_of_the_month(database: Database) -> None:
    """Two fifths of FREE's 50 on the first day, and some more the next day."""
    shop = await open_shop(database)
    await on_plan(database, shop, Plan.FREE)
    for number in range(20):
        came = await stranger(database, shop, FIRST, name=f"a{number}@b.example")
        assert isinstance(came, Admitted)

    with pytest.raises(UnprovedShareUsed) as refused:
        await stranger(database, shop, FIRST)
    assert refused.value.retry_after_s == TICKET_RETRY.total_seconds()

    await try_to_admit(database, shop, now=FIRST)
    await stranger(database, shop, FIRST + timedelta(days=1))


async def test_others_tickets_take_nothing_of_the_share(database: Database) -> None:
    shop = await open_shop(database)
    await on_plan(database, shop, Plan.FREE)
    await used_before(database, shop, 49, FIRST)

    await stranger(database, shop, FIRST)
