"""The list of tickets, shown in the inbox and next to a ticket's page. The `inbox` parameter of a
ticket's page contains the query of the list that the member came from."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Annotated, Final, Literal
from urllib.parse import parse_qs, parse_qsl, quote, urlencode, urlsplit

from pydantic import Field, field_validator
from starlette.datastructures import QueryParams

from api.dashboard.navigation import INBOX
from api.dashboard.page import Page
from api.http.query import parse_query
from api.schemas.core.client_query import ClientQuery
from api.schemas.reviews.inbox import cursor_of_inbox, place_of_cursor
from domain.agent.brain import Category
from domain.agent.escalation_reason import EscalationReason
from domain.core.errors import InvalidQuery
from domain.core.ids import ULID
from domain.core.money import Money
from domain.intake.event import Channel
from domain.reviews.waiting import AnswerWait
from domain.runs.errors import InboxViewNotFound
from domain.runs.inbox import ClaimFilter, InboxFilter, InboxOrder, InboxTicket, InboxView
from domain.runs.saved_view import SavedView
from domain.runs.triage import MAX_TAG, ConversationStatus
from domain.tenants.user import MAX_USER_ID
from services.customers.customers import customer_names
from services.reviews.inbox import list_views, read_inbox
from services.reviews.waiting import read_waiting

SHOWN: Final = 30
"""The number of tickets on a page of the list."""

_TEXT: Final = r"^[^\x00]*$"
_VIEW: Final = rf"^({'|'.join(InboxView)})$|{ULID}"


class InboxListQuery(ClientQuery):
    """Query parameters for the page of the inbox. `view` is built in, or a saved view's id, which
    determines the filters. `sum` is the minimum amount in decimal notation."""

    view: Annotated[str, Field(pattern=_VIEW)] = InboxView.NEEDS.value
    reason: EscalationReason | None = None
    classification: Category | None = None
    sum: Annotated[str | None, Field(pattern=r"^\d{1,9}([.,]\d{1,2})?$")] = None
    claim: ClaimFilter | None = None
    channel: Channel | None = None
    status: ConversationStatus | None = None
    assignee: Annotated[str | None, Field(max_length=MAX_USER_ID, pattern=_TEXT)] = None
    tag: Annotated[str | None, Field(max_length=MAX_TAG, pattern=_TEXT)] = None
    mood: Literal["unhappy"] | None = None
    held: Literal["taken"] | None = None
    order: InboxOrder | None = None
    cursor: Annotated[str | None, Field(max_length=200)] = None

    @field_validator("cursor")
    @classmethod
    def _ours(cls, value: str | None) -> str | None:
        place_of_cursor(value)
        return value

    @property
    def saved_id(self) -> str | None:
        """Return the id of the saved view, or None for a built-in view."""
        return None if self.view in set(InboxView) else self.view

    @property
    def filters(self) -> InboxFilter:
        """Return the filters of a built-in view. A tag that consists of white space is ignored."""
        least = None if self.sum is None else Money.parse(self.sum.replace(",", "."), "EUR").minor
        return InboxFilter(
            view=InboxView(self.view),
            reason=self.reason,
            classification=self.classification,
            min_amount=least,
            claim=self.claim,
            channel=self.channel,
            status=self.status,
            assignee=self.assignee,
            tag=" ".join((self.tag or "").split()) or None,
            unhappy=self.mood is not None,
            taken=self.held is not None,
            order=self.order,
        )

    @property
    def text(self) -> str:
        """Return the query as text, without the client and without default values."""
        given = self.model_dump(mode="json", exclude_defaults=True, exclude={"client_id"})
        return urlencode(given)


def query_of(filters: InboxFilter) -> InboxListQuery:
    """Return the query of the page with these filters."""
    least = filters.min_amount
    fields = filters.model_dump(exclude={"min_amount", "unhappy", "taken"})
    return InboxListQuery.model_validate(
        {
            **fields,
            "view": filters.view.value,
            "sum": None if least is None else Money(minor=least, currency="EUR").decimal(),
            "mood": "unhappy" if filters.unhappy else None,
            "held": "taken" if filters.taken else None,
        }
    )


def parsed_list(text: str) -> InboxListQuery:
    """Return the list query in `text`. If `text` is invalid, return the query of the default list,
    so that the ticket's page is shown anyway."""
    try:
        return parse_query(InboxListQuery, QueryParams(parse_qsl(text)))
    except (InvalidQuery, ValueError):
        return InboxListQuery()


def list_beside(address: str) -> InboxListQuery:
    """Return the list next to the ticket's page with this address."""
    return parsed_list((parse_qs(urlsplit(address).query).get("inbox") or [""])[0])


def with_list(path: str, query: InboxListQuery) -> str:
    """Return the address of a ticket's page with this list next to it."""
    return f"{path}?inbox={quote(query.text, safe='')}" if query.text else path


@dataclass(frozen=True, slots=True)
class TicketList:
    """A page of the inbox as shown to a member.

    - `views`, `saved`: all saved views, and the chosen one.
    - `cursor`: for the next page, or "".
    - `waits`: waiting times by conversation id, empty without a target.
    - `current`: the review or conversation open next to the list.
    - `customers`: names by address.
    """

    query: InboxListQuery
    filters: InboxFilter
    tickets: list[InboxTicket]
    cursor: str
    views: tuple[SavedView, ...]
    saved: SavedView | None
    waits: Mapping[str, AnswerWait]
    current: str = ""
    customers: Mapping[str, str] = field(default_factory=dict)

    @property
    def names(self) -> dict[str, str]:
        """Return the names of the saved views, by id."""
        return {view.id: view.name for view in self.views}

    @property
    def address(self) -> str:
        """Return the address of the list."""
        return f"{INBOX}?{self.query.text}" if self.query.text else INBOX

    @property
    def next_address(self) -> str:
        """Return the address of the next page of the list, or an empty string."""
        following = self.query.model_copy(update={"cursor": self.cursor})
        return f"{INBOX}?{following.text}" if self.cursor else ""

    @property
    def part(self) -> str:
        """Return the address of the list as a part of the open ticket's page."""
        inbox = quote(self.query.text, safe="")
        return f"{INBOX}/list?inbox={inbox}&at={self.current}"

    def customer(self, ticket: InboxTicket) -> str:
        """Return the customer's name, or the address if the name is unknown. Return an empty string
        for an anonymous visitor."""
        address = ticket.customer_email or ""
        return self.customers.get(address, address)

    def href(self, ticket: InboxTicket) -> str:
        """Return the address of a ticket's page, with this list next to it."""
        return with_list(ticket.path, self.query)

    def is_current(self, ticket: InboxTicket) -> bool:
        """Return True if the ticket is open next to the list."""
        return self.current in (ticket.review_id, ticket.conversation_id)

    def beside(self, by: int) -> str:
        """Return the address of the next (1) or previous (-1) ticket in the list, or an empty
        string."""
        here = next((n for n, one in enumerate(self.tickets) if self.is_current(one)), None)
        if here is None or not 0 <= here + by < len(self.tickets):
            return ""
        return self.href(self.tickets[here + by])


async def ticket_list(page: Page, query: InboxListQuery, *, current: str = "") -> TicketList:
    """Return the list for a query. With an unknown saved view, raise InboxViewNotFound or, next to
    a ticket, return the default list."""
    async with page.resources.database.reading(page.tenant) as connection:
        views = await list_views(connection, page.tenant, page.actor)
        saved = next((view for view in views if view.id == query.saved_id), None)
        if saved is None and query.saved_id is not None:
            if not current:
                raise InboxViewNotFound(query.saved_id)
            query = InboxListQuery()
        filters = query.filters if saved is None else saved.filters
        found = await read_inbox(
            connection,
            page.tenant,
            page.actor,
            filters,
            after=place_of_cursor(query.cursor),
            limit=SHOWN,
            now=page.now,
        )
        talks = [one.conversation_id for one in found.tickets if one.conversation_id]
        waits = await read_waiting(connection, page.tenant, page.actor, talks, page.now)
        addresses = [one.customer_email for one in found.tickets]
        customers = await customer_names(connection, page.tenant, page.actor, addresses)
    return TicketList(
        query,
        filters,
        found.tickets,
        cursor_of_inbox(found.following) or "",
        views,
        saved,
        waits,
        current,
        customers,
    )
