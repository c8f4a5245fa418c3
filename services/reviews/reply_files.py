"""Files for members' replies: upload a file, and delete it before the reply is written."""

from datetime import datetime

from sqlalchemy.ext.asyncio import AsyncConnection

from domain.core.ids import TenantId
from domain.intake.attachment import Attachment, check_reply_files
from domain.intake.attachment_type import Inspected
from domain.intake.errors import AttachmentRefused
from domain.tenants.actor import REVIEWERS, Actor
from services.core.unit_of_work import UnitOfWork
from store.intake.attachments import AttachmentRepository
from store.reviews.replies import ReplyRepository
from store.reviews.reply_files import ReplyFileRepository
from store.runs.conversation_reading import ConversationReader


async def check_upload(
    connection: AsyncConnection,
    tenant: TenantId,
    actor: Actor,
    conversation_id: str,
    *,
    size: int,
    now: datetime,
) -> None:
    """Check that the actor may upload a file of `size` bytes, before the file is inspected. Raises
    RoleRequired and AttachmentRefused."""
    actor.require(REVIEWERS)
    unsent = await ReplyFileRepository(connection, tenant).unsent(conversation_id, actor.name)
    check_reply_files([*(one.size for one in unsent), size])
    await AttachmentRepository(connection, tenant).check_upload(size, now)


async def upload_file(
    work: UnitOfWork, actor: Actor, conversation_id: str, found: Inspected
) -> Attachment:
    """Store a file for the actor's next reply in a conversation, and return it.

    `found` is the inspected file, after `check_upload`. The actor's unsent files must fit into one
    reply (`check_reply_files`). Raises RoleRequired, ConversationNotFound and AttachmentRefused.
    """
    actor.require(REVIEWERS)
    if found.refusal is not None:
        raise AttachmentRefused(found.refusal)
    # The lock prevents concurrent uploads from exceeding the limits together.
    await ReplyRepository(work.connection, work.tenant).lock_conversation(conversation_id)
    event_id = await ConversationReader(work.connection, work.tenant).latest_event(conversation_id)
    size = len(found.file.data)
    await check_upload(
        work.connection, work.tenant, actor, conversation_id, size=size, now=work.now
    )
    files = ReplyFileRepository(work.connection, work.tenant)
    added = await files.add(work.new_id(), event_id, found, author=actor.name, now=work.now)
    work.note(actor, "file uploaded", conversation_id=conversation_id, attachment_id=added.id)
    return added


async def delete_file(work: UnitOfWork, actor: Actor, conversation_id: str, file_id: str) -> None:
    """Delete an uploaded file that no reply contains yet. Teammates may also delete it. Raises
    RoleRequired, ConversationNotFound and AttachmentNotFound."""
    actor.require(REVIEWERS)
    await ReplyRepository(work.connection, work.tenant).lock_conversation(conversation_id)
    await ReplyFileRepository(work.connection, work.tenant).remove(file_id, conversation_id)
    work.note(actor, "file deleted", conversation_id=conversation_id, attachment_id=file_id)
