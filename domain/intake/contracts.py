"""Data that passes through Temporal while an event is normalized."""

from domain.core.contracts import Contract, RunRef


class NormalizeInput(Contract):
    """`cut`: the event exceeds its budget; only its beginning is stored, for a person. `reopened`:
    the message had joined a review, and its ticket was credited back."""

    ref: RunRef
    cut: bool = False
    reopened: bool = False


class NormalizeResult(Contract):
    """`looks_up`: an order may have to be looked up in the merchant's shop before thinking.
    `deliveries`: ids of webhook deliveries to send before the message is processed. `joined`: the
    review that the message was added to, because a human handles the conversation; empty for none.
    `considered`: the agent reads a message that joined a review, because the review is open. `cut`:
    as in the input. `steps`: the steps spent from the event's budget (`domain/core/effort.py`)."""

    elapsed_ms: float
    looks_up: bool = False
    deliveries: tuple[str, ...] = ()
    joined: str = ""
    cut: bool = False
    steps: int = 0
    considered: bool = False
