"""The records of corrections, labelled examples and ratings."""

from typing import Annotated, Literal

from pydantic import Field

from domain.agent.brain import Category, Language
from domain.agent.intent import Intent
from domain.exports.record import Id, Record, Time
from domain.learning.correction import CorrectionKind, CorrectionState
from domain.ratings.rating import LEAST, MAX_COMMENT, MOST, RatingChannel


class CorrectionExportRecord(Record):
    """An edited or rejected review, until a person has decided what to learn from it. Its text is
    the review's. Written by the engine, and by the deciding person."""

    id: Annotated[Id, Field(description="ULID of the correction.")]
    review_id: Annotated[Id, Field(description="ULID of the review.")]
    run_id: Annotated[Id, Field(description="ULID of the run.")]
    kind: Annotated[CorrectionKind, Field(description="What became of the draft.")]
    state: Annotated[CorrectionState, Field(description="How it stands.")]
    decided_by: Annotated[str | None, Field(description="Who accepted or dismissed it.")]
    decided_at: Annotated[Time | None, Field(description="When that was.")]
    case_id: Annotated[Id | None, Field(description="ULID of the case that was made of it.")]
    content_kind: Annotated[
        Literal["template", "knowledge"] | None, Field(description="What `content_id` names.")
    ]
    content_id: Annotated[
        Id | None, Field(description="ULID of the template or entry that it made or changed.")
    ]
    created_at: Annotated[Time, Field(description="When the review was decided.")]


class LabelledExampleRecord(Record):
    """A customer's message, personal data replaced, with the class that a person gave it. Written
    when a person accepts a correction."""

    id: Annotated[Id, Field(description="ULID of the example.")]
    run_id: Annotated[Id | None, Field(description="ULID of the run that it was made of.")]
    text: Annotated[str, Field(description="The message.")]
    language: Annotated[Language, Field(description="Its language.")]
    classification: Annotated[Category, Field(description="The class that a person gave it.")]
    intent: Annotated[Intent | None, Field(description="The intent that a person gave it.")]
    labelled_by: Annotated[str, Field(description="Who gave them.")]
    created_at: Annotated[Time, Field(description="When that was.")]


class RatingRecord(Record):
    """A customer's rating of the answer to a message. Written by the customer."""

    id: Annotated[Id, Field(description="ULID of the rating.")]
    run_id: Annotated[Id, Field(description="ULID of the run whose answer it is about.")]
    score: Annotated[int, Field(ge=LEAST, le=MOST, description="1 (bad) to 5 (good).")]
    comment: Annotated[
        Annotated[str, Field(max_length=MAX_COMMENT)] | None,
        Field(description="What the customer wrote beside it."),
    ]
    channel: Annotated[RatingChannel, Field(description="Where the customer was asked.")]
    created_at: Annotated[Time, Field(description="When it came first.")]
    updated_at: Annotated[Time | None, Field(description="When the customer changed it.")]
