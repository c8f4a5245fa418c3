"""Request and response models for the dashboard's correction and labelled example routes."""

from typing import Annotated, Literal

from pydantic import BaseModel, ConfigDict, Field, JsonValue, WithJsonSchema

from api.openapi import in_one_piece, named
from api.schemas.content.content import EntryBody, NewEntryBody, NewTemplateBody, TemplateBody
from api.schemas.core.client_query import PageQuery
from api.schemas.core.strict_body import StrictBody
from domain.agent.brain import Category
from domain.agent.intent import Intent
from domain.cases.case import CaseSpec
from domain.cases.case_documents import case_in
from domain.content.suggestion import SuggestedEntry, SuggestedTemplate
from domain.core.ids import ULID
from domain.learning.correction import (
    ContentLesson,
    CorrectionLesson,
    CorrectionState,
    CorrectionSummary,
    KnowledgeRevision,
    TemplateRevision,
)
from domain.learning.labelled_example import LabelledExample


class CorrectionQuery(PageQuery):
    state: CorrectionState | None = None


class CorrectionPage(BaseModel):
    corrections: tuple[CorrectionSummary, ...] = Field(description="Corrections, oldest first.")
    next_cursor: str | None = Field(description="Cursor for the next page; null on the last page.")


class ExamplePage(BaseModel):
    examples: tuple[LabelledExample, ...] = Field(description="Labelled examples, oldest first.")
    next_cursor: str | None = Field(description="Cursor for the next page; null on the last page.")


class KnowledgeLessonBody(NewEntryBody):
    model_config = ConfigDict(json_schema_extra={"examples": []})

    kind: Literal["knowledge"]

    @property
    def lesson(self) -> SuggestedEntry:
        """Return the knowledge entry to add, as a domain object. Raises InvalidContent."""
        return SuggestedEntry(title=self.title, body=self.body, language=self.language)


class TemplateLessonBody(NewTemplateBody):
    model_config = ConfigDict(json_schema_extra={"examples": []})

    kind: Literal["template"]

    @property
    def lesson(self) -> SuggestedTemplate:
        """Return the template to add, as a domain object. Raises InvalidContent."""
        new = self.template
        return SuggestedTemplate(
            name=new.name,
            category=new.category,
            language=new.language,
            body=new.body,
            intent=new.intent,
            not_for=new.not_for,
        )


class TemplateRevisionBody(StrictBody):
    kind: Literal["template_change"]
    template_id: str = Field(pattern=ULID)
    change: TemplateBody

    @property
    def lesson(self) -> TemplateRevision:
        """Return the change to the template, as a domain object. Raises InvalidBody,
        InvalidContent."""
        return TemplateRevision(template_id=self.template_id, change=self.change.change)


class KnowledgeRevisionBody(StrictBody):
    kind: Literal["knowledge_change"]
    knowledge_id: str = Field(pattern=ULID)
    change: EntryBody

    @property
    def lesson(self) -> KnowledgeRevision:
        """Return the change to the knowledge entry, as a domain object. Raises InvalidBody,
        InvalidContent."""
        return KnowledgeRevision(knowledge_id=self.knowledge_id, change=self.change.change)


_LESSONS = (KnowledgeLessonBody, TemplateLessonBody, TemplateRevisionBody, KnowledgeRevisionBody)
_Content = Annotated[
    KnowledgeLessonBody | TemplateLessonBody | TemplateRevisionBody | KnowledgeRevisionBody,
    Field(discriminator="kind", description="Change to make to a template or knowledge entry."),
    WithJsonSchema({"anyOf": [in_one_piece(one) for one in _LESSONS]}),
]
_Case = Annotated[
    dict[str, JsonValue],
    WithJsonSchema(named(CaseSpec)),
    Field(description="Case to add, in the format of the correction's `offers.case`."),
]


class AcceptCorrectionBody(StrictBody):
    model_config = ConfigDict(
        json_schema_extra={"examples": [{"classification": "refund_request"}]}
    )

    classification: Annotated[
        Category,
        Field(strict=False, description="Category of the customer's message."),
        WithJsonSchema({"type": "string", "enum": list(Category)}),
    ]
    intent: Annotated[
        Annotated[
            Intent, Field(strict=False), WithJsonSchema({"type": "string", "enum": list(Intent)})
        ]
        | None,
        Field(description="Customer's intent, if the reviewer can identify it."),
    ] = None
    case: _Case | None = None
    content: _Content | None = None

    @property
    def lesson(self) -> CorrectionLesson:
        """Return what to learn from the correction, as a domain object. Raises InvalidBody,
        InvalidCases, InvalidContent."""
        content: ContentLesson | None = None if self.content is None else self.content.lesson
        return CorrectionLesson(
            classification=self.classification,
            intent=self.intent,
            case=None if self.case is None else case_in(self.case),
            content=content,
        )


class DismissCorrectionBody(StrictBody):
    pass


class AcceptedCorrectionAnswer(BaseModel):
    correction_id: str
    state: CorrectionState
    example_id: str = Field(description="Id of the labelled example created from the correction.")
    case_id: str | None
    content_kind: Literal["template", "knowledge"] | None
    content_id: str | None
