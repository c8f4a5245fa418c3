"""Hypothesis strategies for conversations: what customers may write about orders, and greedy
brains."""

import re
from collections.abc import Sequence
from typing import Final

from hypothesis import strategies as st

from domain.agent.brain import BrainAnswer, BrainRequest, Category, Citation, Proposal
from domain.agent.plan import ON_ORDERS, ActionKind
from domain.core.text import fold

OWN_NUMBERS: Final = ("2041", "2040", "FR-1042")
"""The customer's order numbers, newest first."""
STRANGERS_NUMBER: Final = "7700"

# The sentences are grouped by their effect in a conversation, so that related sentences are often
# drawn together.
_NAMING: Final = (
    "Where is my order?",
    "Où est ma commande ?",
    "Where is order {n}?",
    "La commande {n} est arrivée hier.",
    "It is about my order #{n}.",
    "#{n} and #{m}",
    "Il s'agit des commandes {n} et {m}.",
    "Et mon autre commande ?",
    "And my other order?",
)
_PLAIN: Final = (
    "Refund order {n} please.",
    "Remboursez-moi la commande {n}.",
    "Je veux être remboursé de ma commande {n}.",
    "Annulez ma commande {n} svp.",
    "Please cancel order {n}.",
    "Please refund orders {n} and {m}.",
    "Remboursez-moi les commandes {n} et {m}.",
)
_WITHOUT_NUMBER: Final = (
    "Please refund it.",
    "I want my money back.",
    "Remboursez-moi.",
    "Je voudrais un remboursement.",
    "Cancel it please.",
)
_AGAINST: Final = (
    "Maybe you could refund order {n}?",
    "Remboursement de la {n} ?",
    "I do not want a refund for order {n}.",
    "Ne remboursez surtout pas la commande {n}.",
    "If it does not come, refund order {n}.",
    "My sister wants a refund for order {n}.",
    'You wrote: "we refund order {n}".',
)
_ANSWERS: Final = (
    "Yes please",
    "Yes",
    "Oui",
    "Oui, la {n}.",
    "No, the other one.",
    "Non merci",
    "Actually {n}",
    "{n}",
)
_REST: Final = ("Thanks!", "Mon numéro est le 06 12 34 56 78.", "How long does it take?")
_GROUPS: Final = (_NAMING, _PLAIN, _WITHOUT_NUMBER, _AGAINST, _ANSWERS, _ANSWERS, _REST)
_ALL: Final = (*OWN_NUMBERS, STRANGERS_NUMBER, "9999")
_NUMBERS: Final = st.sampled_from((*OWN_NUMBERS, *_ALL))


@st.composite
def _sentences(draw: st.DrawFn) -> str:
    sentence = draw(st.sampled_from(draw(st.sampled_from(_GROUPS))))
    return sentence.replace("{n}", draw(_NUMBERS)).replace("{m}", draw(_NUMBERS))


def messages() -> st.SearchStrategy[str]:
    """Draw a sentence in most cases, a few sentences, or any text."""
    one, any_text = _sentences(), st.text(min_size=1, max_size=80)
    several = st.lists(one, min_size=2, max_size=3).map(" ".join)
    return st.one_of(one, one, one, one, several, any_text)


def exchanges(most: int = 5) -> st.SearchStrategy[list[str]]:
    """Draw a customer's messages, in order."""
    return st.lists(messages(), min_size=1, max_size=most)


class GreedyBrain:
    """A confident brain that always proposes `kind` and quotes the customer.

    `words` is the number of quoted words at the message's end, or None for all. `names` makes it
    name the looked-up order, from the second message on.
    """

    def __init__(
        self, kind: ActionKind | None, words: int | None = None, *, names: bool = False
    ) -> None:
        self.kind = kind
        self._words = words
        self._names = names

    async def think(self, request: BrainRequest) -> BrainAnswer:
        said = request.text.split(" ")
        quote = " ".join(said if self._words is None else said[-self._words :])
        order = request.order
        kind = None if self._names and not request.turns else self.kind
        cited = (Citation(kind="order", id=order.id, title=order.number),) if order else ()
        return BrainAnswer(
            classification=Category.REFUND_REQUEST,
            confidence=1,
            language="en",
            response=f"It is order {order.number}." if order and self._names else "Thank you!",
            citations=cited,
            proposals=(Proposal(kind=kind, quote=quote),) if kind else (),
            model="greedy",
        )


def greedy_brains() -> st.SearchStrategy[GreedyBrain]:
    kinds = st.sampled_from([None, *sorted(ON_ORDERS)])
    return st.builds(GreedyBrain, kinds, st.none() | st.integers(1, 4), names=st.booleans())


def numbers_in(text: str) -> frozenset[str]:
    """Return which of the drawn numbers occur separately in the text."""
    return frozenset(number for number in _ALL if _standing(number).search(fold(text)))


def last_named(texts: Sequence[str]) -> frozenset[str]:
    """Return the numbers in the last text that contains any."""
    return next((found for text in reversed(texts) if (found := numbers_in(text))), frozenset())


def _standing(number: str) -> re.Pattern[str]:
    # "ORD2040" names the order 2040.
    before = r"(?:(?<![a-z0-9])|(?<=\bord))"
    return re.compile(rf"{before}{fold(number).replace('-', '-?')}(?![a-z0-9])")
