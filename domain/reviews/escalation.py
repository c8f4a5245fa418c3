"""An escalation: a run that is pending a human decision, and the possible decisions. The API calls
an escalation a review.

A reviewer can decide without a claim, but not while another reviewer's claim is valid. Above a
limit, two people must approve, and the text that is sent must be the text that the second person
has read. A reviewer can approve only after reading the customer's latest message.
"""

from dataclasses import dataclass
from datetime import datetime, timedelta
from enum import StrEnum
from typing import Final

from pydantic import BaseModel, ConfigDict, computed_field

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
    """A reviewer's decision on an escalation, with its details. `text`: the text to send, for an
    edit. `note`: the reason for a rejection, for teammates.

    The other fields identify the content that the reviewer has read. `seen`: the draft, or None for
    the agent's draft. `seen_event`: the latest message, or None for the first message.
    `seen_revision`: the revision of draft and plan, or None for the first revision.
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
    """The state of an escalation. `draft`: the text that an approval sends, written by the first
    editor or else by the agent. `is_edited`: whether the first approver wrote the draft.
    `first_event`: the message that caused the escalation. `latest_event`: the latest message added
    to the escalation, or the first message if none was added. `revision`: the number of times that
    the agent has changed the draft and the plan. `authors`: ids of the users who typed a message in
    the conversation."""

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
    """Raise InvalidInput for a reply that is empty or longer than MAX_WORDS characters."""
    if not text.strip() or len(text) > MAX_WORDS:
        raise InvalidInput(f"text: the words to send, {MAX_WORDS} characters at most")


def check_note(note: str | None) -> None:
    """Raise InvalidInput for a note that is longer than MAX_NOTE characters."""
    if note is not None and len(note) > MAX_NOTE:
        raise InvalidInput(f"note: {MAX_NOTE} characters at most")
