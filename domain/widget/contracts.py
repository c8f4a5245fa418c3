"""Temporal inputs for mailing an answer to a widget visitor."""

from domain.core.contracts import Contract


class LateAnswer(Contract):
    """An answer that a visitor with a verified address may not have seen. `number` is the answer's
    message number within the session."""

    session_id: str
    number: int


class MailAnswerInput(Contract):
    """The input for mailing an answer. `wait_s` is the time to wait, in seconds, for the visitor to
    see the answer on the page."""

    client_id: str
    answer: LateAnswer
    wait_s: float = 180
