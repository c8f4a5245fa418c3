"""What crosses Temporal while an event is normalized."""

from domain.core.contracts import Contract, RunRef


class NormalizeInput(Contract):
    """`cut`: the event costs too much to read; only its beginning is kept for a person. `reopened`:
    the message joined a review before, and its ticket was given back."""

    ref: RunRef
    cut: bool = False
    reopened: bool = False


class NormalizeResult(Contract):
    """`looks_up`: an order may have to be looked up in the merchant's shop before thinking.

    `deliveries`: ids of webhook deliveries that leave before the message is worked on. `joined`:
    the review that the message was added to, for a human has the conversation; empty for none.
    `considered`: the agent reads a message that joined, because the review is open.
    `cut`: as it was asked for. `steps`: spent of the event's budget (`domain/core/effort.py`).
    """

    elapsed_ms: float
    looks_up: bool = False
    deliveries: tuple[str, ...] = ()
    joined: str = ""
    cut: bool = False
    steps: int = 0
    considered: bool = False
