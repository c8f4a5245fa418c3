"""inbox: commands that list and change a client's tickets, and its saved views."""

from datetime import UTC, datetime
from typing import Annotated, Final

import typer

from adapters.system import utc_now
from commands.core.context import (
    DEFAULT_DATA,
    ClientOption,
    DataOption,
    JsonOption,
    answer,
    command,
    database_of,
    fields_of,
    work_on,
)
from commands.core.listing import print_list
from commands.core.person import AsOption, acting
from domain.core.ids import TenantId, parse_ulid
from domain.core.json_time import rfc3339
from domain.runs.inbox import InboxFilter, InboxTicket, InboxView
from domain.runs.saved_view import SavedView
from domain.runs.ticket_change import TicketAction, TicketChange, TicketSelection
from services.reviews.inbox import list_views, read_inbox
from services.reviews.ticket_changes import change_tickets
from store.reviews.saved_views import SavedViewRepository
from store.tenants.clients import ClientRepository

app = typer.Typer(
    help="List and change the tickets in the inbox.",
    no_args_is_help=True,
)

_LISTED: Final = ("ticket", "why", "waiting since", "assignee", "customer")
_VIEWS: Final = ("view", "name", "filters")

ViewOption = Annotated[
    str,
    typer.Option(
        help=f"Built-in view ({', '.join(InboxView)}) or the id of a saved view.", metavar="VIEW"
    ),
]


@command(app, "list")
async def list_some(
    client: ClientOption,
    view: ViewOption = InboxView.NEEDS.value,
    person: AsOption = None,
    limit: Annotated[int, typer.Option(min=1, max=1000, help="Maximum number of rows.")] = 50,
    data: DataOption = DEFAULT_DATA,
    as_json: JsonOption = False,
) -> None:
    """Show a client's tickets: conversations, with their open reviews. --as selects the user of the
    view `mine`."""
    tenant = TenantId(parse_ulid(client) or client)
    async with database_of(data) as database:
        actor = await acting(database, person)
        async with database.reading(tenant) as connection:
            await ClientRepository(connection).brand_name(tenant)
            if view in set(InboxView):
                filters = InboxFilter(view=InboxView(view))
            else:
                view_id = parse_ulid(view) or view
                filters = (await SavedViewRepository(connection, tenant).read(view_id)).filters
            page = await read_inbox(connection, tenant, actor, filters, limit=limit, now=utc_now())
    if as_json:
        answer(True, "", tickets=[one.model_dump(mode="json") for one in page.tickets])
        return
    print_list(_LISTED, (_cells(one) for one in page.tickets), ids=1)


@command(app, "views")
async def views(
    client: ClientOption, data: DataOption = DEFAULT_DATA, as_json: JsonOption = False
) -> None:
    """Show a client's saved views."""
    tenant = TenantId(parse_ulid(client) or client)
    async with database_of(data) as database:
        actor = await acting(database, None)
        async with database.reading(tenant) as connection:
            await ClientRepository(connection).brand_name(tenant)
            found = await list_views(connection, tenant, actor)
    if as_json:
        answer(True, "", views=[fields_of(one, "view_id") for one in found])
        return
    print_list(_VIEWS, ((one.id, one.name, _filters(one)) for one in found), ids=1)


@command(app, "change")
async def change(
    client: ClientOption,
    action: Annotated[TicketAction, typer.Argument()],
    review: Annotated[
        list[str] | None, typer.Option(metavar="ID", help="Id of a review; repeatable.")
    ] = None,
    conversation: Annotated[
        list[str] | None, typer.Option(metavar="ID", help="Id of a conversation; repeatable.")
    ] = None,
    assignee: Annotated[
        str | None, typer.Option(help="For assign: id of a member; empty to remove the assignee.")
    ] = None,
    until: Annotated[
        datetime | None, typer.Option(help="For snooze: time at which the tickets reopen, UTC.")
    ] = None,
    note: Annotated[
        str | None, typer.Option(help="For reject: note, visible only to teammates.")
    ] = None,
    person: AsOption = None,
    data: DataOption = DEFAULT_DATA,
    as_json: JsonOption = False,
) -> None:
    """Apply one action to at most 100 tickets of a client. If it fails for one ticket, no ticket
    changes."""
    tenant = TenantId(parse_ulid(client) or client)
    selection = TicketSelection.of(
        [parse_ulid(one) or one for one in review or ()],
        [parse_ulid(one) or one for one in conversation or ()],
    )
    wanted = TicketChange(action, assignee, until and until.replace(tzinfo=UTC), note)
    async with work_on(data) as units:
        actor = await acting(units.database, person)
        async with units.database.reading(tenant) as connection:
            await ClientRepository(connection).brand_name(tenant)
        async with units.of(tenant) as work:
            changed = await change_tickets(work, actor, selection, wanted)
    answer(
        as_json,
        f"Tickets changed: {changed.changed}. Still to decide: {changed.to_decide}.",
        changed=changed.changed,
        to_decide=changed.to_decide,
    )


def _cells(ticket: InboxTicket) -> tuple[str, ...]:
    why = ticket.reason.value if ticket.is_open_review and ticket.reason else ""
    held = ticket.claim.by if ticket.claim else ticket.assignee or ticket.taken_by or ""
    since = rfc3339(ticket.waiting_since, "seconds") if ticket.waiting_since else ""
    name = ticket.review_id or ticket.conversation_id or ""
    return name, ("urgent, " * ticket.urgent) + why, since, held, ticket.customer_email or "visitor"


def _filters(view: SavedView) -> str:
    chosen = view.filters.model_dump(mode="json", exclude_defaults=True)
    return ", ".join(f"{name}={value}" for name, value in chosen.items()) or "view=needs"
