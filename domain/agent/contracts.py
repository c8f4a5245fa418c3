"""Inputs and results of the agent's lookup and thinking activities. They pass through Temporal."""

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
    """The input of the thinking activity. `unread`: whether the event would exceed its effort
    budget. If so, a human answers the message, and no brain is called. `steps`: the part of the
    effort budget already spent (`domain/core/effort.py`)."""

    ref: RunRef
    threshold: float
    unread: bool = False
    steps: int = 0


class ThinkResult(Contract):
    """The result of the thinking activity. `review_reason`: the reason to hold the run for human
    review, or None if it may continue. `aside`: whether the agent answers the message itself,
    although the message was also added to an open review."""

    classification: str
    confidence: float
    review_reason: EscalationReason | None
    actions: tuple[ActionKind, ...]
    elapsed_ms: float
    aside: bool = False
