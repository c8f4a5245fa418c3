"""Members' replies in conversations, and the conditions for writing one."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from enum import StrEnum
from typing import Final

from pydantic import BaseModel, ConfigDict

from domain.agent.plan import ActionKind, PlannedAction
from domain.core.errors import InvalidInput
from domain.intake.attachment import Attachment
from domain.intake.event import UnifiedEvent
from domain.reviews.errors import EscalationClaimed
from domain.reviews.escalation import Claim
from domain.runs.errors import ConversationTaken, ReplyNotPossible, ReplySent

UNDO_FOR: Final = timedelta(seconds=10)
"""Length of the undo window, in which a member can undo a reply before it is sent."""

FIRST_STEP: Final = 1_000
"""The step number of a run's first reply in the action ledger. Steps in plans have lower
numbers."""

SESSION_ENDED: Final = "widget_session_ended"
"""Reason: the visitor no longer sees the chat, so a reply cannot be delivered to the widget."""

NO_MESSAGE: Final = "no_message"
"""Reason: the conversation's messages were erased, so it cannot be answered."""

NOT_CONNECTED: Final = "not_connected"
"""Reason: the client is no longer connected to the platform, so a reply cannot be delivered."""

ANSWERED_MEANWHILE: Final = "answered_meanwhile"
"""Reason: the reply is not sent, because another answer has been approved or sent since it was
written."""

AUTHOR_REMOVED: Final = "author_removed"
"""Reason: the reply's author may no longer answer customers."""

ATTACHMENTS_NOT_POSSIBLE: Final = "attachments_not_possible"
"""Reason: the reply is delivered in a webhook event, which cannot contain attachments."""

CONNECTION_CHANGED: Final = "connection_changed"
"""Reason: an interrupted attempt used another connection, so the reply's outcome is unknown."""

_WITH_FILES: Final = (ActionKind.REPLY_BY_EMAIL, ActionKind.REPLY_IN_HELPDESK)

MAX_INTERNAL_NOTE: Final = 10_000
"""Maximum length of an internal note, in characters."""


class ReplyState(StrEnum):
    """The state of a reply. `scheduled`: can still be undone. `unknown`: may have been delivered,
    and is not sent again."""

    SCHEDULED = "scheduled"
    SENDING = "sending"
    SENT = "sent"
    FAILED = "failed"
    UNKNOWN = "unknown"

    @property
    def is_final(self) -> bool:
        return self in (ReplyState.SENT, ReplyState.FAILED, ReplyState.UNKNOWN)


class TeammateReply(BaseModel):
    """A stored reply. `event_id` and `run_id` identify the answered message. `step` is its number
    in the action ledger. It can be undone until `send_at`. `attachments` are filled only in
    lists."""

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
    attachments: tuple[Attachment, ...] = ()

    def check_undoable(self) -> None:
        """Raise ReplySent if the reply is being sent, or was sent."""
        if self.state is not ReplyState.SCHEDULED:
            raise ReplySent(self.id)


class InternalNote(BaseModel):
    """A note for teammates in a conversation. `author` is the actor's name."""

    model_config = ConfigDict(frozen=True)

    id: str
    author: str
    body: str
    created_at: datetime


@dataclass(frozen=True, slots=True)
class WriterStanding:
    """The facts that determine whether a member may write in a conversation. `taken_by` is the
    member who took it over, or None. `claims` are on its open reviews. `waiting` are the authors of
    replies that can still be undone, oldest first."""

    taken_by: str | None
    claims: Sequence[tuple[str, Claim]] = ()
    waiting: Sequence[str] = ()

    def check_open_to(self, actor: str, now: datetime) -> None:
        """Check that `actor` may write to the customer now.

        Raises ConversationTaken if a teammate has taken over, or will by a scheduled reply. Raises
        EscalationClaimed if a teammate's claim on an open review is valid.
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
    """The customer's message that a reply answers.

    - `in_session`: the message came through a widget session.
    - `can_show`: the visitor can still receive messages, in the session or by email.
    - `is_live`: the visitor can still open the session.
    - `was_delivered`: a connected platform delivered it, so no caller waits for an answer.
    """

    event: UnifiedEvent
    in_session: bool = False
    can_show: bool = False
    is_live: bool = False
    was_delivered: bool = False

    def check_answerable(self, action: PlannedAction, *, has_files: bool = False) -> None:
        """Raise ReplyNotPossible if `action` cannot deliver a reply to this message. `has_files`:
        whether the reply has attachments."""
        if action.kind is ActionKind.REPLY_BY_EMAIL and not self.event.reply_allowed:
            raise ReplyNotPossible("mail_not_answerable")
        # The email to a visitor who has left contains only the text.
        if has_files and action.kind not in _WITH_FILES and not self.is_live:
            raise ReplyNotPossible(ATTACHMENTS_NOT_POSSIBLE)
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
