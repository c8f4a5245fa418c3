"""An escalation: a run that is pending a human decision. The API calls it a review.

Another reviewer's valid claim blocks a decision. Above a limit, two people must approve the same
text. Approval requires having read the customer's latest message.
"""

from dataclasses import dataclass
from datetime import datetime, timedelta
from enum import StrEnum
from typing import Final

from pydantic import BaseModel, ConfigDict, computed_field

from domain.agent.macro import gaps_in
from domain.core.errors import InvalidInput
from domain.reviews.errors import (
    ConversationMovedOn,
    DraftMissing,
    EscalationChanged,
    EscalationClaimed,
    EscalationDecided,
    OwnRequest,
    SecondPersonRequired,
)

CLAIM_LASTS: Final = timedelta(minutes=30)

MAX_WORDS: Final = 20_000
"""Maximum length of the reply that a reviewer writes, in characters."""

MAX_NOTE: Final = 2_000
"""Maximum length of a reviewer's note for teammates, in characters."""


class EscalationStatus(StrEnum):
    PENDING = "pending"
    CLAIMED = "claimed"
    APPROVED = "approved"
    EDITED = "edited"
    REJECTED = "rejected"
    EXPIRED = "expired"


OPEN_STATUSES: Final = frozenset({EscalationStatus.PENDING, EscalationStatus.CLAIMED})


class Decision(StrEnum):
    """A decision on an escalation: a human's decision, or `expire` if the time to decide
    elapsed."""

    APPROVE = "approve"
    EDIT = "edit"
    REJECT = "reject"
    EXPIRE = "expire"

    @property
    def status(self) -> EscalationStatus:
        """Return the status that the escalation has after this decision."""
        return _STATUS_AFTER[self]

    @property
    def executes(self) -> bool:
        """Return True if the plan is executed after this decision."""
        return self in (Decision.APPROVE, Decision.EDIT)


_STATUS_AFTER: Final = {
    Decision.APPROVE: EscalationStatus.APPROVED,
    Decision.EDIT: EscalationStatus.EDITED,
    Decision.REJECT: EscalationStatus.REJECTED,
    Decision.EXPIRE: EscalationStatus.EXPIRED,
}


class Claim(BaseModel):
    """A reviewer's claim on a review. Until the claim expires, no other reviewer can decide the
    review."""

    model_config = ConfigDict(frozen=True)

    by: str
    at: datetime

    @computed_field  # type: ignore[prop-decorator]
    @property
    def until(self) -> datetime:
        """Time at which the claim expires."""
        return self.at + CLAIM_LASTS


@dataclass(frozen=True, slots=True)
class Choice:
    """A reviewer's decision on an escalation. `text` is the edited text to send. `note` is the
    reason for a rejection, for teammates.

    The other fields identify what the reviewer has read: the draft (`seen`), the latest message
    (`seen_event`), and the revision of draft and plan (`seen_revision`). None means the agent's
    draft, the first message and the first revision.
    """

    decision: Decision
    actor: str
    text: str | None = None
    note: str | None = None
    seen: str | None = None
    seen_event: str | None = None
    seen_revision: int | None = None


@dataclass(frozen=True, slots=True)
class ReviewStanding:
    """The state of an escalation.

    - `draft`: the text that an approval sends, from the first editor or the agent.
    - `is_edited`: the first approver wrote the draft.
    - `first_event`, `latest_event`: the first and the latest message of the escalation.
    - `revision`: how often the agent has changed the draft and the plan.
    - `authors`: the users who typed a message in the conversation.
    """

    id: str
    status: EscalationStatus
    draft: str
    first_event: str
    latest_event: str
    claim: Claim | None = None
    needs_second: bool = False
    first_approved_by: str | None = None
    revision: int = 0
    authors: frozenset[str] = frozenset()
    is_edited: bool = False

    def check_open_to(self, actor: str, now: datetime) -> None:
        """Check that `actor` may decide the escalation now.

        Raises EscalationDecided if it is closed, or EscalationClaimed if another reviewer's claim
        has not expired.
        """
        self.check_open()
        claim = self.claim
        if claim is not None and claim.by != actor and now < claim.until:
            raise EscalationClaimed(self.id, claim.by)

    def check_open(self) -> None:
        """Raise EscalationDecided if the escalation is closed: it was decided, or it expired."""
        if self.status not in OPEN_STATUSES:
            raise EscalationDecided(self.id)

    def check(self, choice: Choice, now: datetime) -> None:
        """Check that the choice may be made now.

        Raises OwnRequest, ConversationMovedOn, DraftMissing, EscalationChanged,
        SecondPersonRequired, and the errors of `check_open_to`.
        """
        self.check_open_to(choice.actor, now)
        if choice.decision.executes and choice.actor in self.authors:
            raise OwnRequest(self.id)
        if choice.decision.executes and (choice.seen_event or self.first_event) != (
            self.latest_event
        ):
            raise ConversationMovedOn(self.id)
        if choice.decision.executes and (choice.seen_revision or 0) != self.revision:
            raise EscalationChanged(self.id)
        if choice.decision.executes and self.first_approved_by == choice.actor:
            raise SecondPersonRequired(self.id)
        if choice.decision is Decision.APPROVE:
            if not self.draft.strip():
                raise DraftMissing(self.id)
            # If `seen` is None, the approver may have read only the agent's draft. That is
            # sufficient unless the first approver edited it.
            unread = self.is_edited if choice.seen is None else choice.seen != self.draft
            if unread:
                raise EscalationChanged(self.id)

    def is_first_of_two(self, decision: Decision) -> bool:
        """Return True if the escalation stays open after the decision, because another person must
        also approve."""
        return decision.executes and self.needs_second and self.first_approved_by is None


def check_words(text: str) -> None:
    """Raise InvalidInput for a reply that is empty or longer than MAX_WORDS characters, or that
    contains a placeholder of an inserted template (`domain/agent/macro.py`)."""
    if not text.strip() or len(text) > MAX_WORDS:
        raise InvalidInput(f"text: the words to send, {MAX_WORDS} characters at most")
    if gaps_in(text):
        raise InvalidInput("text: replace the placeholders in brackets")


def check_note(note: str | None) -> None:
    """Raise InvalidInput for a note that is longer than MAX_NOTE characters."""
    if note is not None and len(note) > MAX_NOTE:
        raise InvalidInput(f"note: {MAX_NOTE} characters at most")
