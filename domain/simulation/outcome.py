"""The outcome: what the agent would have made of one message. Nothing of it was done."""

from enum import StrEnum
from typing import Final, Self

from pydantic import BaseModel, ConfigDict, Field

from domain.agent.brain import Alternative, Citation
from domain.agent.escalation_reason import EscalationReason
from domain.agent.intent import Intent
from domain.agent.plan import PlannedAction
from domain.agent.safety.sensitive import SensitiveMatter
from domain.agent.thinking import Finding
from domain.agent.verdict import Verdict
from domain.integrations.order import Lookup


class OutcomeStatus(StrEnum):
    """As the gateway's, but for `failed`: nothing is carried out that could fail. `brain_failed`:
    the language model gave no answer."""

    COMPLETED = "completed"
    NEEDS_REVIEW = "needs_review"
    NO_PLAYBOOK = "no_playbook"
    BRAIN_FAILED = "brain_failed"


_ANSWERED: Final = frozenset({OutcomeStatus.COMPLETED, OutcomeStatus.NEEDS_REVIEW})


class UsedPlaybook(BaseModel):
    """The playbook that the message fell to. `id` and `version`: None of a draft that is new."""

    model_config = ConfigDict(frozen=True)

    id: str | None
    version: int | None
    name: str
    threshold: float
    is_draft: bool = False


class SimulatedOutcome(BaseModel):
    """All that a run would have kept. `reason`: why a human would look, None if nobody would.

    `response`: what the customer would get, empty where a human would look first; `draft`: the
    generated text in any case. `plan`: what would be carried out, in order. `sources`: what the
    draft rests on. `cost_micros`: millionths of a US dollar. `held`: people have the conversation
    since an earlier message, so that nothing is answered; `draft` is what the agent would propose.
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
    verdicts: tuple[Verdict, ...] = ()
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
        """The same where people have had the conversation before, for `reason`; None: they had not.
        What no playbook takes, and what failed, stays as it is."""
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
    """What comes of a scenario. `outcomes`: one for each message of the customer, in order."""

    model_config = ConfigDict(frozen=True)

    outcomes: tuple[SimulatedOutcome, ...] = Field(min_length=1)

    @property
    def last(self) -> SimulatedOutcome:
        return self.outcomes[-1]
