"""The excerpt from knowledge that a customer receives at once, while a human review is pending.

An unsure answer from knowledge is not sent, because the entry may describe the right product
without what was asked. Quoted as an excerpt, the same sentences claim nothing, and a human still
answers. `docs/evaluation.md` has how often an excerpt contains the answer.
"""

from functools import cache
from typing import Final, Self

from pydantic import BaseModel, ConfigDict

from domain.agent.brain import Category, Citation
from domain.agent.escalation_reason import EscalationReason
from domain.agent.frame import AnswerFrame
from domain.agent.languages import OURS
from domain.agent.plan import ON_ORDERS
from domain.agent.thinking_result import ThinkingResult
from domain.core.lexicon import LexiconFile, lexicon
from domain.tenants.answer_decision import EXCERPTS_SINCE
from domain.tenants.client_settings import ClientSettings

EXCERPT_CONFIDENCE: Final = 0.3
"""The minimum confidence of a draft whose excerpt is shown. Half of the
answerable questions to fresh shops get an excerpt at this value, and two thirds of these excerpts
contain the answer."""


class _File(LexiconFile):
    """The sentence before an excerpt, by language. `{title}`: the title of the entry."""

    introduction: dict[str, str]


class HeldDraft(BaseModel):
    """A draft that waits for a human review.

    - `confidence`: from 0 to 1.
    - `is_composed`: a language model composed the text. Only a quoted text is an excerpt.
    - `acts_on_order`: the plan contains an action on the order.
    - `customer_name`: the name in the greeting, or None.
    """

    model_config = ConfigDict(frozen=True)

    text: str
    language: str | None
    classification: str
    confidence: float
    citations: tuple[Citation, ...]
    reason: EscalationReason | None
    is_composed: bool
    acts_on_order: bool
    customer_name: str | None = None

    @classmethod
    def of(cls, thought: ThinkingResult, reason: EscalationReason | None) -> Self:
        """Return the draft of a thought that is held for `reason`, or not held if it is None."""
        return cls(
            text=thought.text,
            language=thought.answer.language,
            classification=thought.answer.classification,
            confidence=thought.answer.confidence,
            citations=thought.answer.citations,
            reason=reason,
            is_composed=thought.answer.prompt_version is not None,
            acts_on_order=any(one.kind in ON_ORDERS for one in thought.plan),
        )


def is_excerpt(draft: HeldDraft, settings: ClientSettings) -> bool:
    """Return True if the customer may receive the draft's sentences as an excerpt.

    Complaints never get one. Neither do drafts with an action, or with another source than
    knowledge.
    """
    if not settings.answers_from_knowledge or settings.answer_decision < EXCERPTS_SINCE:
        return False
    return (
        draft.reason is EscalationReason.LOW_CONFIDENCE
        and draft.confidence >= EXCERPT_CONFIDENCE
        and draft.classification != Category.COMPLAINT
        and draft.language in OURS
        and not draft.is_composed
        and not draft.acts_on_order
        and bool(draft.text)
        and bool(draft.citations)
        and all(one.kind == "knowledge" for one in draft.citations)
    )


def introduced(draft: HeldDraft, settings: ClientSettings, brand_name: str) -> str:
    """Return the draft as an excerpt, between the client's greeting and sign-off. The first
    sentence names the entry and says that a human will answer."""
    frame = AnswerFrame.of(settings.frame, brand_name=brand_name, customer_name=draft.customer_name)
    language = draft.language or "en"
    quoted = frame.unframed(draft.text, language)
    introduction = _file().introduction[language].format(title=draft.citations[0].title)
    return frame.framed(f"{introduction}\n\n{quoted}", language)


@cache
def _file() -> _File:
    return lexicon(__file__, _File)
