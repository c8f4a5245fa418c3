"""The number of the agent's automatic answers to a correspondent since the last human answer."""

from datetime import timedelta
from typing import Final

import sqlalchemy as sa

from adapters.system import new_ulid, utc_now
from domain.agent.escalation_reason import EscalationReason
from domain.intake.event import Channel
from store.core.database import Database
from store.reviews.escalations import EscalationRepository
from store.reviews.tables import escalation_tickets
from store.runs.cases import CaseRepository
from tests.support.runs.conversation import say, write
from tests.support.tenants.shop import Shop

NOW: Final = utc_now()


async def exchange(
    database: Database,
    shop: Shop,
    hours_ago: float,
    *,
    key: str = "mail:<a@b>:a@b.example",
    author: str = "agent",
    approved: bool = False,
    channel: Channel = Channel.EMAIL,
) -> None:
    """Create a message and its answer."""
    at = NOW - timedelta(hours=hours_ago)
    ref = await write(database, shop, key=key, now=at, channel=channel)
    if approved:
        async with database.tenant(shop.tenant) as connection:
            await EscalationRepository(connection, shop.tenant).open(
                ref,
                escalation_id=new_ulid(),
                round_=0,
                reason=EscalationReason.LOW_CONFIDENCE,
                expires_at=NOW,
                now=at,
            )
            await connection.execute(sa.update(escalation_tickets).values(status="approved"))
    await say(database, shop, ref, at, author)


async def unattended(database: Database, shop: Shop, channel: Channel = Channel.EMAIL) -> int:
    ref = await write(database, shop, key=f"mail:{new_ulid()}", now=NOW, channel=channel)
    async with database.tenant(shop.tenant) as connection:
        return (await CaseRepository(connection, shop.tenant).read(ref.run_id)).unattended_turns


async def test_threads_of_a_correspondent_count_together(database: Database, shop: Shop) -> None:
    await exchange(database, shop, 200)  # more than a week ago
    await exchange(database, shop, 60, key="mail:<1@relay>:a@b.example")
    await exchange(database, shop, 50, key="mail:<2@relay>:a@b.example")
    await exchange(database, shop, 40, key="ticket:zendesk:7", channel=Channel.HELPDESK)
    await exchange(database, shop, 30, key="session:1", channel=Channel.WIDGET)

    assert await unattended(database, shop) == 3
    assert await unattended(database, shop, Channel.WIDGET) == 0


async def test_a_persons_answer_begins_the_count_anew(database: Database, shop: Shop) -> None:
    await exchange(database, shop, 60)
    await exchange(database, shop, 50, author="human", key="mail:<1@relay>:a@b.example")
    await exchange(database, shop, 40)
    assert await unattended(database, shop) == 1

    await exchange(database, shop, 30, approved=True)
    await exchange(database, shop, 20)
    await exchange(database, shop, 10)
    assert await unattended(database, shop) == 2
