"""The outcome of a simulated message: the agent's result, without any effect."""

from enum import StrEnum
from typing import Final, Self

from pydantic import BaseModel, ConfigDict, Field

from domain.agent.brain import Alternative, Citation
from domain.agent.escalation_reason import EscalationReason
from domain.agent.intent import Intent
from domain.agent.plan import PlannedAction
from domain.agent.policy_decision import PolicyDecision
from domain.agent.safety.sensitive import SensitiveMatter
from domain.agent.thinking_result import Finding
from domain.integrations.order import Lookup


class OutcomeStatus(StrEnum):
    """The status of a simulated message: a gateway status except `failed`, or `brain_failed` if the
    language model gave no answer."""

    COMPLETED = "completed"
    NEEDS_REVIEW = "needs_review"
    NO_PLAYBOOK = "no_playbook"
    BRAIN_FAILED = "brain_failed"


_ANSWERED: Final = frozenset({OutcomeStatus.COMPLETED, OutcomeStatus.NEEDS_REVIEW})


class UsedPlaybook(BaseModel):
    """The playbook that was selected for the message. `id` and `version`: the playbook's id and
    version, or None for a draft of a new playbook."""

    model_config = ConfigDict(frozen=True)

    id: str | None
    version: int | None
    name: str
    threshold: float
    is_draft: bool = False


class SimulatedOutcome(BaseModel):
    """The outcome of a simulated message.

    - `reason`: the reason for a human review, or None.
    - `response`: the text sent to the customer, or empty if it needs a review first.
    - `draft`: the generated text in any case.
    - `plan`: the actions to execute, in order.
    - `cost_micros`: the cost in millionths of a US dollar.
    - `held`: humans took over earlier, so `draft` is only a proposal.
    """

    model_config = ConfigDict(frozen=True)

    status: OutcomeStatus
    held: bool = False
    playbook: UsedPlaybook | None = None
    reason: EscalationReason | None = None
    classification: str = ""
    intent: Intent | None = None
    confidence: float = Field(default=0, ge=0, le=1)
    alternatives: tuple[Alternative, ...] = ()
    language: str = ""
    sentiment: float = 0
    response: str = ""
    draft: str = ""
    plan: tuple[PlannedAction, ...] = ()
    verdicts: tuple[PolicyDecision, ...] = ()
    sources: tuple[Citation, ...] = ()
    findings: tuple[Finding, ...] = ()
    lookup: Lookup | None = None
    sensitive: SensitiveMatter | None = None
    model: str = ""
    prompt_version: str | None = None
    tokens_in: int = 0
    tokens_out: int = 0
    cost_micros: int = 0

    def held_for(self, reason: EscalationReason | None) -> Self:
        """Return the outcome for a conversation that human agents took over because of `reason`.

        The outcome is unchanged if `reason` is None, if no playbook handled the message, or if the
        brain failed.
        """
        if reason is None or self.status not in _ANSWERED:
            return self
        return self.model_copy(
            update={
                "status": OutcomeStatus.NEEDS_REVIEW,
                "held": True,
                "reason": self.reason or reason,
                "response": "",
            }
        )


class Simulation(BaseModel):
    """The result of a simulated scenario. `outcomes`: one outcome for each of the customer's
    messages, in order."""

    model_config = ConfigDict(frozen=True)

    outcomes: tuple[SimulatedOutcome, ...] = Field(min_length=1)

    @property
    def last(self) -> SimulatedOutcome:
        """Return the outcome of the customer's last message."""
        return self.outcomes[-1]
