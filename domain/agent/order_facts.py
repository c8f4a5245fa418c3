"""The order facts that an answer may state, in the customer's language."""

from datetime import date
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
_SENTENCES: Final[dict[Language, dict[str, str]]] = {
    "fr": {
        "disputed": "paiement contesté auprès de la banque",
        "failed": "paiement refusé",
        "refunded": "{} remboursés",
        "as_of": "d'après nos informations du {}",
    },
    "en": {
        "disputed": "payment disputed with the bank",
        "failed": "payment declined",
        "refunded": "{} refunded",
        "as_of": "as of {}",
    },
}
_MOMENTS: Final[dict[Language, str]] = {"fr": "%d/%m/%Y à %H:%M UTC", "en": "%Y-%m-%d %H:%M UTC"}
_DATES: Final[dict[Language, str]] = {"fr": "%d/%m/%Y", "en": "%Y-%m-%d"}


def order_values(order: Order, language: Language, today: date | None = None) -> dict[str, str]:
    """Return the values from the shop for a template's placeholders.

    Omits missing values and the untrusted `note`. `today` is in UTC. Facts from an earlier day
    include their time, so that they do not appear current.
    """
    values = {
        "order_number": order.number,
        "order_status": _status(order, language, today),
        "order_total": _amount(order.total, language),
        "order_placed_on": order.placed_at.strftime(_DATES[language]),
        "order_items": ", ".join(order.items),
        "tracking_url": order.tracking_url or "",
    }
    return {name: value for name, value in values.items() if value}


def is_old(order: Order, today: date | None) -> bool:
    """Return True if the order's facts come from webhooks received on an earlier day, because the
    shop was not queried."""
    return order.told_at is not None and (today is None or order.told_at.date() < today)


def _status(order: Order, language: Language, today: date | None) -> str:
    state, words = _STATES[language].get(order.state), _SENTENCES[language]
    if state is None:
        return ""
    more = (
        words["disputed"] if order.is_disputed else None,
        words["failed"] if order.is_payment_failed else None,
        words["refunded"].format(_amount(order.refunded, language))
        if order.refunded and order.refunded.minor
        else None,
        words["as_of"].format(order.told_at.strftime(_MOMENTS[language]))
        if order.told_at and is_old(order, today)
        else None,
    )
    sentence = ", ".join(filter(None, more))
    return f"{state} ({sentence})" if sentence else state


def order_citation(order: Order) -> Citation:
    """Return a citation of the order as a source."""
    return Citation(kind="order", id=order.id, title=f"#{order.number}")


def promise_values(action: PlannedAction, language: Language) -> dict[str, str]:
    """Return the placeholder values that a template may use only if the answer's plan contains
    `action`."""
    promise = ACTIONS[action.kind].promise
    sentence = promise.value(action) if promise else None
    if promise is None or not sentence:
        return {}
    return {
        promise.placeholder: _amount(sentence, language)
        if isinstance(sentence, Money)
        else sentence
    }


def _amount(money: Money, language: Language) -> str:
    written = str(money)
    return written.replace(".", ",") if language == "fr" else written
