"""A naive model of a review: claims, approvals, messages, revisions and the decision."""

from dataclasses import dataclass
from datetime import datetime, timedelta

from domain.reviews.errors import (
    DraftMissing,
    EscalationChanged,
    EscalationClaimed,
    EscalationDecided,
    SecondPersonRequired,
)
from domain.reviews.escalation import Decision


@dataclass
class Model:
    """The expected values, computed naively."""

    needs_second: bool
    words: str
    claim: tuple[str, datetime] | None = None
    first: str | None = None
    is_edited: bool = False
    latest: str | None = None
    revision: int = 0
    decided: Decision | None = None
    by: str | None = None

    def refusal(self, person: str, now: datetime) -> str | None:
        """Return why this person cannot claim or decide the review."""
        if self.decided:
            return EscalationDecided.code
        if self.claim is None or self.claim[0] == person:
            return None
        fresh = now - self.claim[1] < timedelta(minutes=30)
        return EscalationClaimed.code if fresh else None

    def decide(
        self, decision: Decision, person: str, text: str, now: datetime, *, has_read: bool = True
    ) -> str:
        refused = self.refusal(person, now)
        if refused:
            return refused
        if decision is Decision.APPROVE and not self.words:
            return DraftMissing.code
        if decision is not Decision.REJECT:
            if self.first == person:
                return SecondPersonRequired.code
            if decision is Decision.APPROVE and self.is_edited and not has_read:
                return EscalationChanged.code
            if decision is Decision.EDIT:
                self.words, self.is_edited = text, True
            if self.needs_second and not self.first:
                self.first, self.claim = person, None
                return "first"
        self.decided, self.by = decision, person
        return "decided"

    def join(self, event_id: str) -> bool:
        """Return whether human agents have the conversation, so that the message joins."""
        if self.decided in (Decision.APPROVE, Decision.EDIT):
            return False
        self.latest = event_id
        if not self.decided:
            self.first = None
        return True
