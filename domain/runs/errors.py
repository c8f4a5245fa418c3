"""Errors around runs and their answers."""

from collections.abc import Mapping

from domain.core.errors import DomainError


class NoAnswer(DomainError):
    """An event has come so far that it has a name, `event_id`, and there is no answer to it."""

    def __init__(self, event_id: str) -> None:
        super().__init__(event_id)
        self.event_id = event_id

    @property
    def facts(self) -> Mapping[str, str | int]:
        return {"event_id": self.event_id}


class AnswerTimeout(NoAnswer):
    """The deadline passed; the run goes on and its result is kept: do not send it again."""

    code = "answer_timeout"


class AnswerDelayed(NoAnswer):
    """Temporal or the database went away after the event was stored; the sweeper takes it up, and
    it must not be sent again."""

    code = "answer_delayed"


class AnswerUnknown(NoAnswer):
    """Nobody can say now whether the event is stored; if it is, it will be worked on."""

    code = "answer_unknown"


class RunNotFound(DomainError):
    """There is no such run, or it is another client's: nobody can tell which."""

    code = "run_not_found"


class ConversationNotFound(DomainError):
    """The client has no such conversation, or it was erased."""

    code = "conversation_not_found"


class ConversationTaken(DomainError):
    """A colleague has taken the conversation over: `by`."""

    code = "conversation_taken"

    def __init__(self, by: str) -> None:
        super().__init__(by)
        self.by = by

    @property
    def facts(self) -> Mapping[str, str | int]:
        return {"taken_by": self.by}
