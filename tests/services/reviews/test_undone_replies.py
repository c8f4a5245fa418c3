"""A member undoes a reply before it is sent."""

import asyncio

import pytest

from domain.intake.event import Channel
from domain.runs.errors import ReplyNotFound, ReplySent
from domain.runs.teammate_reply import TeammateReply
from services.reviews.replies import undo_reply, write_reply
from services.reviews.reply_sending import start_reply
from store.core.database import Database
from store.reviews.reply_files import ReplyFileRepository
from store.runs.tables import conversation_replies, engine_messages
from tests.support.core.rows import rows
from tests.support.core.units import units_on
from tests.support.intake.attachments import PHOTO
from tests.support.reviews.replies import ANNA, BEN, WORDS, conversation_of, written
from tests.support.runs.conversation import write
from tests.support.tenants.shop import Shop


async def _talk(database: Database, shop: Shop) -> str:
    ref = await write(database, shop)
    return await conversation_of(database, ref.event_id)


async def test_an_undo_and_the_send_never_both_take_effect(database: Database, shop: Shop) -> None:
    conversation_id, units = await _talk(database, shop), units_on(database)

    async def undo(reply: TeammateReply) -> bool:
        try:
            async with units.of(shop.tenant) as work:
                await undo_reply(work, BEN, reply.id)
        except ReplySent:
            return False
        return True

    async def start(reply: TeammateReply) -> None:
        async with units.of(shop.tenant) as work:
            await start_reply(work, reply.id)

    for number in range(8):
        reply = await written(database, shop, conversation_id, f"Numéro {number}")
        first, second = (undo, start) if number % 2 else (start, undo)
        results = await asyncio.gather(first(reply), second(reply))
        was_sent = len(await rows(database, engine_messages, of=shop, reply_id=reply.id)) == 1
        left = await rows(database, conversation_replies, id=reply.id)
        assert was_sent is (True not in results)
        assert [row["state"] for row in left] == ["sent"] * was_sent


async def test_a_reply_is_undone_once(database: Database, shop: Shop) -> None:
    conversation_id = await _talk(database, shop)
    for by in (ANNA, BEN):
        reply = await written(database, shop, conversation_id)
        async with units_on(database).of(shop.tenant) as work:
            assert (await undo_reply(work, by, reply.id)).body == WORDS
            with pytest.raises(ReplyNotFound):
                await undo_reply(work, by, reply.id)
    assert await rows(database, conversation_replies, of=shop) == []


async def test_a_reply_that_was_started_cannot_be_undone(database: Database, shop: Shop) -> None:
    reply = await written(database, shop, await _talk(database, shop))
    async with units_on(database).of(shop.tenant) as work:
        await start_reply(work, reply.id)
        with pytest.raises(ReplySent):
            await undo_reply(work, ANNA, reply.id)


async def test_a_repeated_reply_is_found_among_replies_with_other_files(
    database: Database, shop: Shop
) -> None:
    """The same text was sent without a file, then with a file, and the first request again."""
    ref = await write(database, shop, channel=Channel.EMAIL)
    conversation_id = await conversation_of(database, ref.event_id)
    bare = await written(database, shop, conversation_id)
    with_file = await written(database, shop, conversation_id, files=(PHOTO,))
    async with database.tenant(shop.tenant) as connection:
        files = await ReplyFileRepository(connection, shop.tenant).of_reply(with_file.id)

    async with units_on(database).of(shop.tenant) as work:
        for file_ids, expected in (([], bare), ([one.id for one in files], with_file)):
            again = await write_reply(work, ANNA, conversation_id, WORDS, file_ids=file_ids)
            assert again.id == expected.id
    assert len(await rows(database, conversation_replies, of=shop)) == 2
