"""Members' replies to visitors of the widget who have left."""

from datetime import timedelta

import pytest
import sqlalchemy as sa

from adapters.system import utc_now
from domain.intake.event import Channel
from domain.runs.errors import ReplyNotPossible
from domain.runs.teammate_reply import ReplyState
from domain.widget.widget_session import SESSION_LASTS
from services.reviews.replies import write_reply
from services.reviews.reply_sending import start_reply
from store.core.database import Database
from store.runs.tables import conversation_replies
from store.widget.tables import widget_sessions
from tests.support.core.rows import only_row
from tests.support.core.units import units_on
from tests.support.intake.attachments import PHOTO
from tests.support.reviews.replies import ANNA, WORDS, conversation_of, written
from tests.support.runs.conversation import write
from tests.support.tenants.shop import Shop
from tests.support.widget.talk import begin, put_into


async def test_no_reply_to_a_visitor_who_no_longer_sees_the_chat(
    database: Database, shop: Shop
) -> None:
    ref = await write(database, shop, channel=Channel.WIDGET)
    conversation_id = await conversation_of(database, ref.event_id)
    session_id = await begin(database, shop)
    await put_into(database, shop, session_id, ref)
    reply = await written(database, shop, conversation_id)
    async with database.service() as connection:
        await connection.execute(
            sa.update(widget_sessions)
            .where(widget_sessions.c.client_id == shop.client_id)
            .values(used_at=utc_now() - SESSION_LASTS - timedelta(hours=1))
        )
    async with units_on(database).of(shop.tenant) as work:
        await start_reply(work, reply.id)
        with pytest.raises(ReplyNotPossible) as refused:
            await write_reply(work, ANNA, conversation_id, WORDS)
    assert refused.value.reason == "widget_session_ended"
    row = await only_row(database, conversation_replies, of=shop)
    assert (row["state"], row["error_code"]) == ("failed", "widget_session_ended")


async def test_a_visitor_who_gets_mail_only_is_sent_no_files(
    database: Database, shop: Shop
) -> None:
    """The files were in a session that nobody could open any more, and the reply was `sent`."""
    ref = await write(database, shop, channel=Channel.WIDGET)
    conversation_id = await conversation_of(database, ref.event_id)
    session_id = await begin(database, shop)
    await put_into(database, shop, session_id, ref)
    now = utc_now()
    values = {"verified_email": "jean@x.example", "verified_by": "code", "verified_at": now}
    async with database.service() as connection:
        await connection.execute(
            sa.update(widget_sessions)
            .where(widget_sessions.c.client_id == shop.client_id)
            .values(used_at=now - SESSION_LASTS - timedelta(hours=1), **values)
        )

    with pytest.raises(ReplyNotPossible) as refused:
        await written(database, shop, conversation_id, files=[PHOTO])
    assert refused.value.reason == "attachments_not_possible"
    assert (await written(database, shop, conversation_id)).state is ReplyState.SCHEDULED
