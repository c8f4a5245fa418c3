"""Request and response models for the inbox and its saved views."""

from datetime import datetime
from typing import Annotated, Any, Final

from pydantic import (
    AwareDatetime,
    BaseModel,
    BeforeValidator,
    ConfigDict,
    Field,
    StrictBool,
    field_validator,
)

from api.schemas.core.client_query import ClientQuery
from api.schemas.core.strict_body import StrictBody, as_whole
from api.schemas.reviews.review import cursor_at, place_at
from domain.core.ids import ULID
from domain.reviews.escalation import MAX_NOTE
from domain.reviews.review import QueuePlace
from domain.runs.inbox import MAX_AMOUNT, InboxFilter, InboxPlace, InboxTicket
from domain.runs.saved_view import MAX_VIEW_NAME, SavedView
from domain.runs.ticket_change import TicketAction, TicketChange, TicketSelection
from domain.runs.triage import MAX_AT_ONCE
from domain.tenants.user import MAX_USER_ID

_TEXT: Final = r"^[^\x00]*$"
_WRITTEN: Final = r"^[^\x00]*[^\x00\s][^\x00]*$"


class InboxQuery(InboxFilter, ClientQuery):
    """Query parameters for the inbox."""

    limit: Annotated[int, Field(ge=1, le=100)] = 50
    cursor: Annotated[
        str | None,
        Field(max_length=200, description="Value of `next_cursor` from the previous page."),
    ] = None

    @field_validator("cursor")
    @classmethod
    def _ours(cls, value: str | None) -> str | None:
        if value is not None:
            place_at(value)
        return value

    @property
    def filters(self) -> InboxFilter:
        return InboxFilter.model_validate(
            {name: getattr(self, name) for name in InboxFilter.model_fields}
        )

    @property
    def after(self) -> InboxPlace | None:
        return place_of_cursor(self.cursor)


class InboxList(BaseModel):
    tickets: list[InboxTicket]
    next_cursor: str | None = Field(description="Cursor for the next page; null on the last page.")


class TicketsBody(StrictBody):
    """An action on several tickets, each named by its review or by its conversation."""

    model_config = ConfigDict(
        json_schema_extra={
            "examples": [{"action": "reject", "review_ids": ["01M7YSDHZSS3GSH7RJVZYVYSP5"]}],
        }
    )

    action: Annotated[TicketAction, Field(strict=False)]
    review_ids: Annotated[
        tuple[Annotated[str, Field(pattern=ULID)], ...],
        Field(strict=False, max_length=MAX_AT_ONCE),
    ] = ()
    conversation_ids: Annotated[
        tuple[Annotated[str, Field(pattern=ULID)], ...],
        Field(strict=False, max_length=MAX_AT_ONCE),
    ] = ()
    assignee: Annotated[
        str | None,
        Field(
            max_length=MAX_USER_ID,
            pattern=_TEXT,
            description="For `assign`: id of a member; an empty string removes the assignee.",
        ),
    ] = None
    snoozed_until: Annotated[
        AwareDatetime | None,
        Field(strict=False, description="For `snooze`: time at which the tickets reopen."),
    ] = None
    note: Annotated[
        str | None,
        Field(
            max_length=MAX_NOTE,
            pattern=_TEXT,
            description="For `reject`: internal note, visible only to teammates.",
        ),
    ] = None

    @property
    def selection(self) -> TicketSelection:
        return TicketSelection.of(self.review_ids, self.conversation_ids)

    @property
    def change(self) -> TicketChange:
        return TicketChange(self.action, self.assignee, self.snoozed_until, self.note)


class TicketsAnswer(BaseModel):
    changed: int = Field(description="Number of selected tickets, all of which were changed.")
    to_decide: int = Field(description="Number of these tickets that still have an open review.")


class FiltersBody(InboxFilter):
    """The filters in a request body. Unlike a query, a body distinguishes numbers, booleans and
    strings."""

    min_amount: Annotated[
        Annotated[int, Field(strict=True, ge=0, le=MAX_AMOUNT), BeforeValidator(as_whole)] | None,
        Field(description="Minimum amount at stake, in minor units, regardless of currency."),
    ] = None
    unhappy: StrictBool = False
    taken: StrictBool = False


class NewViewBody(StrictBody):
    model_config = ConfigDict(
        regex_engine="python-re",
        json_schema_extra={
            "examples": [
                {"name": "Remboursements", "filters": {"classification": "refund_request"}}
            ]
        },
    )

    name: str = Field(pattern=_WRITTEN, max_length=MAX_VIEW_NAME)
    filters: Annotated[FiltersBody, Field(strict=False)] = FiltersBody()


class ViewBody(StrictBody):
    model_config = ConfigDict(
        regex_engine="python-re",
        json_schema_extra={"minProperties": 1, "examples": [{"name": "Remboursements"}]},
    )

    name: str | None = Field(default=None, pattern=_WRITTEN, max_length=MAX_VIEW_NAME)
    filters: Annotated[FiltersBody | None, Field(strict=False)] = None


class SavedViewAnswer(BaseModel):
    view_id: str
    name: str
    filters: InboxFilter
    created_by: str
    created_at: datetime
    updated_at: datetime

    @classmethod
    def of(cls, view: SavedView) -> "SavedViewAnswer":
        fields: dict[str, Any] = view.model_dump(exclude={"id"})
        return cls.model_validate({**fields, "view_id": view.id})


class SavedViewList(BaseModel):
    views: list[SavedViewAnswer]


def place_of_cursor(cursor: str | None) -> InboxPlace | None:
    """Return the position in the inbox that the cursor encodes. Raises ValueError if the cursor is
    invalid."""
    return None if cursor is None else InboxPlace(*place_at(cursor))


def cursor_of_inbox(place: InboxPlace | None) -> str | None:
    """Return the cursor for a position in the inbox, or None on the last page."""
    return None if place is None else cursor_at(QueuePlace(*place))
