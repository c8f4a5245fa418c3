"""Steps that exhaust their budget."""

import dataclasses

from activities.intake.normalize import Normalize
from activities.runtime.fair_normalizer import FairNormalizer
from adapters.seal import FernetSealer, new_seal_key
from adapters.system import new_ulid, utc_now
from domain.agent.brain import BrainAnswer, BrainRequest
from domain.agent.safety.net import SafetyGrammar
from domain.core.errors import EngineUnavailable, OverBudget
from domain.intake.event import InboundEvent
from domain.intake.ports import Normalized
from domain.runs.conversation import THREAD_LASTS
from tests.support.core.endless import endless_loop, endless_search
from tests.support.core.engine import LiveEngine, think_with

TRIES_INSIDE = 8
"""The attempts that `workflows/options.py` gives a step before the server retries it."""


class CostlyNormalizer:
    """A normalizer without a free process for `away` attempts, and then with only too expensive
    events, which it counts."""

    def __init__(self, *, away: int = 0) -> None:
        self.asked = 0
        self._away = away

    async def normalize(
        self,
        _: InboundEvent,
        *,
        fallback_ticket_id: str,  # noqa: ARG002 - the protocol's
        authserv_ids: tuple[str, ...] = (),  # noqa: ARG002 - the protocol's
    ) -> Normalized:
        self.asked += 1
        if self.asked <= self._away:
            raise EngineUnavailable("no process is free")
        raise OverBudget


class CostlyBrain:
    """A brain for which every message is too expensive. The brain counts the messages."""

    def __init__(self) -> None:
        self.asked = 0

    async def think(self, _: BrainRequest) -> BrainAnswer:
        self.asked += 1
        raise OverBudget


class EndlessNormalizer(CostlyNormalizer):
    """Every event takes endless CPU time in the worker's own thread."""

    async def normalize(
        self,
        _: InboundEvent,
        *,
        fallback_ticket_id: str,  # noqa: ARG002 - the protocol's
        authserv_ids: tuple[str, ...] = (),  # noqa: ARG002 - the protocol's
    ) -> Normalized:
        self.asked += 1
        endless_search()
        raise AssertionError


class EndlessBrain(CostlyBrain):
    """Every message takes endless CPU time in the worker's own thread."""

    async def think(self, _: BrainRequest) -> BrainAnswer:
        self.asked += 1
        endless_loop()
        raise AssertionError


def normalize_without_end(engine: LiveEngine) -> CostlyNormalizer:
    """Let the engine's next worker use a normalizer that does not end by itself."""
    endless = EndlessNormalizer()
    normalize_with(engine, FairNormalizer(endless))
    return endless


def think_without_end(engine: LiveEngine) -> CostlyBrain:
    """Let the engine's next worker use a brain that does not end by itself."""
    return think_at_a_cost(engine, EndlessBrain())


def normalize_at_a_cost(engine: LiveEngine, *, away: int = 0) -> CostlyNormalizer:
    """Make the engine's next worker use a normalizer that always exceeds its budget."""
    costly = CostlyNormalizer(away=away)
    normalize_with(engine, FairNormalizer(costly))
    return costly


def normalize_at_a_cost_after_an_outage(engine: LiveEngine) -> CostlyNormalizer:
    """Do the same after an outage that uses up all attempts within the worker."""
    return normalize_at_a_cost(engine, away=TRIES_INSIDE)


def normalize_with(engine: LiveEngine, normalizer: FairNormalizer) -> None:
    """Make the engine's next worker use this normalizer."""
    step = Normalize(
        engine.worker_database,
        utc_now,
        new_ulid,
        normalizer=normalizer,
        thread_lasts=THREAD_LASTS,
        net=SafetyGrammar(),
        sealer=FernetSealer(new_seal_key()),
    )
    engine.activities = dataclasses.replace(engine.activities, normalize=step)


def think_at_a_cost(engine: LiveEngine, costly: CostlyBrain | None = None) -> CostlyBrain:
    """Make the engine's next worker use a brain that always exceeds its budget."""
    costly = costly or CostlyBrain()
    step = think_with(engine.worker_database, costly)
    engine.activities = dataclasses.replace(engine.activities, think=step)
    return costly
