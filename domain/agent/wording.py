"""What the agent says in its own words: questions about an action, and what came of the answer.

Everything else that a customer reads is a merchant's template, an entry, or a model's sentence.
"""

from typing import Final

from domain.agent.brain import Language
from domain.agent.plan import ActionKind, PlannedAction
from domain.agent.template import clean_value
from domain.core.money import Money

_CONFIRM: Final[dict[Language, dict[ActionKind, str]]] = {
    "fr": {
        ActionKind.REFUND: (
            "Souhaitez-vous que nous vous remboursions {amount} pour la commande {number} ? "
            "Répondez simplement oui, et ce sera fait."
        ),
        ActionKind.CANCEL_ORDER: (
            "Souhaitez-vous que nous annulions la commande {number} et vous rendions {amount} ? "
            "Répondez simplement oui, et ce sera fait."
        ),
    },
    "en": {
        ActionKind.REFUND: (
            "Shall we refund {amount} for order {number}? Just reply yes, and it will be done."
        ),
        ActionKind.CANCEL_ORDER: (
            "Shall we cancel order {number} and give back {amount}? Just reply yes, and it will "
            "be done."
        ),
    },
}
_WHICH: Final[dict[Language, str]] = {
    "fr": "De quelle commande s'agit-il ? Indiquez-nous son numéro, s'il vous plaît.",
    "en": "Which order is it about? Please tell us its number.",
}
_DONE: Final[dict[Language, dict[ActionKind, str]]] = {
    "fr": {
        ActionKind.REFUND: "C'est fait : nous vous remboursons {amount} pour la commande {number}.",
        ActionKind.CANCEL_ORDER: (
            "C'est fait : la commande {number} est annulée, et {amount} vous sont rendus."
        ),
    },
    "en": {
        ActionKind.REFUND: "It is done: we are refunding {amount} for order {number}.",
        ActionKind.CANCEL_ORDER: (
            "It is done: order {number} is cancelled, and {amount} are given back to you."
        ),
    },
}
_DECLINED: Final[dict[Language, str]] = {
    "fr": "C'est noté : nous ne faisons rien pour la commande {number}.",
    "en": "Understood: we do nothing about order {number}.",
}
_GREETING: Final[dict[Language, str]] = {"fr": "Bonjour,", "en": "Hello,"}


def confirm_question(action: PlannedAction, language: Language, brand_name: str) -> str:
    """Whether to do this: it names the order, the action and the sum."""
    return _letter(_filled(_CONFIRM[language][action.kind], action, language), language, brand_name)


def which_order(language: Language, brand_name: str) -> str:
    return _letter(_WHICH[language], language, brand_name)


def done(action: PlannedAction, language: Language, brand_name: str) -> str:
    """What is said once the action is done."""
    return _letter(_filled(_DONE[language][action.kind], action, language), language, brand_name)


def declined(action: PlannedAction, language: Language, brand_name: str) -> str:
    """The answer to a customer who said no."""
    return _letter(_filled(_DECLINED[language], action, language), language, brand_name)


def amount(money: Money, language: Language) -> str:
    """An amount as customers read it: "49.00 EUR", in French "49,00 EUR"."""
    return str(money).replace(".", ",") if language == "fr" else str(money)


def _filled(text: str, action: PlannedAction, language: Language) -> str:
    sum_ = amount(action.amount, language) if action.amount else ""
    return text.format(amount=sum_, number=clean_value(action.order_number or ""))


def _letter(text: str, language: Language, brand_name: str) -> str:
    brand = clean_value(brand_name)
    return "\n\n".join(filter(None, (_GREETING[language], text, brand)))
