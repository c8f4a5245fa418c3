"""/api/dashboard/conversations: conversations with their status, assignee, tags, members' replies
and notes."""

from typing import Annotated, Final

from fastapi import APIRouter, Depends

from api.access import Asked, InClientOf, MemberAt, QueryInClient, ReviewerDep
from api.resources import ResourcesDep
from api.route import DescribedRoute, JsonBody, PathId, errors
from api.schemas.runs.conversation import (
    ConversationList,
    ConversationQuery,
    ConversationsBody,
    ConversationThread,
    NoteAnswer,
    NoteBody,
    ReplyAnswer,
    ReplyBody,
    TriageBody,
    UndoneReply,
    UndoReplyBody,
    UpdatedConversation,
    UpdatedConversations,
    cursor_of_place,
    place_of,
)
from domain.reviews.waiting import ShownWait
from domain.runs.errors import ConversationNotFound, ReplyNotFound
from domain.runs.triage import ConversationTriage
from domain.tenants.actor import ANYONE, REVIEWERS
from services.reviews.notes import add_note
from services.reviews.replies import undo_reply, write_reply
from services.reviews.triage import update_conversation, update_conversations
from services.reviews.waiting import read_waiting
from store.reviews.replies import ReplyRepository, client_of_reply
from store.reviews.reply_files import ReplyFileRepository
from store.runs.conversation_lists import ConversationLists, client_of_conversation
from store.runs.conversation_reading import ConversationReader
from store.runs.internal_notes import InternalNoteRepository
from store.runs.triage import TriageRepository

router = APIRouter(route_class=DescribedRoute)

_ALL: Final = "/api/dashboard/conversations"
_ONE: Final = f"{_ALL}/{{conversation_id}}"
_SHOWN: Final = 100
_ID: Final = PathId("conversation_id", "conversation", ConversationNotFound)
_REPLY_ID: Final = PathId("reply_id", "reply", ReplyNotFound)
Writer = Annotated[MemberAt, Depends(InClientOf(REVIEWERS, _ID, client_of_conversation))]
Reader = Annotated[MemberAt, Depends(InClientOf(ANYONE, _ID, client_of_conversation))]
Undoer = Annotated[MemberAt, Depends(InClientOf(REVIEWERS, _REPLY_ID, client_of_reply))]


@router.get(_ALL, operation_id="conversations.list", summary="List a client's conversations")
async def conversations(
    asked: Annotated[Asked[ConversationQuery], Depends(QueryInClient(ConversationQuery))],
    resources: ResourcesDep,
) -> ConversationList:
    """Lists conversations, latest message first. The list is paginated. A filtered page can be
    short or empty even if there is a `next_cursor`, because at most 2,000 conversations are
    examined per page."""
    query = asked.query
    async with resources.database.reading(asked.tenant) as connection:
        found, behind = await ConversationLists(connection, asked.tenant).page(
            query.wanted, after=place_of(query.cursor), limit=query.limit, now=resources.now()
        )
    return ConversationList(conversations=found, next_cursor=cursor_of_place(behind))


@router.get(
    _ONE, operation_id="conversations.get", summary="Get a conversation with its latest messages"
)
async def conversation(reader: Reader, resources: ResourcesDep) -> ConversationThread:
    """Any member of the client may call this operation. Returns at most the latest 100 messages,
    with the notes and the replies."""
    talk = reader.record_id
    async with resources.database.reading(reader.tenant) as connection:
        threads = ConversationReader(connection, reader.tenant)
        notes = InternalNoteRepository(connection, reader.tenant)
        replies = ReplyRepository(connection, reader.tenant)
        latest = await threads.messages(talk, before=None, limit=_SHOWN)
        answered = await replies.latest_message(talk, resources.now())
        waiting = await read_waiting(
            connection, reader.tenant, reader.actor, [talk], resources.now()
        )
        return ConversationThread(
            conversation=await threads.read(talk),
            triage=await TriageRepository(connection, reader.tenant).read(talk, resources.now()),
            latest_message=None if answered is None else answered.event_id,
            messages=latest[::-1],
            notes=await notes.listed(talk, since=None, limit=_SHOWN),
            unsent_replies=await replies.not_sent(talk, _SHOWN),
            unsent_attachments=await ReplyFileRepository(connection, reader.tenant).unsent(
                talk, reader.actor.name
            ),
            waiting=ShownWait.of(waiting.get(talk)),
        )


@router.patch(
    _ALL,
    operation_id="conversations.update_several",
    summary="Change the status or assignee of several conversations",
    responses=errors(404),
)
async def update_several(
    reviewer: ReviewerDep,
    body: Annotated[ConversationsBody, Depends(JsonBody(ConversationsBody))],
    resources: ResourcesDep,
) -> UpdatedConversations:
    """Applies the same change to at most 100 conversations of a client. If the change fails for one
    conversation, no conversation changes. Omitted fields do not change."""
    body.require_some()
    async with resources.work.of(reviewer.tenant) as work:
        changed = await update_conversations(
            work, reviewer.actor, body.conversation_ids, body.change
        )
    return UpdatedConversations(
        conversations=[
            UpdatedConversation(conversation_id=one, **triage.model_dump())
            for one, triage in changed.items()
        ]
    )


@router.patch(
    _ONE,
    operation_id="conversations.update",
    summary="Change a conversation's status, assignee or tags",
)
async def update(
    writer: Writer,
    body: Annotated[TriageBody, Depends(JsonBody(TriageBody))],
    resources: ResourcesDep,
) -> ConversationTriage:
    """Omitted fields do not change. The customer's next message reopens a snoozed or closed
    conversation."""
    body.require_some()
    async with resources.work.of(writer.tenant) as work:
        return await update_conversation(work, writer.actor, writer.record_id, body.change)


@router.post(
    f"{_ONE}/reply",
    operation_id="conversations.reply",
    summary="Reply to the customer in a conversation",
    responses=errors(409, 422),
)
async def reply(
    writer: Writer,
    body: Annotated[ReplyBody, Depends(JsonBody(ReplyBody))],
    resources: ResourcesDep,
) -> ReplyAnswer:
    """Sends the reply after ten seconds, in the channel of the customer's latest message. Sending
    closes the conversation's open reviews and assigns the conversation to human agents."""
    async with resources.work.of(writer.tenant) as work:
        written = await write_reply(
            work,
            writer.actor,
            writer.record_id,
            body.text,
            seen_event=body.latest_message,
            file_ids=body.attachments,
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
    """Deletes the reply. A member may also undo a teammate's reply."""
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
    """Stores a note for teammates. The customer and the agent never see it."""
    async with resources.work.of(writer.tenant) as work:
        added = await add_note(work, writer.actor, writer.record_id, body.text)
    return NoteAnswer(
        note_id=added.id, conversation_id=writer.record_id, created_at=added.created_at
    )
