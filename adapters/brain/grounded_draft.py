"""The input of a draft, and the draft with its sources."""

from dataclasses import dataclass
from typing import Final

from adapters.brain.relevance import Question
from domain.agent.brain import BrainRequest, Citation
from domain.agent.intent import Intent
from domain.agent.intents.wanted import Want
from domain.agent.plan import ActionKind, PlannedAction

FITTING_STRENGTH: Final = 0.95
"""The maximum strength of a source: even a sure class and a fitting text leave some doubt."""

ARBITRARY_STRENGTH: Final = 0.65
"""Below the default threshold (0.70), so that a person sees it."""


@dataclass(frozen=True, slots=True)
class Asking:
    """A message, or a part of it, to answer.

    `wanted`: its one evident intent. `covered`: this intent explains all of its words. `offer`: the
    requested action, if available; `asks_more`: it asks for more than that.
    """

    text: str
    question: Question
    wanted: Want | None
    covered: bool
    offer: PlannedAction | None = None
    asks_more: bool = False

    @property
    def is_praise(self) -> bool:
        """Return whether the message only thanks or praises."""
        return self.wanted is not None and self.wanted.intent is Intent.THANKS


@dataclass(frozen=True, slots=True)
class GroundedDraft:
    """A possible answer; `strength` (0 to 1) is how well its sources support it.

    `promises`: the action that must be done for it to be true. `evident`: it answers all that the
    message evidently wants. `yields`: a starter template without facts of the order, so that the
    client's own knowledge takes precedence.
    """

    response: str
    citations: tuple[Citation, ...]
    strength: float
    promises: ActionKind | None = None
    evident: bool = False
    yields: bool = False

    def repeats(self, request: BrainRequest) -> bool:
        """Return whether the conversation has this answer already. The order's state may be
        repeated."""
        tells_of_order = any(cited.kind == "order" for cited in self.citations)
        return not tells_of_order and request.has_answered(self.response)
