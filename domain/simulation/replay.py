"""The replay: past events thought through again by a variant, and what it would have changed."""

from datetime import datetime, timedelta
from enum import StrEnum
from typing import Final

from pydantic import BaseModel, ConfigDict

from domain.simulation.replay_facts import ReplayChangeKind, ReplayFacts
from domain.simulation.replay_tally import ReplayTally
from domain.simulation.variant import Variant

REPLAY_SPAN: Final = timedelta(days=30)
"""How far back a replay reaches unless it is asked for another time."""

DEFAULT_BUDGET_MICROS: Final = 5_000_000
MAX_BUDGET_MICROS: Final = 1_000_000_000
DEFAULT_BUDGET_S: Final = 3_600
MAX_BUDGET_S: Final = 86_400


class ReplayState(StrEnum):
    """`stopped`: over before its events were, for `ReplayStop`. `failed`: a page could not be
    thought through."""

    QUEUED = "queued"
    RUNNING = "running"
    DONE = "done"
    STOPPED = "stopped"
    FAILED = "failed"


UNFINISHED: Final = frozenset({ReplayState.QUEUED, ReplayState.RUNNING})


class ReplayStop(StrEnum):
    """Why a replay ended before its events did. `budget`: of money, its own, the client's month
    or the day's ceiling. `time`: it has worked as long as it may. `person`: a person stopped it.
    `error`: a page failed every time that it was tried."""

    BUDGET = "budget"
    TIME = "time"
    PERSON = "person"
    ERROR = "error"


class ReplayAsked(BaseModel):
    """What a person decides of a replay. Events from `since` on and before `until` are thought
    through. `budget_micros`: millionths of a US dollar that a language model may cost in all;
    `budget_s`: seconds that the replay may work."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    variant: Variant
    since: datetime | None = None
    until: datetime | None = None
    budget_micros: int = DEFAULT_BUDGET_MICROS
    budget_s: int = DEFAULT_BUDGET_S


class Replay(BaseModel):
    """A replay as it is kept. `total`: events of its time; `examined`: those that were thought
    through, `tally.skipped` the others that were looked at; `changed`: those that end otherwise.
    `place`: the last event that was looked at. `cost_micros`: millionths of a US dollar.
    `worked_ms`: without pauses."""

    model_config = ConfigDict(frozen=True)

    id: str
    variant: Variant
    since: datetime
    until: datetime
    state: ReplayState
    budget_micros: int
    budget_s: int
    place: str | None = None
    total: int = 0
    examined: int = 0
    changed: int = 0
    tally: ReplayTally = ReplayTally()
    cost_micros: int = 0
    worked_ms: int = 0
    stopped_because: ReplayStop | None = None
    started_by: str
    created_at: datetime
    finished_at: datetime | None = None

    @property
    def seen(self) -> int:
        """How many events were looked at."""
        return self.tally.events


class ReplayExample(BaseModel):
    """An event that ends otherwise. `run_id`: None of one that no playbook took. Its drafts go with
    its customer's words."""

    model_config = ConfigDict(frozen=True)

    event_id: str
    run_id: str | None
    kind: ReplayChangeKind
    before: ReplayFacts
    after: ReplayFacts
    draft_before: str
    draft_after: str
