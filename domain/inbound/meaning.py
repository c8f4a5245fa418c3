"""The meaning of a webhook: its content, expressed in types shared by all providers."""

from dataclasses import dataclass
from enum import StrEnum

from domain.core.attached_file import AttachedFile
from domain.inbound.inbound_webhook import Outcome
from domain.intake.event import InboundEvent
from domain.integrations.order_fact import OrderFact


@dataclass(frozen=True, slots=True)
class InboundTicket:
    """A customer's message. `message_key`: identifies the message on its platform, regardless of
    whether the message arrived through this webhook, another subscription or a poll. `ticket_id`:
    the id of the helpdesk ticket, if there is one."""

    event: InboundEvent
    message_key: str
    ticket_id: str | None = None
    attachments: tuple[AttachedFile, ...] = ()


@dataclass(frozen=True, slots=True)
class OrderNews:
    """New facts about one or more orders."""

    facts: tuple[OrderFact, ...]


class ComplianceKind(StrEnum):
    """The kind of a platform's compliance request. `redact_customer`: erase a customer.
    `customer_data`: deliver a customer's data. `redact_shop`: erase the shop's data. `disconnect`:
    the app was removed from the shop."""

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
    """A message in a helpdesk ticket that was not written by a customer. `is_public`: whether the
    customer can read the message. `by`: the author's address or another identifier from the
    platform. `key`: the idempotency key of the action with which this service sent the message, if
    the platform returns the key. `text`: used to recognize the agent's own messages, and stored
    only for comparison with the drafts of a playbook in shadow mode."""

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
    """The webhook is not relevant to this service. `reason`: a stable code."""

    reason: str
    outcome: Outcome = Outcome.IGNORED


Meaning = InboundTicket | OrderNews | ComplianceRequest | StaffMessage | TicketClosed | Nothing
