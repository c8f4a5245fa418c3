"""Compare a sentence about an order with the order's progress."""

import re
from collections.abc import Mapping
from functools import cache
from typing import Final

from domain.agent.grounding.claim_phrasings import ClaimMatter
from domain.core.effort import spend
from domain.core.lexicon import LexiconFile, expression, lexicon
from domain.core.text import fold
from domain.integrations.order import Order, OrderState

_WORD: Final = re.compile(r"[a-z0-9]+")
_REFUNDED: Final = "refunded"


class _File(LexiconFile):
    """`states` maps an order state, or "refunded", to a regular expression."""

    states: dict[str, str]


@cache
def _states() -> Mapping[str, re.Pattern[str]]:
    file = lexicon(__file__, _File)
    return {name: expression(rf"\b(?:{words})\b", {}) for name, words in file.states.items()}


def misstates(sentence: str, order: Order, done: frozenset[ClaimMatter]) -> bool:
    """Return True if a sentence about an order states another progress than the shop reports.
    `done` is what the actions of the plan cause."""
    spend(len(sentence))
    words = " ".join(_WORD.findall(fold(sentence)))
    stated = {name for name, pattern in _states().items() if pattern.search(words)}
    if not stated:
        return False
    true = {order.state.value}
    if order.state is OrderState.DELIVERED:
        true.add(OrderState.SHIPPED.value)
    if ClaimMatter.CANCEL_ORDER in done:
        true.add(OrderState.CANCELLED.value)
    if ClaimMatter.REFUND in done or (order.refunded is not None and order.refunded.minor > 0):
        true.add(_REFUNDED)
    if _REFUNDED in stated and _REFUNDED not in true:
        return True
    return stated.isdisjoint(true)
