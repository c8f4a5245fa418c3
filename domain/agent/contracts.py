"""Inputs and results of the agent's lookup and thinking activities, as Temporal carries them."""

from domain.agent.escalation_reason import EscalationReason
from domain.agent.plan import ActionKind
from domain.core.contracts import Contract, RunRef
from domain.integrations.order import LookupState


class LookUpInput(Contract):
    ref: RunRef


class LookUpResult(Contract):
    state: LookupState
    elapsed_ms: float


class ThinkInput(Contract):
    """`unread`: the event costs too much to think about, so a person reads it. `steps`: spent of
    its budget so far (`domain/core/effort.py`)."""

    ref: RunRef
    threshold: float
    unread: bool = False
    steps: int = 0


class ThinkResult(Contract):
    """`review_reason`: why the run must wait for a human, None if it may go on. `aside`: the
    message joined a review, and the agent answers it as a separate matter."""

    classification: str
    confidence: float
    review_reason: EscalationReason | None
    actions: tuple[ActionKind, ...]
    elapsed_ms: float
    aside: bool = False
