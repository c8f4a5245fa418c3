"""A client's customer, as shown in lists and on pages."""

from datetime import datetime

from pydantic import BaseModel, ConfigDict

from domain.analytics.churn import ChurnLevel
from domain.core.money import Money
from domain.customers.customer_orders import CustomerOrder
from domain.runs.correspondence import ConversationSummary
from domain.runs.teammate_reply import InternalNote


class Customer(BaseModel):
    """A customer, identified by an address. `email` is the result of `customer_key`. `name` is the
    latest name used. If `is_verified` is true, at least one message came from a verified holder of
    the address."""

    model_config = ConfigDict(frozen=True)

    id: str
    email: str
    name: str | None
    is_verified: bool
    first_contact_at: datetime
    last_contact_at: datetime


class CustomerFigures(BaseModel):
    """A customer's statistics, from the latest messages and the known orders.

    `conversations` and `orders` count only the records read. `spent` totals the paid orders that
    are not cancelled, by currency. If `has_more_orders` is true, `spent` is a lower bound.
    `sentiment` is the latest score, from -1 to 1.
    """

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
    """A customer's conversation. `is_verified` means that the author was verified to hold the
    customer's address."""

    is_verified: bool


class AgentRefund(BaseModel):
    """An amount that the agent refunded to a customer, through a refund or a cancelled order.
    `order_number` is the order's number, or None if the order is unknown."""

    model_config = ConfigDict(frozen=True)

    run_id: str
    order_key: str | None
    order_number: str | None
    amount: Money
    refunded_at: datetime


class CustomerDetails(Customer):
    """The data for a customer's page, each list limited in length and latest first. `refunded` is
    by currency. `is_complete` is False if there are more conversations than listed."""

    figures: CustomerFigures
    conversations: tuple[CustomerConversation, ...]
    orders: tuple[CustomerOrder, ...]
    refunds: tuple[AgentRefund, ...]
    refunded: tuple[Money, ...]
    notes: tuple[InternalNote, ...]
    is_complete: bool
