"""The inbox: one list of a client's tickets. A ticket is a conversation, and an open review is a
state of it."""

from datetime import datetime
from enum import StrEnum
from typing import Annotated, Final, NamedTuple

from pydantic import BaseModel, ConfigDict, Field

from domain.agent.brain import Category
from domain.agent.escalation_reason import EscalationReason
from domain.agent.safety.sensitive import SensitiveMatter
from domain.core.money import Money
from domain.intake.event import Channel
from domain.reviews.escalation import Claim, EscalationStatus
from domain.runs.triage import MAX_TAG, ConversationStatus
from domain.tenants.user import MAX_USER_ID

_TEXT: Final = r"^[^\x00]*$"

MAX_AMOUNT: Final = 10**12
"""Maximum of the filter by amount, in minor units."""

NO_ASSIGNEE: Final = "-"
"""The assignee filter's value for tickets without an assignee. No user has this id."""


class InboxView(StrEnum):
    """A built-in view of the inbox."""

    NEEDS = "needs"
    MINE = "mine"
    SECOND = "second"
    UNANSWERED = "unanswered"
    AGENT = "agent"
    ALL = "all"
    DECIDED = "decided"

    @property
    def default_order(self) -> "InboxOrder":
        """Return the order in which the view is listed by default."""
        is_queue = self in (InboxView.NEEDS, InboxView.MINE, InboxView.SECOND, InboxView.UNANSWERED)
        return InboxOrder.OLDEST if is_queue else InboxOrder.NEWEST


class InboxOrder(StrEnum):
    """The order of the inbox. `oldest`: urgent tickets first, then the longest wait first."""

    OLDEST = "oldest"
    NEWEST = "newest"


class ClaimFilter(StrEnum):
    """A filter by the claim on a ticket's open review."""

    PENDING = "pending"
    CLAIMED = "claimed"


class InboxFilter(BaseModel):
    """The view and the filters of the inbox. None disables a filter."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    view: Annotated[
        InboxView,
        Field(
            description=(
                "`needs`: an open review, or a message that waits for the team. `mine`: claimed "
                "by or assigned to the caller. `second`: one of two approvals given. "
                "`unanswered`: a message without an answer. `agent`: handled by the agent. `all`: "
                "all tickets. `decided`: decided reviews."
            )
        ),
    ] = InboxView.NEEDS
    reason: Annotated[
        EscalationReason | None, Field(description="Escalation reason of the review.")
    ] = None
    classification: Annotated[Category | None, Field(description="Category of the message.")] = None
    min_amount: Annotated[
        int | None,
        Field(
            ge=0,
            le=MAX_AMOUNT,
            description="Minimum amount at stake, in minor units, regardless of currency.",
        ),
    ] = None
    claim: Annotated[
        ClaimFilter | None, Field(description="Whether the open review is claimed.")
    ] = None
    channel: Channel | None = None
    status: ConversationStatus | None = None
    assignee: Annotated[
        str | None,
        Field(
            max_length=MAX_USER_ID,
            pattern=_TEXT,
            description="Id of the assigned member or claim holder; `-` for tickets without one.",
        ),
    ] = None
    tag: Annotated[str | None, Field(max_length=MAX_TAG, pattern=r"^[^\x00]+$")] = None
    unhappy: Annotated[bool, Field(description="Only tickets with critical sentiment.")] = False
    taken: Annotated[bool, Field(description="Only tickets that a member has taken over.")] = False
    order: Annotated[
        InboxOrder | None,
        Field(description="Sort order. `oldest` puts urgent tickets first."),
    ] = None

    @property
    def is_newest_first(self) -> bool:
        """Return True if the latest ticket is listed first."""
        return (self.order or self.view.default_order) is InboxOrder.NEWEST

    @property
    def is_set(self) -> bool:
        """Return True if a filter is set. The view and the order are not filters."""
        return bool(self.model_dump(exclude_defaults=True, exclude={"view", "order"}))

    @property
    def is_of_review(self) -> bool:
        """Return True if a filter is set that only tickets with a review can match."""
        return (self.reason, self.min_amount, self.claim) != (None, None, None)


class InboxPlace(NamedTuple):
    """The cursor for the inbox: the position of the last ticket on the previous page. `id` is the
    review's id if the ticket is listed because of its review, otherwise the conversation's id."""

    urgent: bool
    at: datetime
    id: str


class InboxTicket(BaseModel):
    """A ticket in the inbox."""

    model_config = ConfigDict(frozen=True)

    conversation_id: str | None = Field(
        description="Null if the conversation was erased or the review has none."
    )
    review_id: str | None = Field(
        description="Id of the open review, or of the decided review in the view `decided`."
    )
    customer_email: str | None
    subject: str | None
    preview: str = Field(description="Beginning of the message.")
    channel: str | None
    classification: str | None
    reason: EscalationReason | None
    review_status: EscalationStatus | None
    urgent: bool
    sensitive: SensitiveMatter | None
    amount: Money | None = Field(description="Largest amount that the plan would move.")
    can_approve: bool = Field(
        description="True if the review can be approved: it is open and has a draft."
    )
    needs_second: bool = Field(description="True if two people must approve the review.")
    awaits_second: bool = Field(description="True if one of two approvals is given.")
    claim: Claim | None
    decided_by: str | None
    decided_at: datetime | None
    expires_at: datetime | None
    assignee: str | None
    taken_by: str | None
    is_handed_over: bool = Field(description="True if the team handles the conversation.")
    status: ConversationStatus | None
    tags: tuple[str, ...]
    is_critical: bool
    is_unanswered: bool = Field(
        description="True if the latest message has no answer, or a review is open."
    )
    waits_for_team: bool = Field(
        description="True if a review is open, or the agent is not working on the latest message."
    )
    waiting_since: datetime | None = Field(
        description=(
            "Start of the wait: when the review was opened, or when the first unanswered message "
            "arrived. Null if nothing is waiting."
        )
    )
    last_message_at: datetime | None

    @property
    def is_open_review(self) -> bool:
        """Return True if the ticket has an open review."""
        return self.review_id is not None and self.decided_at is None

    @property
    def name(self) -> str:
        """Return the name of the ticket in a selection: `review:` or `talk:`, and an id."""
        if self.review_id is not None:
            return f"review:{self.review_id}"
        return f"talk:{self.conversation_id}"

    @property
    def path(self) -> str:
        """Return the path of the ticket's page: the review's page if there is a review."""
        if self.review_id is not None:
            return f"/app/reviews/{self.review_id}"
        return f"/app/conversations/{self.conversation_id}"
