"""What crosses Temporal where a visitor's answer is mailed."""

from domain.core.contracts import Contract


class LateAnswer(Contract):
    """An answer that a visitor with a verified address may have left before: `number` is its place
    in the session."""

    session_id: str
    number: int


class MailAnswerInput(Contract):
    """`wait_s`: how long the visitor has to see the answer on the page."""

    client_id: str
    answer: LateAnswer
    wait_s: float = 180
