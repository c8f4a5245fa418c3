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
    """The input of the thinking activity.

    - `unread`: a human answers the message because it exceeds its effort budget or every attempt
      failed.
    - `steps`: the part of the effort budget already spent (`domain/core/effort.py`).
    - `patient`: no caller waits, so the message may wait for the language model.
    - `model_tries`, `model_waited_s`: the number of waits, and the seconds since the first failed
      call.
    - `model_fault`: the fault to record with an unread message.
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
    """The result of the thinking activity.

    - `review_reason`: the reason to hold the run for review, or None.
    - `aside`: the agent answers the message, although it was also added to an open review.
    - `model_wait_s`: the seconds until the next model call, or 0. If set, no result is stored.
    """

    classification: str
    confidence: float
    review_reason: EscalationReason | None
    actions: tuple[ActionKind, ...]
    elapsed_ms: float
    aside: bool = False
    model_wait_s: float = 0
