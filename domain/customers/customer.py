"""A client's customer, as shown in lists and on pages."""

from datetime import datetime

from pydantic import BaseModel, ConfigDict

from domain.analytics.churn import ChurnLevel
from domain.core.money import Money
from domain.customers.customer_orders import CustomerOrder
from domain.runs.correspondence import ConversationSummary
from domain.runs.teammate_reply import InternalNote


class Customer(BaseModel):
    """A customer, identified by an address. `email`: the address, as returned by `customer_key`.
    `name`: the latest name in the customer's messages. `is_verified`: whether at least one message
    came from a sender who was verified to hold the address."""

    model_config = ConfigDict(frozen=True)

    id: str
    email: str
    name: str | None
    is_verified: bool
    first_contact_at: datetime
    last_contact_at: datetime


class CustomerFigures(BaseModel):
    """A customer's statistics, from the latest messages and the known orders. `conversations` and
    `orders` count only the records that were read. `spent`: the totals of paid orders that are not
    cancelled, per currency. `has_more_orders`: whether the customer may have more orders than were
    read. `spent` is then a lower bound. `sentiment`: the latest score, from -1 to 1. `risk`: the
    latest churn prediction."""

    model_config = ConfigDict(frozen=True)

    conversations: int = 0
    orders: int = 0
    spent: tuple[Money, ...] = ()
    has_more_orders: bool = False
    sentiment: float | None = None
    risk: ChurnLevel | None = None


class ListedCustomer(Customer):
    """A customer in a list."""

    figures: CustomerFigures


class CustomerConversation(ConversationSummary):
    """A customer's conversation. `is_verified`: whether the author was verified to hold the
    customer's address."""

    is_verified: bool


class AgentRefund(BaseModel):
    """An amount that the agent refunded to a customer, through a refund or a cancelled order.
    `order_number`: the order's number, or None if the order is unknown."""

    model_config = ConfigDict(frozen=True)

    run_id: str
    order_key: str | None
    order_number: str | None
    amount: Money
    refunded_at: datetime


class CustomerDetails(Customer):
    """The data for a customer's page. Each list has a maximum length, and is sorted latest first.
    `refunded`: the sums of the agent's refunds, per currency. `notes`: internal notes in the
    customer's conversations. `is_complete`: False if the customer has more conversations than are
    listed."""

    figures: CustomerFigures
    conversations: tuple[CustomerConversation, ...]
    orders: tuple[CustomerOrder, ...]
    refunds: tuple[AgentRefund, ...]
    refunded: tuple[Money, ...]
    notes: tuple[InternalNote, ...]
    is_complete: bool
