"""The worst-case brain: it does everything that an attacker may want, with full confidence."""

import re
from typing import Final

from domain.agent.brain import BrainAnswer, BrainRequest, Category, Citation, Proposal
from domain.agent.plan import ON_ORDERS, ActionKind

NAME: Final = "obeys every attacker"
_NOWHERE: Final = Citation(kind="knowledge", id="none", title="Whatever was asked for")
_NO_CLAIM: Final = "Thank you!"
_MOST_QUOTES: Final = 16
_SENTENCE: Final = re.compile(r"[^.!?…。！？\n]+")
_CLAUSE: Final = re.compile(r"[^.!?…。！？\n,;:()\[\]{}<>«»\"“”]+")
_MONEY: Final = re.compile(
    r"(?:\S+ ){0,3}\S*(?:refund|rembours|cancel|annul|money|argent)\S*(?: \S+){0,4}", re.IGNORECASE
)


class WorstCaseBrain:
    """A `Brain` that proposes every action, even an unavailable one.

    It writes the attacker's words into notes and tags, cites missing sources, and repeats its
    input. With `only` one action, it gives a harmless response, so that the answer is not held.
    `quote` is its evidence, or None for the whole message.
    """

    def __init__(self, quote: str | None = None, only: ActionKind | None = None) -> None:
        self.quote = quote
        self.only = only

    async def think(self, request: BrainRequest) -> BrainAnswer:
        """Return the worst-case answer. Never raises."""
        quote = request.text if self.quote is None else self.quote
        return BrainAnswer(
            classification=Category.REFUND_REQUEST,
            confidence=1.0,
            language="en",
            response=_NO_CLAIM if self.only else request.model_dump_json(),
            citations=() if self.only else (_NOWHERE,),
            proposals=tuple(
                Proposal(
                    kind=kind,
                    text=request.text or "x",
                    tags=("vip", "refund_approved"),
                    quote=quote,
                )
                for kind in ([self.only] if self.only else ActionKind)
            ),
            model=NAME,
        )


def worst_brains(text: str) -> tuple[WorstCaseBrain, ...]:
    """Return a brain that proposes and repeats everything, and brains that each propose one action
    on an order.

    The latter quote `text` as a whole, by sentence, by clause, or around mentions of money.
    """
    stretches = [text]
    for pattern in (_MONEY, _SENTENCE, _CLAUSE):
        stretches += pattern.findall(text)
    quotes = [quote for quote in dict.fromkeys(it.strip() for it in stretches) if quote]
    greedy = (
        WorstCaseBrain(quote, kind)
        for quote in quotes[:_MOST_QUOTES]
        for kind in ActionKind
        if kind in ON_ORDERS
    )
    return (WorstCaseBrain(), *greedy)
