"""/api/dashboard/inbox: the list of tickets, changes to several tickets, and saved views."""

from typing import Annotated, Final

from fastapi import APIRouter, Depends
from starlette.responses import Response

from api.access import Asked, InClientOf, MemberAt, MemberDep, QueryInClient, ReviewerDep
from api.resources import ResourcesDep
from api.route import DescribedRoute, JsonBody, PathId, errors
from api.schemas.reviews.inbox import (
    InboxList,
    InboxQuery,
    NewViewBody,
    SavedViewAnswer,
    SavedViewList,
    TicketsAnswer,
    TicketsBody,
    ViewBody,
    cursor_of_inbox,
)
from domain.runs.errors import InboxViewNotFound
from domain.tenants.actor import ANYONE, REVIEWERS
from services.reviews.inbox import create_view, delete_view, list_views, read_inbox, update_view
from services.reviews.ticket_changes import change_tickets
from store.reviews.saved_views import SavedViewRepository, client_of_view

router = APIRouter(route_class=DescribedRoute)

_INBOX: Final = "/api/dashboard/inbox"
_VIEWS: Final = "/api/dashboard/inbox-views"
_VIEW: Final = f"{_VIEWS}/{{view_id}}"
_ID: Final = PathId("view_id", "saved view", InboxViewNotFound)
Reader = Annotated[MemberAt, Depends(InClientOf(ANYONE, _ID, client_of_view))]
Writer = Annotated[MemberAt, Depends(InClientOf(REVIEWERS, _ID, client_of_view))]


@router.get(_INBOX, operation_id="inbox.list", summary="List the tickets in a client's inbox")
async def tickets(
    asked: Annotated[Asked[InboxQuery], Depends(QueryInClient(InboxQuery))],
    resources: ResourcesDep,
) -> InboxList:
    """Each ticket is a conversation, with its open review if there is one. The list is paginated. A
    filtered list examines at most 1,000 tickets per page, so a page with a `next_cursor` may be
    short or empty."""
    query = asked.query
    async with resources.database.reading(asked.tenant) as connection:
        page = await read_inbox(
            connection,
            asked.tenant,
            asked.actor,
            query.filters,
            after=query.after,
            limit=query.limit,
            now=resources.now(),
        )
    return InboxList(tickets=page.tickets, next_cursor=cursor_of_inbox(page.following))


@router.patch(
    _INBOX,
    operation_id="inbox.update_several",
    summary="Assign, claim, release, snooze, close, reopen or reject several tickets",
    responses=errors(404, 409),
)
async def update_several(
    reviewer: ReviewerDep,
    body: Annotated[TicketsBody, Depends(JsonBody(TicketsBody))],
    resources: ResourcesDep,
) -> TicketsAnswer:
    """Applies the action to at most 100 tickets of a client. If it fails for one ticket, no ticket
    changes. `claim` and `release` apply to a ticket's open review. For a ticket without an open
    review, they set or remove the assignee. `reject` requires an open review."""
    async with resources.work.of(reviewer.tenant) as work:
        changed = await change_tickets(work, reviewer.actor, body.selection, body.change)
    return TicketsAnswer(changed=changed.changed, to_decide=changed.to_decide)


@router.get(_VIEWS, operation_id="inbox_views.list", summary="List the saved views of the inbox")
async def views(member: MemberDep, resources: ResourcesDep) -> SavedViewList:
    """Any member of the client may call this operation. The views are sorted by name."""
    async with resources.database.reading(member.tenant) as connection:
        found = await list_views(connection, member.tenant, member.actor)
    return SavedViewList(views=[SavedViewAnswer.of(one) for one in found])


@router.post(
    _VIEWS,
    operation_id="inbox_views.create",
    summary="Save filters of the inbox as a view",
    status_code=201,
    responses=errors(409),
)
async def create(
    reviewer: ReviewerDep,
    body: Annotated[NewViewBody, Depends(JsonBody(NewViewBody))],
    resources: ResourcesDep,
) -> SavedViewAnswer:
    """All members of the client can open the view. The number of views of a client is limited."""
    async with resources.work.of(reviewer.tenant) as work:
        view = await create_view(work, reviewer.actor, body.name, body.filters)
    return SavedViewAnswer.of(view)


@router.get(_VIEW, operation_id="inbox_views.get", summary="Get a saved view of the inbox")
async def view(reader: Reader, resources: ResourcesDep) -> SavedViewAnswer:
    """Any member of the client may call this operation."""
    async with resources.database.reading(reader.tenant) as connection:
        found = await SavedViewRepository(connection, reader.tenant).read(reader.record_id)
    return SavedViewAnswer.of(found)


@router.patch(
    _VIEW, operation_id="inbox_views.update", summary="Rename a saved view or change its filters"
)
async def update(
    writer: Writer,
    body: Annotated[ViewBody, Depends(JsonBody(ViewBody))],
    resources: ResourcesDep,
) -> SavedViewAnswer:
    """Omitted fields do not change. New filters replace all current filters."""
    body.require_some()
    async with resources.work.of(writer.tenant) as work:
        changed = await update_view(
            work, writer.actor, writer.record_id, name=body.name, filters=body.filters
        )
    return SavedViewAnswer.of(changed)


@router.delete(
    _VIEW,
    operation_id="inbox_views.delete",
    summary="Delete a saved view of the inbox",
    status_code=204,
)
async def delete(writer: Writer, resources: ResourcesDep) -> Response:
    """The tickets do not change."""
    async with resources.work.of(writer.tenant) as work:
        await delete_view(work, writer.actor, writer.record_id)
    return Response(status_code=204)
