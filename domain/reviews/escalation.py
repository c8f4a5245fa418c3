"""The escalation: a run that waits for a human, and what the human may decide.

Claiming is a courtesy: whoever has not claimed may decide too, unless somebody else has just done
so. Above a limit two people must agree, and the words that go out are those the second has seen.
Whoever lets it go on has seen the customer's latest message.
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
"""Characters of the words that a person sends in place of the draft."""

MAX_NOTE: Final = 2_000
"""Characters of a note for colleagues."""


class EscalationStatus(StrEnum):
    PENDING = "pending"
    CLAIMED = "claimed"
    APPROVED = "approved"
    EDITED = "edited"
    REJECTED = "rejected"
    EXPIRED = "expired"


OPEN_STATUSES: Final = frozenset({EscalationStatus.PENDING, EscalationStatus.CLAIMED})


class Decision(StrEnum):
    """What a human (or the clock) does with an escalation."""

    APPROVE = "approve"
    EDIT = "edit"
    REJECT = "reject"
    EXPIRE = "expire"

    @property
    def status(self) -> EscalationStatus:
        """The escalation's status once this decision is taken."""
        return _STATUS_AFTER[self]

    @property
    def executes(self) -> bool:
        """Whether the plan is carried out after it."""
        return self in (Decision.APPROVE, Decision.EDIT)


_STATUS_AFTER: Final = {
    Decision.APPROVE: EscalationStatus.APPROVED,
    Decision.EDIT: EscalationStatus.EDITED,
    Decision.REJECT: EscalationStatus.REJECTED,
    Decision.EXPIRE: EscalationStatus.EXPIRED,
}


class Claim(BaseModel):
    """Somebody is looking at it, and asks the others to leave it alone for a while."""

    model_config = ConfigDict(frozen=True)

    by: str
    at: datetime

    @computed_field  # type: ignore[prop-decorator]
    @property
    def until(self) -> datetime:
        return self.at + CLAIM_LASTS


@dataclass(frozen=True, slots=True)
class Choice:
    """What a person wants done. `text`: the words to send, of an edit. `note`: why it is rejected,
    for colleagues. `seen`: the draft that the person has read, None if that is not known.
    `seen_event`: the latest message that the person has read, None for the one that it is about.
    `seen_revision`: of the draft and plan that the person has read, None for the first."""

    decision: Decision
    actor: str
    text: str | None = None
    note: str | None = None
    seen: str | None = None
    seen_event: str | None = None
    seen_revision: int | None = None


@dataclass(frozen=True, slots=True)
class ReviewStanding:
    """Where an escalation stands. `draft`: what an approval sends, the words of whoever edited it
    first in place of the agent's. `first_event`: the message that it is about. `latest_event`: the
    last one that joined it, else the same. `revision`: how often draft and plan were changed by the
    agent. `authors`: users who typed a message of its
    conversation."""

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

    def check_open_to(self, actor: str, now: datetime) -> None:
        """Raises EscalationDecided, and EscalationClaimed while another's fresh claim stands."""
        self.check_open()
        claim = self.claim
        if claim is not None and claim.by != actor and now < claim.until:
            raise EscalationClaimed(self.id, claim.by)

    def check_open(self) -> None:
        """Raises EscalationDecided."""
        if self.status not in OPEN_STATUSES:
            raise EscalationDecided(self.id)

    def check(self, choice: Choice, now: datetime) -> None:
        """Whether the choice may be made now.

        Raises what `check_open_to` does, OwnRequest, ConversationMovedOn, DraftMissing,
        EscalationChanged, SecondPersonRequired.
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
        if choice.decision is Decision.APPROVE:
            if not self.draft.strip():
                raise DraftMissing(self.id)
            if choice.seen is not None and choice.seen != self.draft:
                raise EscalationChanged(self.id)
        if choice.decision.executes and self.first_approved_by == choice.actor:
            raise SecondPersonRequired(self.id)

    def is_first_of_two(self, decision: Decision) -> bool:
        """Whether the decision leaves it open, for another person to agree."""
        return decision.executes and self.needs_second and self.first_approved_by is None


def check_words(text: str) -> None:
    """Raises InvalidInput for words that cannot be sent."""
    if not text.strip() or len(text) > MAX_WORDS:
        raise InvalidInput(f"text: the words to send, {MAX_WORDS} characters at most")


def check_note(note: str | None) -> None:
    """Raises InvalidInput."""
    if note is not None and len(note) > MAX_NOTE:
        raise InvalidInput(f"note: {MAX_NOTE} characters at most")
