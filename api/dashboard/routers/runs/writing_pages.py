"""Forms on a conversation's page: send a reply with attachments, undo it, or add a note."""

from datetime import datetime, timedelta
from typing import Annotated, Final

from fastapi import APIRouter, Depends
from starlette.responses import Response

from api.dashboard.inbox_list import list_beside, with_list
from api.dashboard.post import Post, Posted
from api.reply_uploads import inspected_upload
from api.route import PathId
from api.schemas.runs.conversation import NoteBody, ReplyBody
from domain.core.errors import InvalidBody
from domain.core.ids import parse_ulid
from domain.intake.attachment import MAX_REPLY_BYTES
from domain.intake.errors import AttachmentNotFound, AttachmentRefused
from domain.intake.refused_file import AttachmentRefusal
from domain.runs.errors import ConversationNotFound, ReplyNotFound
from domain.runs.triage import ConversationStatus, TriageChange
from domain.tenants.actor import REVIEWERS
from services.dashboard.forms import prepend_to_draft
from services.reviews.notes import add_note
from services.reviews.replies import undo_reply, write_reply
from services.reviews.reply_files import delete_file, upload_file
from services.reviews.triage import update_conversation
from store.runs.conversation_lists import client_of_conversation

_LIST: Final = "/app/conversations"
_ONE: Final = f"{_LIST}/{{conversation_id}}"
_ID: Final = PathId("conversation_id", "conversation", ConversationNotFound)

# Maximum size, in bytes, of the other fields of a form with a file.
_FIELDS: Final = 4096

SNOOZES: Final = (1, 3, 7, 30)
"""The snooze durations offered on the page, in days."""

router = APIRouter(include_in_schema=False)
TalkPost = Annotated[Post, Depends(Posted(REVIEWERS, _ID, client_of_conversation))]
FilePost = Annotated[
    Post, Depends(Posted(REVIEWERS, _ID, client_of_conversation, upload=MAX_REPLY_BYTES + _FIELDS))
]


@router.post(f"{_ONE}/reply")
async def reply(post: TalkPost) -> Response:
    page = post.page
    to = with_list(f"{_LIST}/{page.record_id}", list_beside(post.back))
    body = post.body(
        ReplyBody,
        text=post.text("text"),
        latest_message=parse_ulid(post.text("latest_message")),
        attachments=[parse_ulid(one) or one for one in post.chosen("file")],
    )
    async with post.working(to) as work:
        written = await write_reply(
            work,
            page.actor,
            page.record_id,
            body.text,
            seen_event=body.latest_message,
            file_ids=body.attachments,
        )
        is_new = written.created_at == work.now
    return post.done(to, "runs.reply_written" if is_new else "runs.reply_repeated")


@router.post(f"{_ONE}/attach")
async def attach(post: FilePost) -> Response:
    """Upload a file for the reply."""
    page = post.page
    to = with_list(f"{_LIST}/{page.record_id}", list_beside(post.back))
    if post.file is None:
        raise AttachmentRefused(AttachmentRefusal.EMPTY)
    found = await inspected_upload(
        page.resources, page.tenant, page.actor, page.record_id, post.file
    )
    async with post.working(to) as work:
        await upload_file(work, page.actor, page.record_id, found)
    return post.done(to, "runs.file_uploaded")


@router.post(f"{_ONE}/detach")
async def detach(post: TalkPost) -> Response:
    """Delete the uploaded file in the `attachment_id` field."""
    page = post.page
    to = with_list(f"{_LIST}/{page.record_id}", list_beside(post.back))
    file_id = parse_ulid(post.text("attachment_id"))
    if file_id is None:
        raise AttachmentNotFound
    async with post.working(to) as work:
        await delete_file(work, page.actor, page.record_id, file_id)
    return post.done(to, "runs.file_deleted")


@router.post(f"{_ONE}/undo")
async def undo(post: TalkPost) -> Response:
    """Undo the reply in the `reply_id` field, and put its text back into the form. Any text that
    the user has typed in the meantime follows it."""
    page = post.page
    to = with_list(f"{_LIST}/{page.record_id}", list_beside(post.back))
    reply_id = parse_ulid(post.text("reply_id"))
    if reply_id is None:
        raise ReplyNotFound
    async with post.working(to) as work:
        undone = await undo_reply(work, page.actor, reply_id)
        form = f"{_LIST}/{undone.conversation_id}/reply"
        await prepend_to_draft(work, page.visit.user.id, form, "text", undone.body)
    return post.done(to, "runs.reply_undone")


@router.post(f"{_ONE}/update")
async def update(post: TalkPost) -> Response:
    """Change the status, assignee and tags. The `status` field is `open`, `closed`, empty for no
    change, or the number of days to snooze the conversation."""
    page = post.page
    to = with_list(f"{_LIST}/{page.record_id}", list_beside(post.back))
    async with post.working(to) as work:
        change = _change(post, work.now)
        await update_conversation(work, page.actor, page.record_id, change)
    return post.done(to, "runs.updated")


@router.post(f"{_ONE}/note")
async def note(post: TalkPost) -> Response:
    page = post.page
    to = with_list(f"{_LIST}/{page.record_id}", list_beside(post.back))
    body = post.body(NoteBody, text=post.text("text"))
    async with post.working(to) as work:
        await add_note(work, page.actor, page.record_id, body.text)
    return post.done(to, "runs.note_added")


def _change(post: Post, now: datetime) -> TriageChange:
    """Return the change requested by the form. Raises InvalidBody for an unknown status."""
    status, until = post.text("status"), None
    if status in {str(days) for days in SNOOZES}:
        until = now + timedelta(days=int(status))
        status = ConversationStatus.SNOOZED.value
    if status and status not in set(ConversationStatus):
        raise InvalidBody("champ « status »")
    return TriageChange(
        status=ConversationStatus(status) if status else None,
        snoozed_until=until,
        assignee=post.text("assignee"),
        tags=tuple(tag for tag in post.text("tags").split(",") if tag.strip()),
    )
