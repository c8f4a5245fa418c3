"""The input for drafting an answer, and the draft with its sources."""

from dataclasses import dataclass
from typing import Final

from adapters.brain.relevance import Question
from domain.agent.brain import BrainRequest, Citation
from domain.agent.intent import Intent
from domain.agent.intents.wanted import Want
from domain.agent.plan import ActionKind, PlannedAction

FITTING_STRENGTH: Final = 0.95
"""Maximum value of a draft's `strength`. It is below 1 because a matching text can be wrong even if
the category is certain."""

ARBITRARY_STRENGTH: Final = 0.65
"""The `strength` of a draft if the choice between its sources is arbitrary. The value is below the
default threshold (0.70), so that a human agent reviews the draft."""


@dataclass(frozen=True, slots=True)
class Asking:
    """A message, or a part of one, that needs an answer.

    `wanted` is the only evident intent, or None, and `covered` means that it explains all words.
    `offer` is the requested action if available. If `asks_more` is true, the part asks for more
    than the action.
    """

    text: str
    question: Question
    wanted: Want | None
    covered: bool
    offer: PlannedAction | None = None
    asks_more: bool = False

    @property
    def is_praise(self) -> bool:
        """Return True if the message contains only thanks or praise."""
        return self.wanted is not None and self.wanted.intent is Intent.THANKS


@dataclass(frozen=True, slots=True)
class GroundedDraft:
    """A possible answer. `strength` is the support by its sources, from 0 to 1.

    - `promises`: the action that the text commits to, or None.
    - `evident`: the draft answers everything that the message evidently asks.
    - `yields`: a starter template without order facts, over which the client's own knowledge takes
      precedence.
    """

    response: str
    citations: tuple[Citation, ...]
    strength: float
    promises: ActionKind | None = None
    evident: bool = False
    yields: bool = False

    def repeats(self, request: BrainRequest) -> bool:
        """Return True if the conversation already contains this answer. Answers that include the
        order's state are never treated as repetitions."""
        tells_of_order = any(cited.kind == "order" for cited in self.citations)
        return not tells_of_order and request.has_answered(self.response)
