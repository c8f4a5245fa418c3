"""The inbox: pages of a client's tickets, and its saved views."""

from dataclasses import dataclass
from datetime import datetime

from sqlalchemy.ext.asyncio import AsyncConnection

from domain.core.ids import TenantId
from domain.runs.errors import TooManyInboxViews
from domain.runs.inbox import InboxFilter, InboxPlace, InboxTicket, InboxView
from domain.runs.saved_view import MAX_VIEWS, SavedView, checked_view_name
from domain.tenants.actor import ANYONE, REVIEWERS, Actor
from services.core.unit_of_work import UnitOfWork
from store.reviews.inbox import InboxReader
from store.reviews.open_reviews import count_needs
from store.reviews.saved_views import SavedViewRepository
from store.tenants.accounts import AccountRepository


@dataclass(frozen=True, slots=True)
class InboxPage:
    """A page of the inbox. `following` is the cursor for the next page, or None on the last
    page."""

    tickets: list[InboxTicket]
    following: InboxPlace | None


async def read_inbox(
    connection: AsyncConnection,
    tenant: TenantId,
    actor: Actor,
    filters: InboxFilter,
    *,
    after: InboxPlace | None = None,
    limit: int,
    now: datetime,
) -> InboxPage:
    """Return a page of the client's tickets. The view `mine` depends on the actor. Raises
    RoleRequired."""
    actor.require(ANYONE)
    tickets, following = await InboxReader(connection, tenant).page(
        filters, user=actor.name, after=after, limit=limit, now=now
    )
    return InboxPage(tickets, following)


async def count_view(
    connection: AsyncConnection, tenant: TenantId, actor: Actor, view: InboxView, *, now: datetime
) -> int:
    """Return the number of tickets in a view, as listed without filters. Return MOST + 1 if there
    are more than MOST. Raises RoleRequired."""
    actor.require(ANYONE)
    if view is InboxView.NEEDS:
        return await count_needs(connection, tenant, now)
    reader = InboxReader(connection, tenant)
    return await reader.count(InboxFilter(view=view), user=actor.name, now=now)


async def list_views(
    connection: AsyncConnection, tenant: TenantId, actor: Actor
) -> tuple[SavedView, ...]:
    """Return the client's saved views, in alphabetical order. Raises RoleRequired."""
    actor.require(ANYONE)
    return await SavedViewRepository(connection, tenant).all()


async def create_view(work: UnitOfWork, actor: Actor, name: str, filters: InboxFilter) -> SavedView:
    """Save filters of the inbox under a name, for all members of the client. Locks the account to
    enforce the limit.

    Raises RoleRequired, InvalidInboxView, TooManyInboxViews.
    """
    actor.require(REVIEWERS)
    views = SavedViewRepository(work.connection, work.tenant)
    name = checked_view_name(name)
    await AccountRepository(work.connection, work.tenant).lock()
    if await views.count() >= MAX_VIEWS:
        raise TooManyInboxViews(MAX_VIEWS)
    view = SavedView(
        id=work.new_id(),
        name=name,
        filters=filters,
        created_by=actor.name,
        created_at=work.now,
        updated_at=work.now,
    )
    await views.add(view)
    work.note(actor, "inbox view created", view_id=view.id)
    return view


async def update_view(
    work: UnitOfWork,
    actor: Actor,
    view_id: str,
    *,
    name: str | None = None,
    filters: InboxFilter | None = None,
) -> SavedView:
    """Update a saved view and return it. None leaves its name or filters unchanged. Raises
    RoleRequired, InboxViewNotFound, InvalidInboxView."""
    actor.require(REVIEWERS)
    views = SavedViewRepository(work.connection, work.tenant)
    name = None if name is None else checked_view_name(name)
    await views.change(view_id, name=name, filters=filters, now=work.now)
    work.note(actor, "inbox view updated", view_id=view_id)
    return await views.read(view_id)


async def delete_view(work: UnitOfWork, actor: Actor, view_id: str) -> None:
    """Delete a saved view, but not its tickets. Raises RoleRequired, InboxViewNotFound."""
    actor.require(REVIEWERS)
    await SavedViewRepository(work.connection, work.tenant).delete(view_id)
    work.note(actor, "inbox view deleted", view_id=view_id)
