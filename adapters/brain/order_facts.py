"""What an answer may say of the order that was looked up, in the customer's language."""

from typing import Final

from domain.agent.brain import Citation, Language
from domain.agent.plan import ACTIONS, PlannedAction
from domain.core.money import Money
from domain.integrations.order import Order, OrderState

_STATES: Final[dict[Language, dict[OrderState, str]]] = {
    "fr": {
        OrderState.OPEN: "en préparation",
        OrderState.SHIPPED: "expédiée",
        OrderState.DELIVERED: "livrée",
        OrderState.CANCELLED: "annulée",
    },
    "en": {
        OrderState.OPEN: "being prepared",
        OrderState.SHIPPED: "shipped",
        OrderState.DELIVERED: "delivered",
        OrderState.CANCELLED: "cancelled",
    },
}
_DATES: Final[dict[Language, str]] = {"fr": "%d/%m/%Y", "en": "%Y-%m-%d"}


def order_values(order: Order, language: Language) -> dict[str, str]:
    """The values of a template's placeholders that the shop itself has told.

    What the shop did not tell is left out. Its `note` never comes in: anybody may have written it.
    """
    values = {
        "order_number": order.number,
        "order_status": _STATES[language].get(order.state, ""),
        "order_total": _amount(order.total, language),
        "order_placed_on": order.placed_at.strftime(_DATES[language]),
        "order_items": ", ".join(order.items),
        "tracking_url": order.tracking_url or "",
    }
    return {name: value for name, value in values.items() if value}


def order_citation(order: Order) -> Citation:
    """The order as a source."""
    return Citation(kind="order", id=order.id, title=f"#{order.number}")


def promise_values(action: PlannedAction, language: Language) -> dict[str, str]:
    """The values that a template may name only where `action` goes with the answer."""
    promise = ACTIONS[action.kind].promise
    told = promise.value(action) if promise else None
    if promise is None or not told:
        return {}
    return {promise.placeholder: _amount(told, language) if isinstance(told, Money) else told}


def _amount(money: Money, language: Language) -> str:
    written = str(money)
    return written.replace(".", ",") if language == "fr" else written
