"""Build the event and the order described in a scenario."""

from datetime import datetime, timedelta
from typing import Final

from domain.agent.lookup import looks_up, order_to_find
from domain.agent.policy_context import Connection
from domain.agent.thread import Thread
from domain.core.money import Money
from domain.intake.event import InboundEvent, UnifiedEvent
from domain.integrations.known_order import number_key
from domain.integrations.order import Lookup, Order
from domain.integrations.providers import SHOPS
from domain.simulation.scenario import Scenario

MADE_UP: Final = "made-up"
"""The placeholder id for records that a simulation does not store."""

SHOP: Final = Connection(integration_id=MADE_UP, provider=min(SHOPS))
"""The shop of a made-up order. Any provider that supports actions will do, because policy rules do
not depend on the shop."""

_PLACED_BEFORE: Final = timedelta(days=5)


def event_of(scenario: Scenario, text: str) -> InboundEvent:
    """Return a message from the scenario in the format that the gateway receives."""
    said = {
        **scenario.fields,
        "customer_name": scenario.customer.name,
        "subject": scenario.subject,
        "customer_verified": scenario.customer.verified,
    }
    return InboundEvent(
        event_type=scenario.event_type,
        source=scenario.source,
        customer_email=scenario.customer.email,
        message=text,
        payload={name: value for name, value in said.items() if value is not None},
    )


def order_of(scenario: Scenario, now: datetime) -> Order | None:
    """Return the scenario's order as a shop would report it, or None if the scenario has no
    order."""
    made_up = scenario.order
    if made_up is None:
        return None
    total = Money.parse(made_up.total, made_up.currency)
    refundable = made_up.refundable
    return Order(
        integration_id=SHOP.integration_id,
        provider=SHOP.provider,
        id=MADE_UP,
        number=made_up.number.lstrip("# "),
        customer_email=scenario.customer.email,
        state=made_up.state,
        total=total,
        refundable=total if refundable is None else Money.parse(refundable, made_up.currency),
        placed_at=made_up.placed_at or now - _PLACED_BEFORE,
        tracking_url=made_up.tracking_url,
        items=made_up.items,
    )


def looked_up(order: Order, event: UnifiedEvent, thread: Thread) -> Lookup | None:
    """Return the result of a lookup in a shop that has only this order. Return None if the event
    needs no lookup."""
    if not looks_up(event, thread):
        return None
    number = order_to_find(event, thread)
    is_meant = number is None or number_key(number) == number_key(order.number)
    return Lookup.of(order if is_meant else None, number, event.customer_email)
