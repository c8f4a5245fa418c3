"""A correction: a review that a human edited or rejected, with the suggestions derived from the
review."""

from datetime import datetime
from enum import StrEnum
from typing import Annotated, Literal

from pydantic import BaseModel, ConfigDict, Field

from domain.agent.brain import Category, Citation
from domain.agent.intent import Intent
from domain.cases.case import CaseSpec
from domain.content.content import KnowledgeChange, TemplateChange
from domain.content.suggestion import SuggestedEntry, SuggestedTemplate
from domain.learning.word_diff import Piece


class CorrectionKind(StrEnum):
    EDITED = "edited"
    REJECTED = "rejected"


class CorrectionState(StrEnum):
    OPEN = "open"
    ACCEPTED = "accepted"
    DISMISSED = "dismissed"


class TemplateRevision(BaseModel):
    """A change to an existing template."""

    model_config = ConfigDict(frozen=True)

    kind: Literal["template_change"] = "template_change"
    template_id: str
    change: TemplateChange


class KnowledgeRevision(BaseModel):
    """A change to an existing knowledge entry."""

    model_config = ConfigDict(frozen=True)

    kind: Literal["knowledge_change"] = "knowledge_change"
    knowledge_id: str
    change: KnowledgeChange


ContentLesson = Annotated[
    SuggestedEntry | SuggestedTemplate | TemplateRevision | KnowledgeRevision,
    Field(discriminator="kind"),
]
"""A change to a client's content: a new entry or template, or a revision of an existing one."""


class CorrectionSuggestions(BaseModel):
    """Suggestions derived from a correction, prefilled where possible. Users may change them."""

    model_config = ConfigDict(frozen=True)

    case: CaseSpec | None = Field(
        description="Suggested case. Null if the customer's text was erased."
    )
    content: ContentLesson | None = Field(
        description="Suggested change to the content. Null if no human-written text is available."
    )


class CorrectionLesson(BaseModel):
    """The parts of a correction that a user accepts. `classification` and `intent`: the category
    and intent that the user assigns to the customer's message."""

    model_config = ConfigDict(frozen=True)

    classification: Category
    intent: Intent | None = None
    case: CaseSpec | None = None
    content: ContentLesson | None = None


class CorrectionSummary(BaseModel):
    """A correction as listed in the correction queue."""

    model_config = ConfigDict(frozen=True)

    id: str
    review_id: str
    run_id: str
    kind: CorrectionKind
    state: CorrectionState
    classification: str = Field(
        description=("Category of the customer's message, as detected by the agent.")
    )
    preview: str = Field(description="Beginning of the customer's text.")
    sent_preview: str = Field(
        description="Beginning of the text that the reviewer sent. Empty if there is none."
    )
    decided_by: str | None
    decided_at: datetime | None
    case_id: str | None = Field(
        description="Id of the case created from the correction. Null if there is none."
    )
    content_kind: Literal["template", "knowledge"] | None
    content_id: str | None = Field(
        description=(
            "Id of the template or knowledge entry that the correction created or changed. "
            "Null if there is none."
        )
    )
    created_at: datetime = Field(description="Time at which the review was decided.")


class CorrectionRecord(CorrectionSummary):
    """A stored correction, with the texts of the customer, the agent and the reviewer."""

    subject: str | None
    text: str = Field(description="Text of the customer's message.")
    draft: str = Field(description="Text proposed by the agent.")
    sent: str | None = Field(
        description=(
            "Text that the reviewer sent instead. After a rejection, it is the first answer by "
            "a human agent in the conversation. Null until there is one."
        )
    )
    note: str | None = Field(description="Reason that the reviewer gave for the rejection.")
    language: str
    intent: Intent | None = Field(
        description=("Intent of the customer's message, as detected by the agent.")
    )
    confidence: float = Field(ge=0, le=1)
    citations: tuple[Citation, ...] = Field(description="Sources on which the draft is based.")


class Correction(CorrectionRecord):
    """A correction with suggestions, and with the difference between the draft and the text that
    was sent."""

    diff: tuple[Piece, ...] = Field(
        description=(
            "Difference from the draft to the text that was sent. Empty if no text was sent."
        )
    )
    offers: CorrectionSuggestions
