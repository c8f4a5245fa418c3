"""What a draft is made for, and the draft that rests on sources."""

from dataclasses import dataclass
from typing import Final

from adapters.brain.relevance import Question
from domain.agent.brain import BrainRequest, Citation
from domain.agent.intent import Intent
from domain.agent.intents.wanted import Want
from domain.agent.plan import ActionKind, PlannedAction

FITTING_STRENGTH: Final = 0.95
"""The most that a source is worth: even a sure class and a fitting text leave room for doubt."""

ARBITRARY_STRENGTH: Final = 0.65
"""Below the default threshold (0.70), so that a person looks at it."""


@dataclass(frozen=True, slots=True)
class Asking:
    """A message, or a part of it, as it is answered.

    `wanted`: the one thing that it evidently wants. `covered`: nothing in it is left that this does
    not explain. `offer`: the action that it asks for, of what is on offer; `asks_more`: besides it.
    """

    text: str
    question: Question
    wanted: Want | None
    covered: bool
    offer: PlannedAction | None = None
    asks_more: bool = False

    @property
    def is_praise(self) -> bool:
        """Whether the message only thanks or praises."""
        return self.wanted is not None and self.wanted.intent is Intent.THANKS


@dataclass(frozen=True, slots=True)
class GroundedDraft:
    """A possible answer; `strength` (0 to 1) is how well it rests on its sources.

    `promises`: the action without which it would not be true. `evident`: it answers what the
    message evidently wants, and all of it. `yields`: a starter template that tells nothing of the
    order, so that knowledge of the client's own is preferred.
    """

    response: str
    citations: tuple[Citation, ...]
    strength: float
    promises: ActionKind | None = None
    evident: bool = False
    yields: bool = False

    def repeats(self, request: BrainRequest) -> bool:
        """Whether the conversation has this answer already. The order's state may be told again."""
        tells_of_order = any(cited.kind == "order" for cited in self.citations)
        return not tells_of_order and request.has_answered(self.response)
