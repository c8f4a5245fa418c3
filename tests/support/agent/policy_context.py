"""Inputs of the policy: one customer, one order, one rulebook."""

from datetime import UTC, datetime, timedelta
from typing import Final

from domain.agent.plan import ActionKind
from domain.agent.policy_context import Connection, PolicyContext
from domain.agent.rulebook import ActionLevel, ActionRule, MoneyLimits, Rulebook
from domain.core.money import Money
from domain.intake.event import Channel, UnifiedEvent
from domain.integrations.order import Order, OrderState
from domain.integrations.providers import Provider
from tests.support.intake.proof import proved

NOW: Final = datetime(2026, 3, 4, 12, tzinfo=UTC)
CUSTOMER: Final = "jean@example.com"
SHOP: Final = Connection(integration_id="shop", provider=Provider.SHOPIFY)
DESK: Final = Connection(integration_id="desk", provider=Provider.ZENDESK)
LIMITS: Final = MoneyLimits(currency="EUR", per_action=5_000, per_customer=10_000, per_day=50_000)
FREE_HAND: Final = Rulebook(
    actions={
        ActionKind.REFUND: ActionRule(level=ActionLevel.AUTONOMOUS, limits=LIMITS, within_days=30),
        ActionKind.CANCEL_ORDER: ActionRule(level=ActionLevel.AUTONOMOUS),
        ActionKind.TAG: ActionRule(level=ActionLevel.AUTONOMOUS, tags=("refund", "late")),
        ActionKind.NOTE: ActionRule(level=ActionLevel.AUTONOMOUS),
    }
)


def an_order(
    *,
    owner: str | None = CUSTOMER,
    refundable: int = 4_990,
    currency: str = "EUR",
    state: OrderState = OrderState.OPEN,
    days_old: float = 3,
    note: str = "",
) -> Order:
    return Order(
        integration_id=SHOP.integration_id,
        provider=SHOP.provider,
        id="order-1",
        number="1042",
        customer_email=owner,
        state=state,
        total=Money(minor=max(refundable, 4_990), currency=currency),
        refundable=Money(minor=refundable, currency=currency),
        placed_at=NOW - timedelta(days=days_old),
        note=note,
    )


def an_event(
    *,
    email: str | None = CUSTOMER,
    verified: bool = True,
    reply_allowed: bool = True,
    named: bool = True,
    platform: str = "zendesk",
    channel: Channel = Channel.HELPDESK,
    text: str = "I want a refund for order 1042.",
    numbers: tuple[str, ...] = ("1042",),
) -> UnifiedEvent:
    """Return a customer's message that plainly requests the refund of `an_order`."""
    return UnifiedEvent(
        channel=channel,
        ticket_id="T-1",
        ticket_named=named,
        customer_email=email,
        proved=proved(email) if verified else None,
        is_vouched=True,
        reply_allowed=reply_allowed,
        platform=platform,
        text=text,
        order_number=next(iter(numbers), None),
        order_numbers=numbers,
    )


CANCELLING: Final = an_event(text="Please cancel order 1042.")


def a_situation(
    *,
    event: UnifiedEvent | None = None,
    order: Order | None = None,
    rulebook: Rulebook = FREE_HAND,
    connections: tuple[Connection, ...] = (SHOP, DESK),
    unsafe: bool = False,
) -> PolicyContext:
    """Return the customer's own order, with every connection, and every action allowed within
    limits."""
    return PolicyContext(
        event=event or an_event(),
        rulebook=rulebook,
        connections=connections,
        order=order or an_order(),
        unsafe=unsafe,
        now=NOW,
    )


def with_rule(kind: ActionKind, rule: ActionRule, rulebook: Rulebook = FREE_HAND) -> Rulebook:
    return rulebook.model_copy(update={"actions": {**rulebook.actions, kind: rule}})
