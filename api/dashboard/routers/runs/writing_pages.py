"""The forms of a conversation's page with which members write: replies, their undo, and internal
notes."""

from typing import Annotated, Final

from fastapi import APIRouter, Depends
from starlette.responses import Response

from api.dashboard.post import Post, Posted
from api.route import PathId
from domain.core.ids import parse_ulid
from domain.runs.errors import ConversationNotFound, ReplyNotFound
from domain.tenants.actor import REVIEWERS
from services.dashboard.forms import keep_draft
from services.reviews.notes import add_note
from services.reviews.replies import undo_reply, write_reply
from store.runs.conversation_lists import client_of_conversation

_LIST: Final = "/app/conversations"
_ONE: Final = f"{_LIST}/{{conversation_id}}"
_ID: Final = PathId("conversation_id", "conversation", ConversationNotFound)

router = APIRouter(include_in_schema=False)
TalkPost = Annotated[Post, Depends(Posted(REVIEWERS, _ID, client_of_conversation))]


@router.post(f"{_ONE}/reply")
async def reply(post: TalkPost) -> Response:
    page = post.page
    to = f"{_LIST}/{page.record_id}"
    async with post.working(to) as work:
        await write_reply(
            work,
            page.actor,
            page.record_id,
            post.text("text"),
            seen_event=post.text("latest_message") or None,
        )
    return post.done(to, "runs.reply_written")


@router.post(f"{_ONE}/undo")
async def undo(post: TalkPost) -> Response:
    """Undo the reply in the field `reply_id`, and put its text back into the form."""
    page = post.page
    to = f"{_LIST}/{page.record_id}"
    reply_id = parse_ulid(post.text("reply_id"))
    if reply_id is None:
        raise ReplyNotFound
    async with post.working(to) as work:
        undone = await undo_reply(work, page.actor, reply_id)
        await keep_draft(work, page.visit.user.id, f"{to}/reply", {"text": undone.body})
    return post.done(to, "runs.reply_undone")


@router.post(f"{_ONE}/note")
async def note(post: TalkPost) -> Response:
    page = post.page
    to = f"{_LIST}/{page.record_id}"
    async with post.working(to) as work:
        await add_note(work, page.actor, page.record_id, post.text("text"))
    return post.done(to, "runs.note_added")
