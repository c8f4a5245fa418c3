"""The meaning: a webhook's content in the same few types for every provider."""

from dataclasses import dataclass
from enum import StrEnum

from domain.inbound.inbound_webhook import Outcome
from domain.intake.attachment import AttachedFile
from domain.intake.event import InboundEvent
from domain.integrations.order_fact import OrderFact


@dataclass(frozen=True, slots=True)
class InboundTicket:
    """A customer's message. `message_key`: identifies the message at its platform, however it
    arrived: by this webhook, another subscription or a poll. `ticket_id`: the helpdesk ticket, if
    there is one."""

    event: InboundEvent
    message_key: str
    ticket_id: str | None = None
    attachments: tuple[AttachedFile, ...] = ()


@dataclass(frozen=True, slots=True)
class OrderNews:
    """New facts about one or several orders."""

    facts: tuple[OrderFact, ...]


class ComplianceKind(StrEnum):
    """The kind of a platform's compliance request. `redact_customer`: erase a customer.
    `customer_data`: hand over a customer's data. `redact_shop`: erase data from the shop.
    `disconnect`: the app was removed."""

    REDACT_CUSTOMER = "redact_customer"
    CUSTOMER_DATA = "customer_data"
    REDACT_SHOP = "redact_shop"
    DISCONNECT = "disconnect"


@dataclass(frozen=True, slots=True)
class ComplianceRequest:
    kind: ComplianceKind
    customer_email: str | None = None
    order_ids: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class StaffMessage:
    """A message in a helpdesk ticket that no customer wrote. `is_public`: the customer can read the
    message. `by`: the author's address or other platform identifier. `key`: the idempotency key of
    this service's own action, if the platform returns it. `text`: used to recognize the agent's own
    messages, and stored only for comparison with a shadow-mode playbook."""

    ticket_id: str
    message_id: str
    is_public: bool
    by: str | None = None
    key: str | None = None
    text: str = ""


@dataclass(frozen=True, slots=True)
class TicketClosed:
    """The ticket was solved or closed, so people have finished with it."""

    ticket_id: str


@dataclass(frozen=True, slots=True)
class Nothing:
    """The webhook is not relevant to this service. `reason`: a stable code."""

    reason: str
    outcome: Outcome = Outcome.IGNORED


Meaning = InboundTicket | OrderNews | ComplianceRequest | StaffMessage | TicketClosed | Nothing
