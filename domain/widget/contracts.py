"""Temporal contracts for mailing a visitor's answer."""

from domain.core.contracts import Contract


class LateAnswer(Contract):
    """An answer that a visitor with a verified address may have missed. `number`: its place in the
    session."""

    session_id: str
    number: int


class MailAnswerInput(Contract):
    """`wait_s`: how long the visitor has to see the answer on the page, in seconds."""

    client_id: str
    answer: LateAnswer
    wait_s: float = 180
