"""The policy context: all inputs of a policy decision."""

from collections.abc import Iterable, Sequence
from datetime import datetime, timedelta
from typing import Final

from pydantic import BaseModel, ConfigDict

from domain.agent.plan import ActionKind
from domain.agent.rulebook import Rulebook
from domain.agent.thread import Thread
from domain.intake.event import UnifiedEvent
from domain.integrations.integration import Integration
from domain.integrations.order import Order
from domain.integrations.providers import HELPDESKS, SHOPS, Provider

CUSTOMER_WINDOW: Final = timedelta(days=30)
"""The period to which the money limit per customer applies."""


class Spent(BaseModel):
    """The agent's earlier refunds, in minor units of the limits' currency, and its earlier actions
    on the order.

    - `customer`: refunded to this customer within CUSTOMER_WINDOW.
    - `day`: refunded to all of the client's customers since midnight UTC.
    - `on_order`: the kinds of action that any run may have executed on the order.
    - `same_number`: whether a run may have acted on an order with the same number at another
      provider. Both may be the same order.
    """

    model_config = ConfigDict(frozen=True)

    customer: int = 0
    day: int = 0
    on_order: frozenset[ActionKind] = frozenset()
    same_number: bool = False


class Connection(BaseModel):
    """The properties of a connected integration that the policy needs. `answers_by_note`: in this
    helpdesk, the agent writes its answers as internal notes for human agents to send."""

    model_config = ConfigDict(frozen=True)

    integration_id: str
    provider: Provider
    answers_by_note: bool = False


class PolicyContext(BaseModel):
    """All inputs of a policy decision. `order` belongs to this customer. `thread` is the state
    before this message. `confirmed` is the action that the customer has just confirmed. `unsafe`
    means that the message or its fields contain a prompt injection."""

    model_config = ConfigDict(frozen=True)

    event: UnifiedEvent
    rulebook: Rulebook
    connections: tuple[Connection, ...] = ()
    order: Order | None = None
    spent: Spent = Spent()
    thread: Thread = Thread()
    confirmed: ActionKind | None = None
    unsafe: bool = False
    now: datetime

    def shop_is_connected(self, order: Order) -> bool:
        """Return True if the order's shop is still connected."""
        return any(
            connection.integration_id == order.integration_id and connection.provider in SHOPS
            for connection in self.connections
        )

    @property
    def answers_by_note(self) -> bool:
        """Return True if the agent writes its answer as an internal note in the event's ticket."""
        return self.desk is not None and self.desk.answers_by_note

    @property
    def desk(self) -> Connection | None:
        """Return the connected helpdesk that contains the event's ticket, or None."""
        return desk_of(self.event, self.connections)


def connections_of(integrations: Iterable[Integration]) -> tuple[Connection, ...]:
    """Return the connections through which the agent can act. Connections that only receive
    webhooks are omitted."""
    return tuple(
        Connection(integration_id=it.id, provider=it.provider, answers_by_note=it.answers_by_note)
        for it in integrations
        if not it.only_listens
    )


def desk_of(event: UnifiedEvent, connections: Sequence[Connection]) -> Connection | None:
    """Return the connected helpdesk that contains the event's ticket, or None. A ticket is ignored
    if the caller is not allowed to name tickets, because it may be another customer's ticket."""
    if not event.is_in_ticket:
        return None
    here = (one for one in connections if one.provider == event.platform)
    return next((one for one in here if one.provider in HELPDESKS), None)
