"""The meaning: what a webhook's bytes say, the same few shapes for every provider."""

from dataclasses import dataclass
from enum import StrEnum

from domain.inbound.inbound_webhook import Outcome
from domain.intake.attachment import AttachedFile
from domain.intake.event import InboundEvent
from domain.integrations.order_fact import OrderFact


@dataclass(frozen=True, slots=True)
class InboundTicket:
    """A customer's message. `message_key`: names the message at its platform, whatever brought it:
    a webhook, another subscription's, or a poll. `ticket_id`: of the helpdesk's ticket, where there
    is one."""

    event: InboundEvent
    message_key: str
    ticket_id: str | None = None
    attachments: tuple[AttachedFile, ...] = ()


@dataclass(frozen=True, slots=True)
class OrderNews:
    """What it says of one order or of several."""

    facts: tuple[OrderFact, ...]


class DutyKind(StrEnum):
    """What a platform asks for. `redact_customer`: erase a customer. `customer_data`: hand a
    customer's data over. `redact_shop`: erase what came from the shop. `disconnect`: the app was
    removed."""

    REDACT_CUSTOMER = "redact_customer"
    CUSTOMER_DATA = "customer_data"
    REDACT_SHOP = "redact_shop"
    DISCONNECT = "disconnect"


@dataclass(frozen=True, slots=True)
class Duty:
    kind: DutyKind
    customer_email: str | None = None
    order_ids: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class StaffMessage:
    """A message that no customer wrote, in a helpdesk's ticket. `is_public`: the customer reads it.
    `by`: the address of its author, or what else the platform calls them. `key`: our own action's,
    where the platform gives it back. `text`: for recognizing our own words, and kept only
    beside what a playbook in shadow mode would have written."""

    ticket_id: str
    message_id: str
    is_public: bool
    by: str | None = None
    key: str | None = None
    text: str = ""


@dataclass(frozen=True, slots=True)
class TicketClosed:
    """The ticket was solved or closed: no person is at work in it any more."""

    ticket_id: str


@dataclass(frozen=True, slots=True)
class Nothing:
    """It concerns nothing here. `reason`: a stable code."""

    reason: str
    outcome: Outcome = Outcome.IGNORED


Meaning = InboundTicket | OrderNews | Duty | StaffMessage | TicketClosed | Nothing
