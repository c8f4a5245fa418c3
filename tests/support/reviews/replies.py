"""Members' replies in conversations, written and sent without the wait."""

from collections.abc import Sequence

import sqlalchemy as sa
from sqlalchemy.ext.asyncio import AsyncConnection

from adapters.system import new_ulid, utc_now
from domain.core import names
from domain.core.attached_file import AttachedFile
from domain.core.contracts import BackgroundRef
from domain.core.ids import TenantId
from domain.intake.attachment_type import inspect
from domain.runs.teammate_reply import UNDO_FOR, InternalNote, ReplyState, TeammateReply
from domain.tenants.actor import Actor
from domain.tenants.client import Role
from services.core.unit_of_work import UnitOfWork, UnitsOfWork
from services.reviews.replies import write_reply
from services.reviews.reply_files import upload_file
from store.core.database import Database
from store.reviews.replies import ReplyRepository
from store.runs.conversations import ConversationRepository
from store.runs.internal_notes import InternalNoteRepository
from store.runs.tables import conversation_replies, engine_messages
from store.tenants.members import MemberRepository
from tests.support.core.engine import LiveEngine
from tests.support.core.rows import only_row
from tests.support.core.units import units_on
from tests.support.tenants.shop import Shop

ANNA = Actor.person("anna", Role.AGENT)
BEN = Actor.person("ben", Role.ADMIN)
WORDS = "Bonjour, je m'en occupe. Anna"


async def conversation_of(database: Database, event_id: str) -> str:
    message = await only_row(database, engine_messages, event_id=event_id, direction="inbound")
    return str(message["conversation_id"])


async def joined(database: Database, shop: Shop, *people: Actor) -> None:
    """Make these people members of the client, with their roles, unless they are."""
    async with units_on(database).spanning(shop.tenant) as work:
        members = MemberRepository(work.connection)
        for one in people:
            if one.role is None or await members.role(one.name, shop.client_id) is not None:
                continue
            await members.ensure_user(one.name, f"{one.name}@example.com", work.now)
            await members.add(shop.client_id, one.name, one.role, work.now)


async def written(
    database: Database,
    shop: Shop,
    conversation_id: str,
    text: str = WORDS,
    *,
    by: Actor = ANNA,
    files: Sequence[AttachedFile] = (),
) -> TeammateReply:
    """Create a reply without a workflow. Its author is a member."""
    await joined(database, shop, by)
    async with units_on(database).of(shop.tenant) as work:
        ids = await _uploaded(work, by, conversation_id, files)
        return await write_reply(work, by, conversation_id, text, file_ids=ids)


async def _uploaded(
    work: UnitOfWork, by: Actor, conversation_id: str, files: Sequence[AttachedFile]
) -> list[str]:
    return [(await upload_file(work, by, conversation_id, one)).id for one in inspect(files)]


async def due_now(database: Database, reply: TeammateReply) -> None:
    """Move the undo period into the past."""
    async with database.service() as connection:
        await connection.execute(
            sa.update(conversation_replies)
            .where(conversation_replies.c.id == reply.id)
            .values(send_at=utc_now())
        )


async def send(engine: LiveEngine, shop: Shop, reply: TeammateReply) -> None:
    """Run the complete workflow, with the remaining wait."""
    work = BackgroundRef(client_id=shop.client_id, record_id=reply.id)
    await engine.client.execute_workflow(
        names.SEND_REPLY,
        work,
        id=names.background_id(names.SEND_REPLY, shop.client_id, reply.id),
        task_queue=names.ENGINE_QUEUE,
    )


async def write_and_send(
    engine: LiveEngine,
    shop: Shop,
    conversation_id: str,
    text: str = WORDS,
    *,
    by: Actor = ANNA,
    files: Sequence[AttachedFile] = (),
) -> TeammateReply:
    """Create a reply with an expired undo period, and send it immediately. Its author is a
    member."""
    await joined(engine.database, shop, by)
    earlier = UnitsOfWork(engine.database, engine.engine, lambda: utc_now() - UNDO_FOR, new_ulid)
    async with earlier.of(shop.tenant) as work:
        ids = await _uploaded(work, by, conversation_id, files)
        reply = await write_reply(work, by, conversation_id, text, file_ids=ids)
    await engine.client.get_workflow_handle(
        names.background_id(names.SEND_REPLY, shop.client_id, reply.id)
    ).result()
    return reply


async def write_all(
    connection: AsyncConnection, tenant: TenantId, conversation_id: str, words: str = WORDS
) -> None:
    """Create a sent reply, a scheduled reply and a note."""
    now, replies = utc_now(), ReplyRepository(connection, tenant)
    latest = await replies.latest_message(conversation_id, now)
    assert latest is not None
    for is_sent in (True, False):
        reply = await replies.add(
            new_ulid(),
            conversation_id,
            latest,
            author="anna",
            by_member=True,
            body=words,
            now=now,
            send_at=now,
        )
        if is_sent:
            await replies.settle(reply.id, ReplyState.SENT, error_code=None, now=now)
            await replies.store_message(reply, new_ulid(), now)
    await ConversationRepository(connection, tenant).remember(latest.event_id, now)
    note = InternalNote(id=new_ulid(), author="anna", body=words, created_at=now)
    notes = InternalNoteRepository(connection, tenant)
    await notes.add(note, conversation_id, latest.event_id)
