"""Temporal inputs for mailing an answer to a visitor of the widget."""

from domain.core.contracts import Contract


class LateAnswer(Contract):
    """An answer that a visitor with a verified address may not have seen. `number`: the message
    number of the answer within the session."""

    session_id: str
    number: int


class MailAnswerInput(Contract):
    """The input for mailing an answer. `wait_s`: how long to wait for the visitor to see the answer
    on the page, in seconds."""

    client_id: str
    answer: LateAnswer
    wait_s: float = 180
