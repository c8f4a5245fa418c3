"""A member's reply is not sent if the customer has received another answer."""

from datetime import timedelta

import sqlalchemy as sa

from adapters.system import utc_now
from domain.intake.event import Channel
from domain.integrations.providers import Provider
from services.reviews.decisions import approve_review
from services.reviews.reply_sending import start_reply
from store.core.database import Database
from store.intake.tables import engine_events
from store.integrations.helpdesk_pauses import HelpdeskPauseRepository
from store.runs.tables import conversation_replies
from tests.support.core.rows import only_row, rows
from tests.support.core.units import units_on
from tests.support.inbound.log import a_sender
from tests.support.reviews.conversations import converse
from tests.support.reviews.replies import ANNA, BEN, conversation_of, written
from tests.support.reviews.reviews import open_review
from tests.support.runs.conversation import write
from tests.support.tenants.shop import Shop

TICKET = {"channel": "helpdesk", "platform": "zendesk", "ticket_id": "7", "ticket_named": True}


async def _normalized(database: Database, shop: Shop, **fields: object) -> None:
    async with database.service() as connection:
        await connection.execute(
            sa.update(engine_events)
            .where(engine_events.c.client_id == shop.client_id)
            .values(unified={"channel": "api", **fields}, text="Bonjour")
        )


async def test_an_approved_answer_that_is_not_sent_yet_is_the_only_answer(
    database: Database, shop: Shop
) -> None:
    review_id = await open_review(database, shop)
    conversation_id = await converse(database, shop, review_id)
    await _normalized(database, shop)
    async with units_on(database).of(shop.tenant) as work:
        await approve_review(work, BEN, review_id)
    reply = await written(database, shop, conversation_id, by=ANNA)

    async with units_on(database).of(shop.tenant) as work:
        assert await start_reply(work, reply.id) is None

    row = await only_row(database, conversation_replies, of=shop)
    assert (row["state"], row["error_code"]) == ("failed", "answered_meanwhile")


async def test_a_colleagues_answer_in_the_helpdesk_is_the_only_answer(
    database: Database, shop: Shop
) -> None:
    """An answer given before the reply was written does not stop the reply."""
    integration_id = await a_sender(database, shop, Provider.ZENDESK)
    ref = await write(database, shop, channel=Channel.HELPDESK)
    conversation_id = await conversation_of(database, ref.event_id)
    replies = []
    for answered_after in (False, True):
        if answered_after:
            replies.append(await written(database, shop, conversation_id, "Deux."))
        now = utc_now()
        async with database.tenant(shop.tenant) as connection:
            await HelpdeskPauseRepository(connection, shop.tenant).pause(
                integration_id,
                "7",
                message_id=str(answered_after),
                now=now,
                until=now + timedelta(hours=1),
            )
        if not answered_after:
            replies.append(await written(database, shop, conversation_id, "Un."))
            await _normalized(database, shop, **TICKET)
            async with units_on(database).of(shop.tenant) as work:
                await start_reply(work, replies[0].id)
    async with units_on(database).of(shop.tenant) as work:
        assert await start_reply(work, replies[1].id) is None

    codes = {
        one["body"]: one["error_code"]
        for one in await rows(database, conversation_replies, of=shop)
    }
    assert codes["Un."] != "answered_meanwhile"
    assert codes["Deux."] == "answered_meanwhile"
