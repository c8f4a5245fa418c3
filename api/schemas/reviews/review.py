"""Requests and responses of the dashboard about reviews."""

import base64
import binascii
from datetime import datetime
from typing import Annotated, Final, Literal

from pydantic import BaseModel, ConfigDict, Field, field_validator

from api.schemas.core.client_query import ClientQuery
from api.schemas.core.strict_body import StrictBody, Whole
from domain.agent.brain import Category
from domain.agent.escalation_reason import EscalationReason
from domain.core.ids import ULID, parse_ulid
from domain.reviews.escalation import MAX_NOTE, MAX_WORDS, Claim, EscalationStatus
from domain.reviews.review import QueuePlace, ReviewSummary, Wanted
from domain.tenants.user import MAX_USER_ID
from store.reviews.reviews import ReviewFilter

_MAX_LIMIT: Final = 100
_MAX_AMOUNT: Final = 10**12
# The body is refused if it contains NUL, which PostgreSQL cannot store.
_NO_NUL: Final = r"^[^\x00]*$"


class ReviewQuery(ClientQuery):
    """The query for a list of reviews."""

    status: Annotated[Wanted, Field(description="`open`: pending or claimed.")] = Wanted.OPEN
    reason: EscalationReason | None = None
    classification: Category | None = None
    claimed_by: Annotated[str | None, Field(max_length=MAX_USER_ID, pattern=r"^[^\x00]+$")] = None
    urgent: bool | None = None
    min_amount: Annotated[
        int | None, Field(ge=0, le=_MAX_AMOUNT, description="In minor units of any currency.")
    ] = None
    order: Annotated[
        Literal["oldest", "newest"],
        Field(
            description="Which come first, by `created_at`; before the oldest, what is `urgent`."
        ),
    ] = "oldest"
    limit: Annotated[int, Field(ge=1, le=_MAX_LIMIT)] = 50
    cursor: Annotated[
        str | None, Field(max_length=200, description="`next_cursor` of the page before.")
    ] = None

    @field_validator("cursor")
    @classmethod
    def _ours(cls, value: str | None) -> str | None:
        if value is not None:
            _place(value)
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
        return None if self.cursor is None else _place(self.cursor)


class ReviewPage(BaseModel):
    reviews: list[ReviewSummary]
    next_cursor: str | None = Field(description="Null: there is no more for now.")


class ClaimBody(StrictBody):
    force: bool = Field(default=False, description="Take it over; for owners and admins.")


_LatestMessage = Annotated[
    str | None,
    Field(
        pattern=ULID,
        description="`latest_message` of the review that was read: refused if the customer has "
        "written since. Absent: only the message it began with was read.",
    ),
]


_Revision = Annotated[
    Whole | None,
    Field(
        description="`revision` of the review that was read: refused if the agent has changed the "
        "draft or the plan since. Absent: the first.",
    ),
]


class ApproveBody(StrictBody):
    draft: str | None = Field(
        default=None,
        pattern=_NO_NUL,
        description="The draft that was read: refused if it is another by now.",
    )
    latest_message: _LatestMessage = None
    revision: _Revision = None


class EditBody(StrictBody):
    # Python's definition of white space, as in domain/reviews/escalation.py.
    model_config = ConfigDict(regex_engine="python-re")

    text: str = Field(pattern=r"\S", max_length=MAX_WORDS, description="What is sent instead.")
    latest_message: _LatestMessage = None
    revision: _Revision = None


class RejectBody(StrictBody):
    note: str | None = Field(
        default=None, max_length=MAX_NOTE, pattern=_NO_NUL, description="For colleagues."
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
    awaiting_second: bool = Field(description="Another person must agree before it is done.")
    signalled: bool = Field(
        description="The run was told. False: it hears of a decision within minutes."
    )


def cursor_of(review: ReviewSummary) -> str:
    place = review.place
    text = f"{place.urgent:d} {place.created_at.isoformat()} {place.id}"
    return base64.urlsafe_b64encode(text.encode()).decode()


def _place(cursor: str) -> QueuePlace:
    """Return the place in the queue that the cursor encodes. Raises ValueError."""
    try:
        urgent, at, review_id = base64.b64decode(cursor, b"-_", validate=True).decode().split(" ")
    except (binascii.Error, UnicodeError):
        raise ValueError("no cursor") from None
    created_at, parsed = datetime.fromisoformat(at), parse_ulid(review_id)
    if urgent not in ("0", "1") or created_at.tzinfo is None or parsed is None:
        raise ValueError("no cursor")
    return QueuePlace(urgent == "1", created_at, parsed)
