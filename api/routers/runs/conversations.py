"""/api/dashboard/conversations: members' replies and internal notes in conversations."""

from typing import Annotated, Final

from fastapi import APIRouter, Depends

from api.access import InClientOf, MemberAt
from api.resources import ResourcesDep
from api.route import DescribedRoute, JsonBody, PathId, errors
from api.schemas.runs.conversation import (
    NoteAnswer,
    NoteBody,
    ReplyAnswer,
    ReplyBody,
    UndoneReply,
    UndoReplyBody,
)
from domain.runs.errors import ConversationNotFound, ReplyNotFound
from domain.tenants.actor import REVIEWERS
from services.reviews.notes import add_note
from services.reviews.replies import undo_reply, write_reply
from store.reviews.replies import client_of_reply
from store.runs.conversation_lists import client_of_conversation

router = APIRouter(route_class=DescribedRoute)

_ONE: Final = "/api/dashboard/conversations/{conversation_id}"
_ID: Final = PathId("conversation_id", "conversation", ConversationNotFound)
_REPLY_ID: Final = PathId("reply_id", "reply", ReplyNotFound)
Writer = Annotated[MemberAt, Depends(InClientOf(REVIEWERS, _ID, client_of_conversation))]
Undoer = Annotated[MemberAt, Depends(InClientOf(REVIEWERS, _REPLY_ID, client_of_reply))]


@router.post(
    f"{_ONE}/reply",
    operation_id="conversations.reply",
    summary="Reply to the customer in a conversation",
    responses=errors(409),
)
async def reply(
    writer: Writer,
    body: Annotated[ReplyBody, Depends(JsonBody(ReplyBody))],
    resources: ResourcesDep,
) -> ReplyAnswer:
    """Sends the reply after ten seconds, by the channel of the customer's latest message. The start
    of the send closes the conversation's open reviews and takes the conversation over."""
    async with resources.work.of(writer.tenant) as work:
        written = await write_reply(
            work, writer.actor, writer.record_id, body.text, seen_event=body.latest_message
        )
    return ReplyAnswer(
        reply_id=written.id,
        conversation_id=written.conversation_id,
        state=written.state,
        send_at=written.send_at,
    )


@router.post(
    "/api/dashboard/replies/{reply_id}/undo",
    operation_id="conversations.undo_reply",
    summary="Undo a reply before it is sent",
    responses=errors(409),
)
async def undo(
    undoer: Undoer,
    _: Annotated[UndoReplyBody, Depends(JsonBody(UndoReplyBody, optional=True))],
    resources: ResourcesDep,
) -> UndoneReply:
    """Deletes the reply. A member may also undo a colleague's reply."""
    async with resources.work.of(undoer.tenant) as work:
        undone = await undo_reply(work, undoer.actor, undoer.record_id)
    return UndoneReply(reply_id=undone.id, conversation_id=undone.conversation_id, text=undone.body)


@router.post(
    f"{_ONE}/notes",
    operation_id="conversations.add_note",
    summary="Add an internal note to a conversation",
)
async def note(
    writer: Writer,
    body: Annotated[NoteBody, Depends(JsonBody(NoteBody))],
    resources: ResourcesDep,
) -> NoteAnswer:
    """Stores a note for colleagues. The customer and the agent never see it."""
    async with resources.work.of(writer.tenant) as work:
        added = await add_note(work, writer.actor, writer.record_id, body.text)
    return NoteAnswer(
        note_id=added.id, conversation_id=writer.record_id, created_at=added.created_at
    )
