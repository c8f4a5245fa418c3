"""Inputs and results of the agent's lookup and thinking activities. They pass through Temporal."""

from domain.agent.escalation_reason import EscalationReason
from domain.agent.model_fault import ModelFault
from domain.agent.plan import ActionKind
from domain.core.contracts import Contract, RunRef
from domain.integrations.order import LookupState


class LookUpInput(Contract):
    ref: RunRef


class LookUpResult(Contract):
    state: LookupState
    elapsed_ms: float


class ThinkInput(Contract):
    """The input of the thinking activity. `unread`: whether a human answers the message, so that no
    brain is called. It is set if the event would exceed its effort budget, or if every attempt of
    the activity failed. `steps`: the part of the effort budget already spent
    (`domain/core/effort.py`).

    `patient`: whether the message may wait for the language model, because no caller waits for the
    answer. `model_tries`: the number of waits so far. `model_waited_s`: the seconds since the first
    failed call. `model_fault`: the fault to record with an unread message.
    """

    ref: RunRef
    threshold: float
    unread: bool = False
    steps: int = 0
    patient: bool = False
    model_tries: int = 0
    model_waited_s: float = 0
    model_fault: ModelFault | None = None


class ThinkResult(Contract):
    """The result of the thinking activity. `review_reason`: the reason to hold the run for human
    review, or None if it may continue. `aside`: whether the agent answers the message itself,
    although the message was also added to an open review. `model_wait_s`: the seconds until the
    next call to the language model, or 0. If it is set, no result is stored."""

    classification: str
    confidence: float
    review_reason: EscalationReason | None
    actions: tuple[ActionKind, ...]
    elapsed_ms: float
    aside: bool = False
    model_wait_s: float = 0
