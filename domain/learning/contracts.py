"""Temporal contracts of learning."""

from domain.core.contracts import Contract


class LearnHeadsInput(Contract):
    """Input of the fit. `client_id`: empty for all clients."""

    client_id: str = ""


class LearnHeadsResult(Contract):
    """Counts of clients. `tried`: a head was fitted or compared. `used`: the new head is in use.
    `failed`: the fit failed, and the client's id is logged."""

    tried: int = 0
    used: int = 0
    failed: int = 0
