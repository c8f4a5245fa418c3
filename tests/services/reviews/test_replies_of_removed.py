"""A reply whose author loses the right to answer before it is sent is not sent."""

from collections.abc import Awaitable, Callable

import pytest

from adapters.system import new_ulid
from domain.intake.event import Channel
from domain.runs.errors import ReplySent
from domain.tenants.actor import Actor
from domain.tenants.client import Role
from services.core.unit_of_work import UnitOfWork
from services.reviews.replies import undo_reply, write_reply
from services.reviews.reply_sending import start_reply
from services.tenants.members import add_member, change_role, leave_client, remove_member
from store.core.database import Database
from store.reviews.reply_files import ReplyFileRepository
from store.runs.tables import conversation_replies, engine_messages
from tests.support.core.rows import only_row, rows
from tests.support.core.units import units_on
from tests.support.intake.attachments import PHOTO
from tests.support.reviews.replies import BEN, WORDS, conversation_of, due_now, written
from tests.support.runs.conversation import write
from tests.support.tenants.shop import Shop

OPERATOR = Actor.operator("operator:ann")
End = Callable[[UnitOfWork, Actor], Awaitable[object]]


async def removed(work: UnitOfWork, member: Actor) -> None:
    await remove_member(work, OPERATOR, member.name)


async def demoted(work: UnitOfWork, member: Actor) -> None:
    await change_role(work, OPERATOR, member.name, Role.VIEWER)


async def added_anew(work: UnitOfWork, member: Actor) -> None:
    await add_member(work, OPERATOR, member.name, Role.VIEWER)


async def left(work: UnitOfWork, member: Actor) -> None:
    await leave_client(work, member)


async def agent_of(database: Database, shop: Shop, role: Role = Role.AGENT) -> Actor:
    async with units_on(database).spanning(shop.tenant) as work:
        user_id = await add_member(work, OPERATOR, f"{new_ulid()}@example.com", role)
    return Actor.person(user_id, role)


@pytest.mark.parametrize("end", [removed, demoted, added_anew, left])
async def test_a_reply_of_a_member_who_is_removed_is_not_sent(
    database: Database, shop: Shop, end: End
) -> None:
    """An agent wrote an insult, was removed within ten seconds, and it was sent all the same."""
    conversation_id = await conversation_of(database, (await write(database, shop)).event_id)
    member = await agent_of(database, shop)
    reply = await written(database, shop, conversation_id, by=member)

    async with units_on(database).spanning(shop.tenant) as work:
        await end(work, member)
    await due_now(database, reply)
    async with units_on(database).of(shop.tenant) as work:
        assert await start_reply(work, reply.id) is None

    row = await only_row(database, conversation_replies, id=reply.id)
    assert (row["state"], row["error_code"]) == ("failed", "author_removed")
    assert await rows(database, engine_messages, of=shop, reply_id=reply.id) == []
    async with units_on(database).of(shop.tenant) as work:
        with pytest.raises(ReplySent):
            await undo_reply(work, BEN, reply.id)


@pytest.mark.parametrize("end", [removed, demoted, left])
async def test_a_reply_that_is_stored_after_its_authors_removal_is_not_sent(
    database: Database, shop: Shop, end: End
) -> None:
    """The request was authorized before the removal, and stored the reply after it."""
    conversation_id = await conversation_of(database, (await write(database, shop)).event_id)
    member = await agent_of(database, shop)
    async with units_on(database).spanning(shop.tenant) as work:
        await end(work, member)

    async with units_on(database).of(shop.tenant) as work:
        reply = await write_reply(work, member, conversation_id, WORDS)
    await due_now(database, reply)
    async with units_on(database).of(shop.tenant) as work:
        assert await start_reply(work, reply.id) is None

    row = await only_row(database, conversation_replies, id=reply.id)
    assert (row["state"], row["error_code"]) == ("failed", "author_removed")
    assert await rows(database, engine_messages, of=shop, reply_id=reply.id) == []


@pytest.mark.parametrize("author", [Actor.person("internal", None), Actor.operator("operator:ann")])
async def test_an_internal_admins_reply_is_sent(
    database: Database, shop: Shop, author: Actor
) -> None:
    """They are members of no client."""
    conversation_id = await conversation_of(database, (await write(database, shop)).event_id)
    async with units_on(database).of(shop.tenant) as work:
        reply = await write_reply(work, author, conversation_id, WORDS)
    async with units_on(database).of(shop.tenant) as work:
        await start_reply(work, reply.id)
    assert (await only_row(database, conversation_replies, id=reply.id))["state"] == "sent"


async def test_a_member_who_may_still_answer_is_sent_for(database: Database, shop: Shop) -> None:
    conversation_id = await conversation_of(database, (await write(database, shop)).event_id)
    member = await agent_of(database, shop, Role.ADMIN)
    reply = await written(database, shop, conversation_id, by=member)
    async with units_on(database).spanning(shop.tenant) as work:
        await change_role(work, OPERATOR, member.name, Role.AGENT)
        other = await add_member(work, OPERATOR, f"{new_ulid()}@example.com", Role.AGENT)
        await remove_member(work, OPERATOR, other)
    async with units_on(database).of(shop.tenant) as work:
        await start_reply(work, reply.id)
    assert (await only_row(database, conversation_replies, id=reply.id))["state"] == "sent"


async def test_the_files_of_a_cancelled_reply_return_to_their_author(
    database: Database, shop: Shop
) -> None:
    ref = await write(database, shop, channel=Channel.EMAIL)
    conversation_id = await conversation_of(database, ref.event_id)
    member = await agent_of(database, shop)
    reply = await written(database, shop, conversation_id, by=member, files=(PHOTO,))

    async with units_on(database).spanning(shop.tenant) as work:
        await remove_member(work, OPERATOR, member.name)

    async with database.tenant(shop.tenant) as connection:
        files = ReplyFileRepository(connection, shop.tenant)
        assert await files.of_reply(reply.id) == ()
        assert len(await files.unsent(conversation_id, member.name)) == 1
