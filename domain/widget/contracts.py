"""Temporal payloads for mailing an answer to a visitor."""

from domain.core.contracts import Contract


class LateAnswer(Contract):
    """An answer that a visitor with a verified address may have missed. `number`: the answer's
    message number in the session."""

    session_id: str
    number: int


class MailAnswerInput(Contract):
    """`wait_s`: how long to wait for the visitor to see the answer on the page, in seconds."""

    client_id: str
    answer: LateAnswer
    wait_s: float = 180
