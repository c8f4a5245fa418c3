"""Errors in runs, and in lookups of runs and conversations."""

from collections.abc import Mapping

from domain.core.errors import DomainError, InvalidContent


class NoAnswer(DomainError):
    """The event `event_id` was received, but there is no answer to return."""

    def __init__(self, event_id: str) -> None:
        super().__init__(event_id)
        self.event_id = event_id

    @property
    def facts(self) -> Mapping[str, str | int]:
        return {"event_id": self.event_id}


class AnswerTimeout(NoAnswer):
    """The deadline for the answer has passed. The run continues and its result is stored, so the
    event must not be sent again."""

    code = "answer_timeout"


class AnswerDelayed(NoAnswer):
    """Temporal or the database failed after the event was stored. The sweep resumes the event, so
    the event must not be sent again."""

    code = "answer_delayed"


class AnswerUnknown(NoAnswer):
    """It is unknown whether the event was stored. If it was, it will be processed."""

    code = "answer_unknown"


class RunNotFound(DomainError):
    """The run does not exist or belongs to another client. Both cases get the same response, which
    therefore does not reveal another client's runs."""

    code = "run_not_found"


class ConversationNotFound(DomainError):
    """The client has no such conversation, or it was erased."""

    code = "conversation_not_found"


class ConversationTaken(DomainError):
    """Another member has taken over the conversation. `by`: that member's name."""

    code = "conversation_taken"

    def __init__(self, by: str) -> None:
        super().__init__(by)
        self.by = by

    @property
    def facts(self) -> Mapping[str, str | int]:
        return {"taken_by": self.by}


class ReplyNotFound(DomainError):
    """The client has no such reply in a conversation, or the reply was undone."""

    code = "reply_not_found"


class ReplySent(DomainError):
    """The reply is being sent or was sent, so it cannot be undone."""

    code = "reply_sent"


class ReplyNotPossible(DomainError):
    """No reply can reach the author of the conversation's latest message.

    The values of `reason`:

    - `mail_not_answerable`: the message is an automatic email.
    - `widget_session_ended`: the visitor no longer sees the chat.
    - `not_connected`: the connection that delivered the message has ended.
    - `no_message`: the message was erased.
    - `attachments_not_possible`: a webhook event delivers the reply, and cannot contain its
      attachments.
    """

    code = "reply_not_possible"

    def __init__(self, reason: str) -> None:
        super().__init__(reason)
        self.reason = reason

    @property
    def facts(self) -> Mapping[str, str | int]:
        return {"reason": self.reason}


class InvalidTriage(InvalidContent):
    """A conversation's status, assignee or tags are invalid. `reason` identifies the field."""

    code = "invalid_triage"


class InboxViewNotFound(DomainError):
    """The client has no such saved view."""

    code = "inbox_view_not_found"


class TooManyInboxViews(DomainError):
    """The client has the maximum number of saved views. `limit`: that maximum."""

    code = "too_many_inbox_views"

    def __init__(self, limit: int) -> None:
        super().__init__(str(limit))
        self.limit = limit

    @property
    def facts(self) -> Mapping[str, str | int]:
        return {"limit": self.limit}


class InvalidInboxView(InvalidContent):
    """A saved view's name is empty or too long. `reason` identifies the field."""

    code = "invalid_inbox_view"


class NoReviewToReject(DomainError):
    """A selected ticket has no open review, so there is no draft to reject. Nothing changes."""

    code = "no_review_to_reject"
