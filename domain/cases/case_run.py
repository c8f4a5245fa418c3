"""A run of a client's saved cases, and the result of each case in the run."""

from datetime import datetime
from enum import StrEnum
from typing import Final, Self

from pydantic import BaseModel, ConfigDict, Field

from domain.agent.brain import SETTLED_BY
from domain.agent.escalation_reason import EscalationReason
from domain.agent.intent import Intent
from domain.agent.plan import PlannedAction
from domain.cases.verdict_on_case import Unmet, source_names
from domain.simulation.outcome import OutcomeStatus, SimulatedOutcome, Simulation
from domain.simulation.variant import Variant

KEPT_RUNS: Final = 50
"""Number of latest case runs that are kept per client, regardless of their age. Any other run is
deleted after `case_verdicts_s` (`domain/privacy/contracts.py`), or earlier if later runs contain
newer verdicts for all its results."""

_EMBEDDED: Final = "embedded:"


class CaseRunState(StrEnum):
    QUEUED = "queued"
    RUNNING = "running"
    DONE = "done"
    FAILED = "failed"


class CaseRun(BaseModel):
    """A run of all cases that existed at its start. `done` counts finished cases, including deleted
    ones. `cost_micros` is in millionths of a US dollar."""

    model_config = ConfigDict(frozen=True)

    id: str
    variant: Variant
    state: CaseRunState
    total: int = 0
    done: int = 0
    passed: int = 0
    cost_micros: int = 0
    error_code: str | None = Field(
        default=None, description="Error code of a case run that ended early. Null if it did not."
    )
    started_by: str
    created_at: datetime
    finished_at: datetime | None = None


class CaseOutcome(BaseModel):
    """The stored outcome of a case's last message. `cost_micros` is the cost of all tries, in
    millionths of a US dollar."""

    model_config = ConfigDict(frozen=True)

    status: OutcomeStatus
    playbook: str | None = None
    playbook_version: int | None = None
    reason: EscalationReason | None = None
    classification: str = ""
    intent: Intent | None = None
    confidence: float = 0
    sources: tuple[str, ...] = ()
    plan: tuple[PlannedAction, ...] = ()
    draft: str = ""
    model: str = ""
    cost_micros: int = 0

    @classmethod
    def of(cls, outcome: SimulatedOutcome, *, cost_micros: int) -> Self:
        used = outcome.playbook
        return cls(
            status=outcome.status,
            playbook=used and used.name,
            playbook_version=used and used.version,
            reason=outcome.reason,
            classification=outcome.classification,
            intent=outcome.intent,
            confidence=outcome.confidence,
            sources=source_names(outcome),
            plan=outcome.plan,
            draft=outcome.draft,
            model=outcome.model,
            cost_micros=cost_micros,
        )

    def differs_from(self, other: "CaseOutcome") -> bool:
        """Return True if the facts or the draft texts of two outcomes differ. Texts are compared
        only if no language model wrote them, because a language model uses different wording each
        time."""
        are_comparable = is_repeatable(self.model) and is_repeatable(other.model)
        return self.facts != other.facts or (are_comparable and self.draft != other.draft)

    @property
    def facts(self) -> tuple[object, ...]:
        """Return the parts of the outcome to compare: everything except the text and the
        confidence."""
        actions = [(action.kind, action.amount) for action in self.plan]
        judged = (self.status, self.reason, self.classification, self.intent)
        return (*judged, set(self.sources), actions)


class CaseResult(BaseModel):
    """The result of one case in a case run. `before` is the outcome with the saved content, if the
    run tried changed content. `changed` means that both outcomes differ."""

    model_config = ConfigDict(frozen=True)

    case_id: str
    name: str
    must: bool
    passed: bool
    tries: int
    passes: int
    unmet: tuple[Unmet, ...] = Field(
        description="Parts of the expectation that the last failed attempt did not meet."
    )
    outcome: CaseOutcome
    before: CaseOutcome | None = None
    changed: bool = False
    created_at: datetime


def is_repeatable(model: str) -> bool:
    """Return True if no language model is involved, so the same message always has the same
    outcome."""
    return not model or model == SETTLED_BY or model.startswith(_EMBEDDED)


def thought_by_embedded(simulation: Simulation) -> bool:
    """Return True if the embedded brain generated any of the simulation's answers."""
    return any(one.model.startswith(_EMBEDDED) for one in simulation.outcomes)


def is_enough(passes: int, tries: int, pass_rate: float) -> bool:
    """Return True if enough tries of a case passed: a share of at least `pass_rate`, and at least
    one try.

    Shares are compared in whole thousandths, so that 2 of 3 meets a `pass_rate` of 0.667.
    """
    return passes > 0 and round(1000 * passes / tries) >= round(1000 * pass_rate)
