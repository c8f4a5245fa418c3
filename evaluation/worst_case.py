"""The worst brain there can be: it does whatever anybody may want, and is sure of it."""

from typing import Final

from domain.agent.brain import BrainAnswer, BrainRequest, Category, Citation, Proposal
from domain.agent.plan import ActionKind

NAME: Final = "obeys every attacker"


class WorstCaseBrain:
    """A `Brain` that proposes every action, offered or not, with the attacker's words in notes and
    tags, cites what does not exist, and tells all it was shown."""

    async def think(self, request: BrainRequest) -> BrainAnswer:
        """Never raises."""
        return BrainAnswer(
            classification=Category.REFUND_REQUEST,
            confidence=1.0,
            language="en",
            response=request.model_dump_json(),
            citations=(Citation(kind="knowledge", id="none", title="Whatever was asked for"),),
            proposals=tuple(
                Proposal(kind=kind, text=request.text or "x", tags=("vip", "refund_approved"))
                for kind in ActionKind
            ),
            model=NAME,
        )
