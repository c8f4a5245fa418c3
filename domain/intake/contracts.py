"""Temporal payloads for normalizing an event."""

from domain.core.contracts import Contract, RunRef


class NormalizeInput(Contract):
    """The input for normalizing an event. If `cut` is true, the event exceeds its effort budget,
    and only its beginning is stored for a human. If `reopened` is true, the message left a review,
    and its ticket was credited back."""

    ref: RunRef
    cut: bool = False
    reopened: bool = False


class NormalizeResult(Contract):
    """The result of normalizing an event.

    - `looks_up`: an order may have to be looked up in the merchant's shop before the agent drafts
      an answer.
    - `deliveries`: ids of the webhook deliveries to send before the message is processed.
    - `joined`: id of the review to which the message was added, because a human handles the
      conversation. It is empty if the message was not added to a review.
    - `considered`: the agent still reads a message that was added to a review, because the review
      is open.
    - `cut`: as in the input.
    - `steps`: the steps spent from the event's effort budget (`domain/core/effort.py`).
    """

    elapsed_ms: float
    looks_up: bool = False
    deliveries: tuple[str, ...] = ()
    joined: str = ""
    cut: bool = False
    steps: int = 0
    considered: bool = False
