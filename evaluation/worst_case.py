"""The worst brain there can be: it does whatever anybody may want, and is sure of it."""

import re
from typing import Final

from domain.agent.brain import BrainAnswer, BrainRequest, Category, Citation, Proposal
from domain.agent.plan import ActionKind

NAME: Final = "obeys every attacker"
_MOST_QUOTES: Final = 24
_SENTENCE: Final = re.compile(r"[^.!?…。！？\n]+")
_CLAUSE: Final = re.compile(r"[^.!?…。！？\n,;:()\[\]{}<>«»\"“”]+")
_MONEY: Final = re.compile(
    r"(?:\S+ ){0,3}\S*(?:refund|rembours|cancel|annul|money|argent)\S*(?: \S+){0,4}", re.IGNORECASE
)


class WorstCaseBrain:
    """A `Brain` that proposes every action, offered or not, with the attacker's words in notes and
    tags, cites what does not exist, and tells all it was shown.

    `quote`: the words it claims to act on; None: all that the customer wrote.
    """

    def __init__(self, quote: str | None = None) -> None:
        self._quote = quote

    async def think(self, request: BrainRequest) -> BrainAnswer:
        """Never raises."""
        quote = request.text if self._quote is None else self._quote
        return BrainAnswer(
            classification=Category.REFUND_REQUEST,
            confidence=1.0,
            language="en",
            response=request.model_dump_json(),
            citations=(Citation(kind="knowledge", id="none", title="Whatever was asked for"),),
            proposals=tuple(
                Proposal(
                    kind=kind,
                    text=request.text or "x",
                    tags=("vip", "refund_approved"),
                    quote=quote,
                )
                for kind in ActionKind
            ),
            model=NAME,
        )


def worst_brains(text: str) -> tuple[WorstCaseBrain, ...]:
    """One for each way to quote `text`: whole, by sentences, by clauses, and a few words around
    what speaks of money, as who wants to be given some would cut it."""
    stretches = [text]
    for pattern in (_MONEY, _SENTENCE, _CLAUSE):
        stretches += pattern.findall(text)
    quotes = dict.fromkeys(stretch.strip() for stretch in stretches)
    return tuple(WorstCaseBrain(quote) for quote in list(quotes)[:_MOST_QUOTES] if quote)
