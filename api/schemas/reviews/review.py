"""Request and response models for the dashboard's review routes."""

import base64
import binascii
from datetime import datetime
from typing import Annotated, Final, Literal

from pydantic import AfterValidator, BaseModel, ConfigDict, Field, field_validator

from api.schemas.core.client_query import ClientQuery
from api.schemas.core.strict_body import StrictBody, Whole
from api.schemas.reviews.written import without_gaps
from domain.agent.brain import Category
from domain.agent.escalation_reason import EscalationReason
from domain.core.ids import ULID, parse_ulid
from domain.reviews.escalation import MAX_NOTE, MAX_WORDS, Claim, EscalationStatus
from domain.reviews.review import QueuePlace, ReviewSummary, Wanted
from domain.tenants.user import MAX_USER_ID
from store.reviews.reviews import ReviewFilter

_MAX_LIMIT: Final = 100
_MAX_AMOUNT: Final = 10**12
# The pattern excludes NUL because PostgreSQL cannot store it.
_NO_NUL: Final = r"^[^\x00]*$"


class ReviewQuery(ClientQuery):
    status: Annotated[
        Wanted, Field(description="Status of the reviews; `open` means pending or claimed.")
    ] = Wanted.OPEN
    reason: EscalationReason | None = None
    classification: Category | None = None
    claimed_by: Annotated[str | None, Field(max_length=MAX_USER_ID, pattern=r"^[^\x00]+$")] = None
    urgent: bool | None = None
    min_amount: Annotated[
        int | None,
        Field(
            ge=0,
            le=_MAX_AMOUNT,
            description="Minimum amount at stake, in minor units, regardless of currency.",
        ),
    ] = None
    order: Annotated[
        Literal["oldest", "newest"],
        Field(description="Sort order by `created_at`. `oldest` puts urgent reviews first."),
    ] = "oldest"
    limit: Annotated[int, Field(ge=1, le=_MAX_LIMIT)] = 50
    cursor: Annotated[
        str | None,
        Field(max_length=200, description=("Value of `next_cursor` from the previous page.")),
    ] = None

    @field_validator("cursor")
    @classmethod
    def _ours(cls, value: str | None) -> str | None:
        if value is not None:
            place_at(value)
        return value

    @property
    def wanted(self) -> ReviewFilter:
        return ReviewFilter(
            status=self.status,
            reason=self.reason,
            classification=self.classification,
            claimed_by=self.claimed_by,
            urgent=self.urgent,
            min_amount=self.min_amount,
        )

    @property
    def after(self) -> QueuePlace | None:
        return None if self.cursor is None else place_at(self.cursor)


class ReviewPage(BaseModel):
    reviews: list[ReviewSummary]
    next_cursor: str | None = Field(
        description="Cursor for the next page; null if there are currently no more reviews."
    )


class ClaimBody(StrictBody):
    model_config = ConfigDict(json_schema_extra={"examples": [{"force": False}]})

    force: bool = Field(
        default=False,
        description=(
            "If true, take over another member's claim. Only owners and admins may do so."
        ),
    )


_LatestMessage = Annotated[
    str | None,
    Field(
        pattern=ULID,
        description=(
            "`latest_message` of the review that the reviewer saw. The decision is rejected if the "
            "customer has sent another message since then. Defaults to the message that opened the "
            "review."
        ),
    ),
]


_Revision = Annotated[
    Whole | None,
    Field(
        le=2**31 - 1,
        description=(
            "`revision` of the review that the reviewer saw. The decision is rejected if the agent "
            "has changed the draft or the plan since then. Defaults to the first revision."
        ),
    ),
]


class ApproveBody(StrictBody):
    model_config = ConfigDict(
        json_schema_extra={"examples": [{"draft": "Bonjour, votre colis arrive demain."}]}
    )

    draft: str | None = Field(
        default=None,
        pattern=_NO_NUL,
        description=(
            "Draft that the reviewer saw. The decision is rejected if the draft has changed since "
            "then. Required if the first approver has edited the draft."
        ),
    )
    latest_message: _LatestMessage = None
    revision: _Revision = None


class EditReviewBody(StrictBody):
    # The pattern uses Python's definition of white space, as in domain/reviews/escalation.py.
    model_config = ConfigDict(
        regex_engine="python-re",
        json_schema_extra={"examples": [{"text": "Bonjour, votre colis arrive jeudi."}]},
    )

    text: Annotated[str, AfterValidator(without_gaps)] = Field(
        pattern=r"\S",
        max_length=MAX_WORDS,
        description=(
            "Text to send instead of the draft. It must not contain a template's placeholder, such "
            "as `[order_number]`."
        ),
    )
    latest_message: _LatestMessage = None
    revision: _Revision = None


class RejectBody(StrictBody):
    model_config = ConfigDict(
        json_schema_extra={"examples": [{"note": "Remboursé par téléphone."}]}
    )

    note: str | None = Field(
        default=None,
        max_length=MAX_NOTE,
        pattern=_NO_NUL,
        description="Internal note, visible only to teammates.",
    )


class ReleaseBody(StrictBody):
    pass


class ClaimAnswer(BaseModel):
    review_id: str
    status: Literal[EscalationStatus.PENDING, EscalationStatus.CLAIMED]
    claim: Claim | None


class DecisionAnswer(BaseModel):
    review_id: str
    status: EscalationStatus
    awaiting_second: bool = Field(
        description="True if a second person must approve before the plan is executed."
    )
    signalled: bool = Field(
        description=(
            "True if the run has received the decision. Otherwise it receives the decision "
            "within minutes."
        )
    )


def cursor_of(review: ReviewSummary) -> str:
    """Return an opaque cursor for a review's position in the queue."""
    return cursor_at(review.place)


def cursor_at(place: QueuePlace) -> str:
    """Return an opaque cursor for a position in the queue."""
    text = f"{place.urgent:d} {place.created_at.isoformat()} {place.id}"
    return base64.urlsafe_b64encode(text.encode()).decode()


def place_at(cursor: str) -> QueuePlace:
    """Return the queue position encoded in the cursor. Raises ValueError if the cursor is
    invalid."""
    try:
        urgent, at, review_id = base64.b64decode(cursor, b"-_", validate=True).decode().split(" ")
    except (binascii.Error, UnicodeError):
        raise ValueError("no cursor") from None
    created_at, parsed = datetime.fromisoformat(at), parse_ulid(review_id)
    if urgent not in ("0", "1") or created_at.tzinfo is None or parsed is None:
        raise ValueError("no cursor")
    return QueuePlace(urgent == "1", created_at, parsed)
