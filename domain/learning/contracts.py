"""Temporal inputs and results for learning from corrections."""

from domain.core.contracts import Contract


class LearnHeadsInput(Contract):
    """The input for fitting classifier heads. `client_id`: the client, or an empty string for all
    clients."""

    client_id: str = ""


class LearnHeadsResult(Contract):
    """The numbers of clients by outcome of the fit. `tried`: clients for which a classifier head
    was fitted or compared. `used`: clients that now use the new head. `failed`: clients for which
    the fit failed. Their ids are logged."""

    tried: int = 0
    used: int = 0
    failed: int = 0
