"""Temporal inputs and results for learning from corrections."""

from domain.core.contracts import Contract


class LearnHeadsInput(Contract):
    """The input for fitting classifier heads. `client_id` is the client, or an empty string for all
    clients."""

    client_id: str = ""


class LearnHeadsResult(Contract):
    """The number of clients for which a head was fitted or compared, was adopted, or failed.
    Failures are logged."""

    tried: int = 0
    used: int = 0
    failed: int = 0
