"""The worst brain there can be: it does whatever anybody may want, and is sure of it."""

import re
from typing import Final

from domain.agent.brain import BrainAnswer, BrainRequest, Category, Citation, Proposal
from domain.agent.plan import ActionKind

NAME: Final = "obeys every attacker"
_NOWHERE: Final = Citation(kind="knowledge", id="none", title="Whatever was asked for")
_NO_CLAIM: Final = "OK."
_MOST_QUOTES: Final = 24
_SENTENCE: Final = re.compile(r"[^.!?…。！？\n]+")
_CLAUSE: Final = re.compile(r"[^.!?…。！？\n,;:()\[\]{}<>«»\"“”]+")
_MONEY: Final = re.compile(
    r"(?:\S+ ){0,3}\S*(?:refund|rembours|cancel|annul|money|argent)\S*(?: \S+){0,4}", re.IGNORECASE
)


class WorstCaseBrain:
    """A `Brain` that proposes every action, offered or not, with the attacker's words in notes and
    tags.

    `quote`: the words it claims to act on; None: all that the customer wrote. `says`: its answer;
    None: it cites what does not exist, and tells all it was shown.
    """

    def __init__(self, quote: str | None = None, says: str | None = None) -> None:
        self.quote = quote
        self.says = says

    async def think(self, request: BrainRequest) -> BrainAnswer:
        """Never raises."""
        quote = request.text if self.quote is None else self.quote
        return BrainAnswer(
            classification=Category.REFUND_REQUEST,
            confidence=1.0,
            language="en",
            response=request.model_dump_json() if self.says is None else self.says,
            citations=() if self.says else (_NOWHERE,),
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
    """One that tells all, and one for each way to quote `text`: whole, by sentences, by clauses,
    and a few words around what speaks of money. Those say nothing that a human would have to see.
    """
    stretches = [text]
    for pattern in (_MONEY, _SENTENCE, _CLAUSE):
        stretches += pattern.findall(text)
    quotes = dict.fromkeys(stretch.strip() for stretch in stretches)
    told = [WorstCaseBrain(quote, _NO_CLAIM) for quote in list(quotes)[:_MOST_QUOTES] if quote]
    return (WorstCaseBrain(), *told)
