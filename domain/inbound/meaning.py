"""The meaning of a webhook: its content, expressed in types shared by all providers."""

from dataclasses import dataclass
from enum import StrEnum

from domain.core.attached_file import AttachedFile
from domain.inbound.inbound_webhook import Outcome
from domain.intake.event import InboundEvent
from domain.integrations.order_fact import OrderFact


@dataclass(frozen=True, slots=True)
class InboundTicket:
    """A customer's message. `message_key` identifies it on its platform, whether a webhook or a
    poll reported it. `ticket_id` is the helpdesk ticket, if any."""

    event: InboundEvent
    message_key: str
    ticket_id: str | None = None
    attachments: tuple[AttachedFile, ...] = ()


@dataclass(frozen=True, slots=True)
class OrderNews:
    """New facts about one or more orders."""

    facts: tuple[OrderFact, ...]


class ComplianceKind(StrEnum):
    """The kind of a platform's compliance request: erase a customer, deliver a customer's data,
    erase the shop's data, or disconnect after the app's removal."""

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
    """A message in a helpdesk ticket that was not written by a customer.

    - `is_public`: the customer can read it.
    - `by`: the author's address or another identifier.
    - `key`: the idempotency key with which this service sent it, if the platform returns the key.
    - `text`: used to recognize the agent's messages, and stored only in shadow mode.
    """

    ticket_id: str
    message_id: str
    is_public: bool
    by: str | None = None
    key: str | None = None
    text: str = ""


@dataclass(frozen=True, slots=True)
class TicketClosed:
    """A ticket was solved or closed, so human agents have finished with it."""

    ticket_id: str


@dataclass(frozen=True, slots=True)
class Nothing:
    """The webhook is not relevant to this service. `reason` is a stable code."""

    reason: str
    outcome: Outcome = Outcome.IGNORED


Meaning = InboundTicket | OrderNews | ComplianceRequest | StaffMessage | TicketClosed | Nothing
