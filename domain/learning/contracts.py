"""What crosses Temporal of learning."""

from domain.core.contracts import Contract


class LearnHeadsInput(Contract):
    """`client_id`: empty for all clients."""

    client_id: str = ""


class LearnHeadsResult(Contract):
    """How many clients were looked at anew, how many of them use a head of their own now, and how
    many could not be done (their id is logged)."""

    tried: int = 0
    used: int = 0
    failed: int = 0
