"""/app/conversations/{id}: a conversation's messages, their outcomes, and whether the AI agent or a
human agent handles it."""

from collections.abc import Sequence
from typing import Annotated, Final, Literal

from fastapi import APIRouter, Depends
from pydantic import Field
from starlette.responses import Response

from api.dashboard.inbox_list import list_beside, ticket_list, with_list
from api.dashboard.macros import MacroQuery, macros_of
from api.dashboard.moods import mood_line
from api.dashboard.page import OnPage, Page
from api.dashboard.post import Post, Posted
from api.dashboard.routers.runs.composer import composer_of
from api.dashboard.routers.runs.thread_view import ThreadEntry, thread_of
from api.dashboard.routers.runs.writing_pages import SNOOZES
from api.dashboard.ticket_customer import ticket_customer
from api.dashboard.typed import Typed
from api.route import PathId
from domain.core.ids import ULID
from domain.runs.correspondence import Message
from domain.runs.errors import ConversationNotFound
from domain.runs.teammate_reply import TeammateReply
from domain.tenants.actor import ANYONE, MANAGERS, REVIEWERS
from services.reviews.takeovers import hand_back, take_over
from services.reviews.waiting import read_waiting
from store.dashboard.page_drafts import PageDrafts
from store.identity.people import address_of
from store.reviews.replies import ReplyRepository
from store.runs.conversation_lists import (
    ConversationLists,
    client_of_conversation,
)
from store.runs.conversation_reading import ConversationReader
from store.runs.internal_notes import InternalNoteRepository
from store.runs.triage import TriageRepository
from store.tenants.standings import MemberStandings

_LIST: Final = "/app/conversations"
_ONE: Final = f"{_LIST}/{{conversation_id}}"
_ID: Final = PathId("conversation_id", "conversation", ConversationNotFound)
_SHOWN: Final = 50

router = APIRouter(include_in_schema=False)
TalkPage = Annotated[Page, Depends(OnPage(ANYONE, _ID, client_of_conversation))]
ComposerPage = Annotated[Page, Depends(OnPage(REVIEWERS, _ID, client_of_conversation))]
TalkPost = Annotated[Post, Depends(Posted(REVIEWERS, _ID, client_of_conversation))]


class ThreadQuery(MacroQuery):
    cursor: Annotated[str | None, Field(pattern=ULID)] = None
    write: Literal["reply", "note"] = "reply"


@router.get(_ONE)
async def conversation(page: TalkPage) -> Response:
    query, form = page.query(ThreadQuery), f"{_LIST}/{page.record_id}"
    user_id = page.visit.user.id
    async with page.resources.database.reading(page.tenant) as connection:
        reader = ConversationReader(connection, page.tenant)
        lists = ConversationLists(connection, page.tenant)
        talk = await reader.read(page.record_id)
        found = await reader.messages(page.record_id, before=query.cursor, limit=_SHOWN + 1)
        messages, has_older = found[:_SHOWN][::-1], len(found) > _SHOWN
        replies = ReplyRepository(connection, page.tenant)
        entries = await _entries(
            page.record_id,
            messages,
            InternalNoteRepository(connection, page.tenant),
            replies,
            before=query.cursor,
            has_older=has_older,
        )
        steps = await lists.steps([one.run_id for one in messages if one.run_id])
        holder, since = await lists.holder(page.record_id)
        answered = await replies.latest_message(page.record_id, page.resources.now())
        triage = await TriageRepository(connection, page.tenant).read(
            page.record_id, page.resources.now()
        )
        waiting = await read_waiting(
            connection, page.tenant, page.actor, [page.record_id], page.resources.now()
        )
        members = await MemberStandings(connection, page.tenant).all()
        drafts = await PageDrafts(connection, page.tenant, user_id).read_all(
            (f"{form}/reply", f"{form}/note", f"{form}/update")
        )
    listed = await ticket_list(page, list_beside(page.path), current=talk.id)
    runs = dict.fromkeys(one.run_id for one in messages if one.run_id)
    language = next((steps[one].language for one in reversed(runs) if one in steps), None)
    return page.render(
        "runs/conversation.html",
        inbox_view=listed.query.view,
        saved_views=listed.names,
        listed=listed,
        at=with_list(form, listed.query),
        talk=talk,
        entries=entries,
        names=await _names_of(page, entries),
        older=messages[0].id if has_older else "",
        steps=steps,
        customer=await ticket_customer(page, talk.customer_email),
        moods=mood_line(page, [steps[one].sentiment for one in runs if one in steps]),
        holder=await _name_of(page, holder),
        is_mine=holder == page.actor.name,
        me=page.actor.name,
        since=since,
        may_act=page.may(REVIEWERS),
        may_force=page.may(MANAGERS),
        form=form,
        writes=query.write,
        answered=answered,
        composer=await composer_of(page, answered, drafts.get(f"{form}/reply"), query, language),
        note=Typed.of({"text": ""}, drafts.get(f"{form}/note")),
        triage=triage,
        waiting=waiting.get(page.record_id),
        snoozes=SNOOZES,
        assignees=[(member.user_id, member.email) for member in members],
        sorting=Typed.of(
            {"assignee": triage.assignee or "", "tags": ", ".join(triage.tags)},
            drafts.get(f"{form}/update"),
        ),
    )


@router.get(f"{_ONE}/templates")
async def templates(page: ComposerPage) -> Response:
    """Return the templates that match a search, to insert into the reply."""
    async with page.resources.database.reading(page.tenant) as connection:
        replies = ReplyRepository(connection, page.tenant)
        answered = await replies.latest_message(page.record_id, page.now)
    if answered is None:
        raise ConversationNotFound(page.record_id)
    query = page.query(MacroQuery)
    macros = await macros_of(page, answered.event_id, query.language, query.macro)
    return page.render("reviews/macros_found.html", macros=macros)


@router.post(f"{_ONE}/take")
async def take(post: TalkPost) -> Response:
    """Take over the conversation. Taking it over from a teammate requires `force`. Only owners and
    admins have a button that sends `force`."""
    page = post.page
    to = with_list(f"{_LIST}/{page.record_id}", list_beside(post.back))
    async with post.working(to) as work:
        await take_over(work, page.actor, page.record_id, force=post.ticked("force"))
    return post.done(to, "runs.taken")


@router.post(f"{_ONE}/hand-back")
async def give_back(post: TalkPost) -> Response:
    page = post.page
    to = with_list(f"{_LIST}/{page.record_id}", list_beside(post.back))
    async with post.working(to) as work:
        await hand_back(work, page.actor, page.record_id)
    return post.done(to, "runs.handed_back")


async def _entries(
    conversation_id: str,
    messages: Sequence[Message],
    notes: InternalNoteRepository,
    replies: ReplyRepository,
    *,
    before: str | None,
    has_older: bool,
) -> list[ThreadEntry]:
    """Return the thread entries for one page. The page with the latest messages also contains
    unsent replies."""
    since = messages[0].created_at if has_older else None
    written = await notes.listed(conversation_id, since=since, before=before, limit=_SHOWN)
    unsent: Sequence[TeammateReply] = ()
    if before is None:
        unsent = await replies.not_sent(conversation_id, _SHOWN)
    return thread_of(messages, written, unsent)


async def _names_of(page: Page, entries: Sequence[ThreadEntry]) -> dict[str, str]:
    """Return each author's display name, by the actor's name."""
    authors = {entry.author for entry in entries if entry.author is not None}
    async with page.resources.database.reading_across() as connection:
        return {one: await address_of(connection, one) or one for one in sorted(authors)}


async def _name_of(page: Page, holder: str | None) -> str:
    if holder is None or holder == page.actor.name:
        return ""
    async with page.resources.database.reading_across() as connection:
        return await address_of(connection, holder) or holder
