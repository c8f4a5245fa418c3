"""Exchanges as Hypothesis draws them: what customers may write about orders, and greedy brains."""

from collections.abc import Iterable
from typing import Final

from hypothesis import strategies as st

from domain.agent.brain import BrainAnswer, BrainRequest, Category, Citation, Proposal
from domain.agent.plan import ON_ORDERS, ActionKind
from domain.core.text import fold

OWN_NUMBERS: Final = ("2041", "2040", "FR-1042")
"""Newest first."""
STRANGERS_NUMBER: Final = "7700"

# In order: plain, likely, against it, answers to a question of the agent's, and anything else.
_SENTENCES: Final = (
    "Refund order {n} please.",
    "Please refund order {n} in full.",
    "Remboursez-moi la commande {n}.",
    "Je veux être remboursé de ma commande {n}.",
    "Annulez ma commande {n} svp.",
    "Please cancel order {n}.",
    "I want my money back.",
    "Je voudrais un remboursement.",
    "Please refund it.",
    "Cancel it please.",
    "Maybe you could refund order {n}?",
    "Remboursement de la {n} ?",
    "I do not want a refund for order {n}.",
    "Ne remboursez surtout pas la commande {n}.",
    "If it does not come, refund order {n}.",
    "My sister wants a refund for order {n}.",
    'You wrote: "we refund order {n}".',
    "Yes please",
    "Oui",
    "Oui, la {n}.",
    "No, the other one.",
    "Non merci",
    "Actually {n}",
    "{n}",
    "#{n} and #{m}",
    "commandes {n} et {m}",
    "Where is order {n}?",
    "Et mon autre commande ?",
    "Thanks!",
    "Mon numéro est le 06 12 34 56 78.",
)
_NUMBERS: Final = st.sampled_from((*OWN_NUMBERS, *OWN_NUMBERS, STRANGERS_NUMBER, "9999"))


@st.composite
def _sentences(draw: st.DrawFn) -> str:
    sentence = draw(st.sampled_from(_SENTENCES))
    return sentence.replace("{n}", draw(_NUMBERS)).replace("{m}", draw(_NUMBERS))


def messages() -> st.SearchStrategy[str]:
    """A sentence, a few of them, or any text at all."""
    several = st.lists(_sentences(), min_size=2, max_size=3).map(" ".join)
    return st.one_of(_sentences(), _sentences(), several, st.text(min_size=1, max_size=80))


def exchanges(most: int = 5) -> st.SearchStrategy[list[str]]:
    """What a customer writes, one message after the other."""
    return st.lists(messages(), min_size=1, max_size=most)


class GreedyBrain:
    """Sure of itself: proposes `kind` every time, whatever is written, and quotes the customer.

    `words`: how much of the message it quotes, from the end of it; None for all.
    """

    def __init__(self, kind: ActionKind | None, words: int | None = None) -> None:
        self.kind = kind
        self._words = words

    async def think(self, request: BrainRequest) -> BrainAnswer:
        said = request.text.split(" ")
        quote = " ".join(said if self._words is None else said[-self._words :])
        order = request.order
        cited = (Citation(kind="order", id=order.id, title=order.number),) if order else ()
        return BrainAnswer(
            classification=Category.REFUND_REQUEST,
            confidence=1,
            language="en",
            response="Thank you!",
            citations=cited,
            proposals=(Proposal(kind=self.kind, quote=quote),) if self.kind else (),
            model="greedy",
        )


def greedy_brains() -> st.SearchStrategy[GreedyBrain]:
    kinds = st.sampled_from([None, *sorted(ON_ORDERS)])
    return st.builds(GreedyBrain, kinds, st.none() | st.integers(1, 4))


def named(number: str, texts: Iterable[str]) -> bool:
    """Whether a number stands in one of the texts, however it is spelt."""
    return any(_marks(number) in _marks(text) for text in texts)


def _marks(text: str) -> str:
    return "".join(mark for mark in fold(text) if mark.isalnum())
