"""Export records for corrections, labelled examples and ratings."""

from typing import Annotated, Literal

from pydantic import Field

from domain.agent.brain import Category, Language
from domain.agent.intent import Intent
from domain.exports.record import Id, Record, Time
from domain.learning.correction import CorrectionKind, CorrectionState
from domain.ratings.rating import LEAST, MAX_COMMENT, MOST, RatingChannel


class CorrectionExportRecord(Record):
    """A correction: a review whose draft a reviewer edited or rejected, and the lesson learned from
    it. The draft and the reviewer's text are in the review's record. The engine writes this record,
    and updates it when a member accepts or dismisses the correction."""

    id: Annotated[Id, Field(description="ULID of the correction.")]
    review_id: Annotated[Id, Field(description="ULID of the review.")]
    run_id: Annotated[Id, Field(description="ULID of the run.")]
    kind: Annotated[
        CorrectionKind,
        Field(description="Kind of correction: whether the reviewer edited or rejected the draft."),
    ]
    state: Annotated[CorrectionState, Field(description="State of the correction.")]
    decided_by: Annotated[
        str | None,
        Field(
            description="Member who accepted or dismissed the correction; null while it is open."
        ),
    ]
    decided_at: Annotated[
        Time | None,
        Field(
            description="Time when the correction was accepted or dismissed; null while it is open."
        ),
    ]
    case_id: Annotated[
        Id | None,
        Field(
            description=(
                "ULID of the case that was created from the correction; null if there is none."
            )
        ),
    ]
    content_kind: Annotated[
        Literal["template", "knowledge"] | None,
        Field(description="Kind of record that `content_id` identifies; null if there is none."),
    ]
    content_id: Annotated[
        Id | None,
        Field(
            description=(
                "ULID of the template or knowledge entry that the correction created or changed; "
                "null if there is none."
            )
        ),
    ]
    created_at: Annotated[Time, Field(description="Time when the review was decided.")]


class LabelledExampleRecord(Record):
    """A customer's message with the category and intent that a member assigned. Personal data in
    the message is replaced. The service writes the record when a member accepts a correction."""

    id: Annotated[Id, Field(description="ULID of the example.")]
    run_id: Annotated[
        Id | None,
        Field(
            description=(
                "ULID of the run from which the example was created; null if the run is not known."
            )
        ),
    ]
    text: Annotated[str, Field(description="Text of the message, with personal data replaced.")]
    answer: Annotated[
        str | None,
        Field(
            default=None,
            description=(
                "Text that a human agent sent, with personal data replaced; null if it is unknown."
            ),
        ),
    ]
    language: Annotated[Language, Field(description="Language of the message.")]
    classification: Annotated[Category, Field(description="Category that a member assigned.")]
    intent: Annotated[Intent | None, Field(description="Intent that a member assigned.")]
    labelled_by: Annotated[str, Field(description="Member who assigned `category` and `intent`.")]
    created_at: Annotated[Time, Field(description="Time when the example was labelled.")]


class RatingRecord(Record):
    """A customer's rating of the answer to a message."""

    id: Annotated[Id, Field(description="ULID of the rating.")]
    run_id: Annotated[Id, Field(description="ULID of the run with the rated answer.")]
    score: Annotated[int, Field(ge=LEAST, le=MOST, description="Score, from 1 (bad) to 5 (good).")]
    comment: Annotated[
        Annotated[str, Field(max_length=MAX_COMMENT)] | None,
        Field(description="Comment that the customer added to the rating."),
    ]
    channel: Annotated[
        RatingChannel,
        Field(description=("Channel in which the customer was asked for the rating.")),
    ]
    created_at: Annotated[Time, Field(description="Time when the rating was first given.")]
    updated_at: Annotated[
        Time | None,
        Field(
            description=(
                "Time when the customer last changed the rating; null if it never changed."
            )
        ),
    ]
