"""A case: a simulated conversation and the expected outcome of its last message."""

from datetime import datetime
from enum import StrEnum
from typing import Annotated, Final

from pydantic import BaseModel, ConfigDict, Field

from domain.agent.brain import Category
from domain.agent.escalation_reason import EscalationReason
from domain.agent.intent import Intent
from domain.agent.plan import ActionKind
from domain.simulation.outcome import OutcomeStatus
from domain.simulation.scenario import Scenario

MAX_CASES: Final = 200
"""Maximum number of cases per client. The number is limited because all cases run before a playbook
goes live."""

MAX_CASES_BYTES: Final = 1024 * 1024
"""Maximum size of all of a client's cases together, as JSON. Exports, pages and the publish gate
read all cases at once."""

MAX_CASE_NAME: Final = 200
MAX_TRIES: Final = 10
MAX_PHRASES: Final = 20
"""Maximum number of entries in each list of an expectation."""

_Phrase = Annotated[str, Field(min_length=1, max_length=500)]


class CaseOrigin(StrEnum):
    """The origin of a case: written by `hand`, created from a `simulation`, a `run` or a
    `correction`, or imported from a `file`. Cases from runs have personal data replaced."""

    HAND = "hand"
    SIMULATION = "simulation"
    RUN = "run"
    CORRECTION = "correction"
    FILE = "file"


class CaseExpectation(BaseModel):
    """The expected outcome of the scenario's last message. Omitted fields accept any value.

    - `sources`: the draft's sources: template names, titles of knowledge entries, or `order`.
    - `actions`, `forbidden`: the kinds of action that the plan must or must not contain.
    - `contains`, `omits`: phrases that the draft must or must not contain, ignoring case and
      accents.
    - `most_money`: the maximum refund in the plan, such as "49.00".
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    status: OutcomeStatus | None = None
    reason: EscalationReason | None = None
    classification: Category | None = None
    intent: Intent | None = None
    sources: tuple[_Phrase, ...] = Field(default=(), max_length=MAX_PHRASES)
    actions: tuple[ActionKind, ...] = Field(default=(), max_length=MAX_PHRASES)
    forbidden: tuple[ActionKind, ...] = Field(default=(), max_length=MAX_PHRASES)
    contains: tuple[_Phrase, ...] = Field(default=(), max_length=MAX_PHRASES)
    omits: tuple[_Phrase, ...] = Field(default=(), max_length=MAX_PHRASES)
    most_money: Annotated[str, Field(pattern=r"^\d{1,9}(\.\d{1,3})?$")] | None = None


class CaseSpec(BaseModel):
    """The editable fields of a case. Cases with `must` have to pass before a playbook goes live.
    `pass_rate` is the share of the `tries` with a language model that must meet the expectation."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    name: Annotated[str, Field(min_length=1, max_length=MAX_CASE_NAME)]
    scenario: Scenario
    expected: CaseExpectation
    must: bool = True
    tries: int = Field(default=1, ge=1, le=MAX_TRIES)
    pass_rate: float = Field(default=1, gt=0, le=1)


class SavedCase(CaseSpec):
    """A stored case. Its name is unique for the client. `run_id` is the run it was created from."""

    id: str
    origin: CaseOrigin
    run_id: str | None = None
    created_by: str
    created_at: datetime
    updated_at: datetime | None = None
