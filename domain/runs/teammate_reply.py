"""A member's reply in a conversation, and who may write in the conversation."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from enum import StrEnum
from typing import Final

from pydantic import BaseModel, ConfigDict

from domain.agent.plan import ActionKind, PlannedAction
from domain.core.errors import InvalidInput
from domain.intake.event import UnifiedEvent
from domain.reviews.errors import EscalationClaimed
from domain.reviews.escalation import Claim
from domain.runs.errors import ConversationTaken, ReplyNotPossible, ReplySent

UNDO_FOR: Final = timedelta(seconds=10)
"""The time between a member's request to send a reply and the start of the send."""

FIRST_STEP: Final = 1_000
"""The number of a run's first reply in the action ledger. The steps of plans have lower numbers."""

SESSION_ENDED: Final = "widget_session_ended"
"""Why a reply cannot be delivered to a visitor of the widget who no longer sees the chat."""

NO_MESSAGE: Final = "no_message"
"""Why a conversation whose messages were erased cannot be answered."""

NOT_CONNECTED: Final = "not_connected"
"""Why a reply cannot be delivered to a platform that the client is no longer connected to."""

ANSWERED_MEANWHILE: Final = "answered_meanwhile"
"""Why a reply is not sent if another answer was approved or sent since the reply was written."""

CONNECTION_CHANGED: Final = "connection_changed"
"""Why the outcome of a reply is unknown if an interrupted attempt used another connection."""

MAX_INTERNAL_NOTE: Final = 10_000
"""Maximum length of an internal note, in characters."""


class ReplyState(StrEnum):
    """The state of a reply. `scheduled`: it can still be undone. `unknown`: the external system may
    or may not have delivered it, and it is not sent again."""

    SCHEDULED = "scheduled"
    SENDING = "sending"
    SENT = "sent"
    FAILED = "failed"
    UNKNOWN = "unknown"

    @property
    def is_final(self) -> bool:
        return self in (ReplyState.SENT, ReplyState.FAILED, ReplyState.UNKNOWN)


class TeammateReply(BaseModel):
    """A stored reply. `event_id`, `run_id`: the customer's message that the reply answers, and its
    run. `step`: the reply's number among the run's steps in the action ledger. `author`: the name
    of the actor who wrote the reply. `send_at`: the end of the time to undo it."""

    model_config = ConfigDict(frozen=True)

    id: str
    conversation_id: str
    event_id: str
    run_id: str
    step: int
    author: str
    body: str
    state: ReplyState
    error_code: str | None = None
    created_at: datetime
    send_at: datetime
    finished_at: datetime | None = None

    def check_undoable(self) -> None:
        """Raise ReplySent if the reply is being sent, or was sent."""
        if self.state is not ReplyState.SCHEDULED:
            raise ReplySent(self.id)


class InternalNote(BaseModel):
    """A note for teammates in a conversation. `author`: the name of the actor who wrote it."""

    model_config = ConfigDict(frozen=True)

    id: str
    author: str
    body: str
    created_at: datetime


@dataclass(frozen=True, slots=True)
class WriterStanding:
    """The facts that decide who may write in a conversation. `taken_by`: the member who has taken
    the conversation over, or None. `claims`: the claims on its open reviews, each with the review's
    id. `waiting`: the authors of replies that can still be undone, oldest first."""

    taken_by: str | None
    claims: Sequence[tuple[str, Claim]] = ()
    waiting: Sequence[str] = ()

    def check_open_to(self, actor: str, now: datetime) -> None:
        """Check that `actor` may write to the customer now.

        Raises ConversationTaken if a teammate has taken the conversation over, or has written a
        reply that will take it over. Raises EscalationClaimed if a teammate's claim on an open
        review has not expired.
        """
        if self.taken_by not in {None, actor}:
            raise ConversationTaken(str(self.taken_by))
        teammate = next((one for one in self.waiting if one != actor), None)
        if teammate is not None:
            raise ConversationTaken(teammate)
        for review_id, claim in self.claims:
            if claim.by != actor and now < claim.until:
                raise EscalationClaimed(review_id, claim.by)


@dataclass(frozen=True, slots=True)
class AnsweredMessage:
    """The customer's message in a conversation that a reply answers. `in_session`: whether the
    message came through a widget session. `can_show`: whether that session still shows new messages
    to the visitor, or has a verified address to which they are emailed. `was_delivered`: whether a
    connected platform delivered the message, so that no caller reads an answer."""

    event: UnifiedEvent
    in_session: bool = False
    can_show: bool = False
    was_delivered: bool = False

    def check_answerable(self, action: PlannedAction) -> None:
        """Raise ReplyNotPossible if `action` certainly cannot deliver a reply to this message."""
        if action.kind is ActionKind.REPLY_BY_EMAIL and not self.event.reply_allowed:
            raise ReplyNotPossible("mail_not_answerable")
        if action.kind is not ActionKind.REPLY:
            return
        if self.in_session and not self.can_show:
            raise ReplyNotPossible(SESSION_ENDED)
        if self.was_delivered and not self.in_session:
            raise ReplyNotPossible(NOT_CONNECTED)


def check_internal_note(text: str) -> None:
    """Raise InvalidInput for a note that is empty or longer than MAX_INTERNAL_NOTE characters."""
    if not text.strip() or len(text) > MAX_INTERNAL_NOTE:
        raise InvalidInput(f"text: the note, {MAX_INTERNAL_NOTE} characters at most")
