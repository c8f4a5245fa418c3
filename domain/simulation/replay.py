"""A replay: process past events again with a variant, and report the outcomes that differ."""

from datetime import datetime, timedelta
from enum import StrEnum
from typing import Final

from pydantic import BaseModel, ConfigDict

from domain.simulation.replay_facts import ReplayChangeKind, ReplayFacts
from domain.simulation.replay_tally import ReplayTally
from domain.simulation.variant import Variant

REPLAY_SPAN: Final = timedelta(days=30)
"""The default length of a replay's period, which ends now."""

DEFAULT_BUDGET_MICROS: Final = 5_000_000
MAX_BUDGET_MICROS: Final = 1_000_000_000
DEFAULT_BUDGET_S: Final = 3_600
MAX_BUDGET_S: Final = 86_400


class ReplayState(StrEnum):
    """The state of a replay. `stopped`: it ended early, for the reason in `ReplayStop`. `failed`: a
    page of events could not be processed."""

    QUEUED = "queued"
    RUNNING = "running"
    DONE = "done"
    STOPPED = "stopped"
    FAILED = "failed"


UNFINISHED: Final = frozenset({ReplayState.QUEUED, ReplayState.RUNNING})


class ReplayStop(StrEnum):
    """The reason why a replay ended early.

    - `budget`: the replay's budget, or the client's monthly or daily limit, was reached.
    - `time`: its working time is used up.
    - `person`: a user stopped it.
    - `error`: every attempt to process a page failed.
    """

    BUDGET = "budget"
    TIME = "time"
    PERSON = "person"
    ERROR = "error"


class ReplayAsked(BaseModel):
    """The request for a replay of the events from `since` (inclusive) to `until` (exclusive).
    `budget_micros` limits the model cost, in millionths of a US dollar, and `budget_s` the working
    time."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    variant: Variant
    since: datetime | None = None
    until: datetime | None = None
    budget_micros: int = DEFAULT_BUDGET_MICROS
    budget_s: int = DEFAULT_BUDGET_S


class Replay(BaseModel):
    """A stored replay.

    - `total`, `examined`: the events in its period, and those processed.
    - `tally.skipped`: the skipped events, by reason.
    - `changed`: the events with a different outcome.
    - `place`: the last event examined or skipped.
    - `cost_micros`: the cost in millionths of a US dollar.
    - `worked_ms`: the working time without pauses.
    """

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
        """Return the number of events that were examined or skipped."""
        return self.tally.events


class ReplayExample(BaseModel):
    """An event with a different outcome in the replay. `run_id` is the original run, or None if no
    playbook handled the event. The drafts are erased with the customer's text."""

    model_config = ConfigDict(frozen=True)

    event_id: str
    run_id: str | None
    kind: ReplayChangeKind
    before: ReplayFacts
    after: ReplayFacts
    draft_before: str
    draft_after: str
