"""/app/inbox: the list of tickets, its saved views, and changes to several tickets."""

from datetime import timedelta
from typing import Annotated, Final

from fastapi import APIRouter, Depends
from pydantic import Field
from starlette.responses import Response

from api.dashboard.inbox_list import (
    InboxListQuery,
    parsed_list,
    query_of,
    ticket_list,
)
from api.dashboard.navigation import INBOX
from api.dashboard.page import AnyonesPage, Page
from api.dashboard.people import people_of
from api.dashboard.post import Post, Posted, ReviewersPost
from api.dashboard.redirect import PageRedirect
from api.dashboard.routers.runs.writing_pages import SNOOZES
from api.route import PathId
from api.schemas.core.client_query import ClientQuery
from domain.core.errors import InvalidBody
from domain.core.ids import ULID, parse_ulid
from domain.intake.event import Channel
from domain.runs.errors import InboxViewNotFound
from domain.runs.inbox import NO_ASSIGNEE, InboxView
from domain.runs.ticket_change import TicketAction, TicketChange, TicketSelection
from domain.runs.triage import ConversationStatus
from domain.tenants.actor import REVIEWERS
from services.core.unit_of_work import UnitOfWork
from services.dashboard.forms import standing_in
from services.reviews.inbox import create_view, delete_view, update_view
from services.reviews.ticket_changes import change_tickets
from store.reviews.saved_views import SavedViewRepository, client_of_view

_VIEWS: Final = f"{INBOX}/views"
_VIEW: Final = f"{_VIEWS}/{{view_id}}"
_ID: Final = PathId("view_id", "saved view", InboxViewNotFound)

router = APIRouter(include_in_schema=False)
ViewPost = Annotated[Post, Depends(Posted(REVIEWERS, _ID, client_of_view))]


class BesideQuery(ClientQuery):
    """The list next to a ticket's page: its query (`inbox`), and the ticket (`at`)."""

    inbox: Annotated[str, Field(max_length=1000)] = ""
    at: Annotated[str, Field(pattern=ULID)] = "-"


@router.get(INBOX)
async def inbox(page: AnyonesPage) -> Response:
    query = page.query(InboxListQuery)
    try:
        listed = await ticket_list(page, query)
    except InboxViewNotFound as missing:
        raise await _elsewhere(page, missing, query) from None
    shown = listed.query if listed.saved is None else query_of(listed.filters)
    return page.render(
        "reviews/inbox.html",
        inbox_view=query.view,
        saved_views=listed.names,
        listed=listed,
        people=await people_of(page),
        asked=shown,
        views=list(InboxView),
        channels=list(Channel),
        statuses=list(ConversationStatus),
        no_assignee=NO_ASSIGNEE,
        may_decide=page.may(REVIEWERS),
        me=page.actor.name,
        snoozes=SNOOZES,
    )


@router.get(f"{INBOX}/list")
async def beside(page: AnyonesPage) -> Response:
    """Return the list next to a ticket's page. Open pages poll this route."""
    asked = page.query(BesideQuery)
    listed = await ticket_list(page, parsed_list(asked.inbox), current=asked.at)
    return page.render("reviews/inbox_list.html", listed=listed)


async def _elsewhere(
    page: Page, missing: InboxViewNotFound, query: InboxListQuery
) -> InboxViewNotFound | PageRedirect:
    """Return a redirect if the view belongs to another of the user's clients. Otherwise return
    `missing`."""
    try:
        owner = await page.resources.database.find_client(client_of_view, query.view)
    except InboxViewNotFound:
        return missing
    if owner == page.tenant or owner not in {one.id for one in page.clients}:
        return missing
    return PageRedirect(f"{INBOX}?view={query.view}&client_id={owner}")


@router.post(f"{INBOX}/several")
async def several(post: ReviewersPost) -> Response:
    """Apply the action in the `do` field to all selected tickets. If it fails for one ticket, no
    ticket changes."""
    reviews, talks = (
        [parse_ulid(one) or one for one in post.chosen(n)] for n in ("review", "talk")
    )
    async with post.working(post.back) as work:
        change = _change(post, work)
        selection = TicketSelection.of(reviews, talks)
        changed = await change_tickets(work, post.page.actor, selection, change)
    key = f"inbox.several_{change.action}"
    if changed.to_decide and change.action in (TicketAction.CLOSE, TicketAction.SNOOZE):
        return post.done(
            post.back,
            "inbox.several_to_decide",
            count=str(changed.changed),
            open=str(changed.to_decide),
        )
    return post.done(post.back, key, count=str(changed.changed))


def _change(post: Post, work: UnitOfWork) -> TicketChange:
    """Return the change selected by the button in the `do` field. Raises InvalidBody for an unknown
    button or an unsupported number of days."""
    if post.text("do") not in set(TicketAction):
        raise InvalidBody("champ « do »")
    action = TicketAction(post.text("do"))
    assignee, until, note = None, None, None
    if action is TicketAction.ASSIGN:
        assignee = post.text("assignee")
    if action is TicketAction.SNOOZE:
        if post.text("days") not in {str(days) for days in SNOOZES}:
            raise InvalidBody("champ « days »")
        until = work.now + timedelta(days=int(post.text("days")))
    if action is TicketAction.REJECT:
        note = post.text("note").strip() or None
    return TicketChange(action, assignee, until, note)


@router.post(_VIEWS)
async def save(post: ReviewersPost) -> Response:
    """Save the list in the `inbox` field under a name."""
    query = parsed_list(post.text("inbox"))
    async with post.working() as work:
        if query.saved_id is None:
            filters = query.filters
        else:
            views = SavedViewRepository(standing_in(work), work.tenant)
            filters = (await views.read(query.saved_id)).filters
        view = await create_view(work, post.page.actor, post.text("name"), filters)
        to = f"{INBOX}?view={view.id}"
        await post.leads_to(work, to)
    return post.done(to, "inbox.saved", name=view.name)


@router.post(f"{_VIEW}/update")
async def update(post: ViewPost) -> Response:
    """Rename the view."""
    to = f"{INBOX}?view={post.page.record_id}"
    async with post.working(to) as work:
        view = await update_view(work, post.page.actor, post.page.record_id, name=post.text("name"))
    return post.done(to, "inbox.renamed", name=view.name)


@router.post(f"{_VIEW}/delete")
async def delete(post: ViewPost) -> Response:
    async with post.working(INBOX) as work:
        await delete_view(work, post.page.actor, post.page.record_id)
    return post.done(INBOX, "inbox.deleted")
