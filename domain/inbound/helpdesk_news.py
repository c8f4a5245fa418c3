"""A helpdesk's notification about a ticket, in one format for all helpdesks."""

from dataclasses import dataclass
from enum import StrEnum
from hashlib import sha256
from typing import Annotated, Final, TypeVar

from pydantic import AfterValidator, BaseModel, BeforeValidator, ConfigDict, Field, ValidationError

from domain.core.plain_text import clean_address
from domain.inbound.body import check_values
from domain.inbound.errors import WebhookUnreadable
from domain.inbound.meaning import InboundTicket, Meaning, Nothing, StaffMessage, TicketClosed
from domain.intake.event import InboundEvent
from domain.intake.proved_address import TICKET_BY_PLATFORM
from domain.integrations.providers import Provider

MAX_BODY: Final = 1024 * 1024
CLOSED: Final = frozenset({"solved", "closed", "resolved"})
"""Names of the ticket states in which human agents have finished with the ticket, case-folded."""

_MAX_TEXT: Final = 500_000

Shape = TypeVar("Shape", bound=BaseModel)


def _none_if_blank(value: object) -> object:
    """Return None for a blank string, and any other value unchanged. A helpdesk inserts a blank
    string for a placeholder without a value."""
    return None if isinstance(value, str) and not value.strip() else value


def _without_nul(text: str) -> str:
    # PostgreSQL cannot store NUL characters.
    return text.replace("\0", "")


Text = Annotated[str, Field(max_length=_MAX_TEXT), AfterValidator(_without_nul)]
MaybeText = Annotated[Text | None, BeforeValidator(_none_if_blank)]
MaybeBool = Annotated[bool | None, BeforeValidator(_none_if_blank)]
Id = Annotated[str, Field(pattern=r"^[A-Za-z0-9_:-]{1,64}$")]
MaybeId = Annotated[Id | None, BeforeValidator(_none_if_blank)]


class HelpdeskShape(BaseModel):
    """The base model for all helpdesk bodies. Unknown fields are ignored, and ids may be
    numbers."""

    model_config = ConfigDict(frozen=True, coerce_numbers_to_str=True)


def parsed(shape: type[Shape], body: bytes) -> Shape:
    """Parse a body into a helpdesk model. Raises WebhookUnreadable, which does not quote the
    content."""
    check_values(body)
    try:
        return shape.model_validate_json(body)
    except ValidationError:
        pass
    raise WebhookUnreadable("no_known_shape")


class Author(StrEnum):
    CUSTOMER = "customer"
    STAFF = "staff"


@dataclass(frozen=True, slots=True)
class HelpdeskMessage:
    """A message in a ticket. `is_first` means that it opened the ticket. `written_by` is the
    author's address or another identifier. `author_id` is the platform's id for the author, which a
    customer cannot choose."""

    provider: Provider
    ticket_id: str
    author: Author
    text: str
    message_id: str | None = None
    is_first: bool = False
    is_public: bool = True
    written_by: str | None = None
    customer_email: str | None = None
    customer_name: str | None = None
    subject: str | None = None
    author_id: str | None = None
    key: str | None = None
    stamp: str = ""

    @property
    def name(self) -> str:
        """The message's name within its ticket, derived from the platform's id. Without an id, the
        name is `first` for the opening message, and is derived from time and text for any other
        message."""
        if self.message_id is not None:
            return f"comment/{self.message_id}"
        if self.is_first:
            return "first"
        return f"words/{self.stamp}/{sha256(self.text.encode()).hexdigest()[:16]}"


def message_key(ticket_id: str, name: str) -> str:
    """Return the key that identifies a message in the `inbound_messages` table.

    `name` is the message's name within its ticket: `comment/{id}`, or `first` for an opening
    message without a known id.
    """
    return f"ticket/{ticket_id}/{name}"


def meaning_of(message: HelpdeskMessage) -> Meaning:
    """Return the meaning of a ticket message: a StaffMessage for a message from staff, or an
    InboundTicket for a customer's public message. A customer's private message is ignored."""
    if message.author is Author.STAFF:
        return StaffMessage(
            ticket_id=message.ticket_id,
            message_id=message.message_id or message.name,
            is_public=message.is_public,
            by=message.written_by,
            key=message.key,
            text=message.text,
        )
    if not message.is_public:
        return Nothing("private_message")
    return InboundTicket(
        event=_event(message),
        message_key=message_key(message.ticket_id, message.name),
        ticket_id=message.ticket_id,
    )


def closed_or_nothing(ticket_id: str, status: str | None) -> Meaning:
    """Return the meaning of a new ticket state: TicketClosed for a closed state, Nothing for any
    other state."""
    if status is not None and status.strip().casefold() in CLOSED:
        return TicketClosed(ticket_id)
    return Nothing("ticket_state")


def _event(message: HelpdeskMessage) -> InboundEvent:
    happened = "created" if message.is_first else "updated"
    payload = {
        "ticket_id": message.ticket_id,
        # Normalization parses HTML in a payload field with this name
        # (`domain/intake/normalization.py`).
        "message": message.text,
        "subject": message.subject,
        "customer_name": message.customer_name,
        "author_id": message.author_id,
        TICKET_BY_PLATFORM: True,
    }
    return InboundEvent(
        event_type=f"{message.provider.value}.ticket.{happened}",
        source=message.provider.value,
        # The address is untrusted and can have any length. An invalid address is dropped because it
        # identifies no customer.
        customer_email=clean_address(message.customer_email or ""),
        payload={name: value for name, value in payload.items() if value},
    )
