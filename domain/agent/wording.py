"""The agent's own sentences: questions about an action, and replies to the customer's answer.

All other customer-facing text is a merchant's template, a knowledge entry, or a sentence generated
by a model.
"""

from functools import cache

from domain.agent.brain import Language
from domain.agent.plan import ActionKind, PlannedAction
from domain.agent.template import clean_value
from domain.core.lexicon import LexiconFile, lexicon
from domain.core.money import Money

_ByKind = dict[Language, dict[ActionKind, str]]


class _File(LexiconFile):
    greeting: dict[Language, str]
    confirm: _ByKind
    which: dict[Language, str]
    done: _ByKind
    declined: dict[Language, str]
    assistant: dict[Language, str]
    code: dict[Language, str]
    code_refused: dict[Language, str]


@cache
def _words() -> _File:
    return lexicon(__file__, _File)


def confirm_question(action: PlannedAction, language: Language, brand_name: str) -> str:
    """Return the question that asks the customer to confirm the action, with its order and
    amount."""
    text = _words().confirm[language][action.kind]
    return _letter(_filled(text, action, language), language, brand_name)


def which_order(language: Language, brand_name: str) -> str:
    """Return the message that asks the customer for the order's number."""
    return _letter(_words().which[language], language, brand_name)


def done(action: PlannedAction, language: Language, brand_name: str) -> str:
    """Return the reply that states that the action is done."""
    text = _words().done[language][action.kind]
    return _letter(_filled(text, action, language), language, brand_name)


def declined(action: PlannedAction, language: Language, brand_name: str) -> str:
    """Return the reply to a customer who declined the action."""
    text = _words().declined[language]
    return _letter(_filled(text, action, language), language, brand_name)


def assistant(language: Language, brand_name: str) -> str:
    """Return the reply to a customer who asks whether a robot or a person answers."""
    return _letter(_words().assistant[language], language, brand_name)


def code_request(language: Language, brand_name: str, *, refused: bool) -> str:
    """Return the reply that requests the verification code emailed to the claimed address, without
    revealing whether the address is known. `refused` means that the customer sent an invalid
    code."""
    words = _words()
    text = (words.code_refused if refused else words.code)[language]
    return _letter(text, language, brand_name)


def amount(money: Money, language: Language) -> str:
    """Return an amount formatted for customers: "49.00 EUR", in French "49,00 EUR"."""
    return str(money).replace(".", ",") if language == "fr" else str(money)


def _filled(text: str, action: PlannedAction, language: Language) -> str:
    sum_ = amount(action.amount, language) if action.amount else ""
    return text.format(amount=sum_, number=clean_value(action.order_number or ""))


def _letter(text: str, language: Language, brand_name: str) -> str:
    parts = (_words().greeting[language], text, clean_value(brand_name))
    return "\n\n".join(filter(None, parts))
