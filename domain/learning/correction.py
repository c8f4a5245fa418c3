"""The correction: a review that a person edited or rejected, and what the agent can learn from
it."""

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
    """A change of an existing template."""

    model_config = ConfigDict(frozen=True)

    kind: Literal["template_change"] = "template_change"
    template_id: str
    change: TemplateChange


class KnowledgeRevision(BaseModel):
    """A change of an existing knowledge entry."""

    model_config = ConfigDict(frozen=True)

    kind: Literal["knowledge_change"] = "knowledge_change"
    knowledge_id: str
    change: KnowledgeChange


ContentLesson = Annotated[
    SuggestedEntry | SuggestedTemplate | TemplateRevision | KnowledgeRevision,
    Field(discriminator="kind"),
]
"""A change to a client's content: a new entry or template, or a revision of an existing one."""


class CorrectionOffers(BaseModel):
    """Suggestions derived from a correction, prefilled where possible. A person may change them."""

    model_config = ConfigDict(frozen=True)

    case: CaseSpec | None = Field(description="Null: the customer's words are gone.")
    content: ContentLesson | None = Field(description="Null: no words of a person are known.")


class CorrectionLesson(BaseModel):
    """The parts of a correction that a person accepts. `classification`, `intent`: the category and
    intent that the person assigns to the customer's message."""

    model_config = ConfigDict(frozen=True)

    classification: Category
    intent: Intent | None = None
    case: CaseSpec | None = None
    content: ContentLesson | None = None


class CorrectionSummary(BaseModel):
    """A correction in the queue's list."""

    model_config = ConfigDict(frozen=True)

    id: str
    review_id: str
    run_id: str
    kind: CorrectionKind
    state: CorrectionState
    classification: str = Field(description="The class that the agent gave it.")
    preview: str = Field(description="How the customer's text begins.")
    sent_preview: str = Field(description="How the person's words begin; empty where none are.")
    decided_by: str | None
    decided_at: datetime | None
    case_id: str | None = Field(description="The case that was made of it.")
    content_kind: Literal["template", "knowledge"] | None
    content_id: str | None = Field(description="The template or entry that it made or changed.")
    created_at: datetime = Field(description="When the review was decided.")


class CorrectionRecord(CorrectionSummary):
    """A stored correction with its texts and context."""

    subject: str | None
    text: str = Field(description="What the customer wrote.")
    draft: str = Field(description="What the agent would have sent.")
    sent: str | None = Field(
        description="What the person sent in its place; of a rejection the first answer that a "
        "person then gave in the conversation, null while there is none."
    )
    note: str | None = Field(description="Why it was rejected.")
    language: str
    intent: Intent | None = Field(description="The intent that the agent gave it.")
    confidence: float = Field(ge=0, le=1)
    citations: tuple[Citation, ...] = Field(description="What the draft rests on.")


class Correction(CorrectionRecord):
    """A correction with the difference between its texts, and suggestions derived from it."""

    diff: tuple[Piece, ...] = Field(
        description="From the draft to the words that were sent; empty where none are."
    )
    offers: CorrectionOffers
