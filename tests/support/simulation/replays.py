"""Replays of a test's client."""

import time
from collections.abc import Callable
from datetime import datetime, timedelta

from activities.agent.brain_budget import BrainBudget
from activities.runtime.fair_normalizer import FairNormalizer
from activities.runtime.traffic import Traffic
from activities.simulation.outcome_simulator import OutcomeSimulator
from activities.simulation.past_exchange import PastExchanges
from activities.simulation.replay_page import ReplayPages
from adapters.connectors.registry import ConnectorRegistry
from adapters.normalizing.pool import NormalizerPool
from adapters.seal import FernetSealer, new_seal_key
from adapters.system import new_ulid, utc_now
from domain.agent.brain import Brain, Category
from domain.agent.brain_choice import Brains
from domain.agent.contracts import ThinkInput
from domain.agent.safety.net import SafetyGrammar
from domain.core.contracts import RunRef
from domain.runs.run import RunResult, RunStatus, Timings
from domain.simulation.replay import Replay, ReplayState
from domain.simulation.variant import LIVE, Variant
from store.core.database import Database
from store.runs.runs import RunRepository
from store.simulation.replays import ReplayRepository
from tests.support.agent.acting import ScriptedBrain
from tests.support.core.engine import LiveEngine, think_with
from tests.support.runs.conversation import write
from tests.support.servers.nowhere import no_way_out
from tests.support.tenants.shop import Shop

REPLAYS = "/api/dashboard/replays"
SURE = ScriptedBrain(category=Category.PRODUCT_QUESTION, text="De 9 h à 18 h.")


async def a_replay(
    database: Database,
    shop: Shop,
    variant: Variant = LIVE,
    *,
    state: ReplayState = ReplayState.QUEUED,
    days: int = 30,
    budget_micros: int = 1_000_000,
    budget_s: int = 600,
) -> str:
    """Create a replay that has not started, and return its id. The replay covers the last `days` up
    to a minute from now."""
    now = utc_now()
    replay = Replay(
        id=new_ulid(),
        variant=variant,
        since=now - timedelta(days=days),
        until=now + timedelta(minutes=1),
        state=state,
        budget_micros=budget_micros,
        budget_s=budget_s,
        started_by="tester",
        created_at=now - timedelta(hours=1),
    )
    async with database.tenant(shop.tenant) as connection:
        await ReplayRepository(connection, shop.tenant).create(replay)
    return replay.id


async def answered(
    database: Database, shop: Shop, *texts: str, at: datetime | None = None, brain: Brain = SURE
) -> list[RunRef]:
    """Create runs with this brain's results: each in a separate thread, a second apart."""
    begun, refs = at or utc_now() - timedelta(minutes=10), []
    think = think_with(database, brain)
    for number, text in enumerate(texts):
        now = begun + timedelta(seconds=number)
        ref = await write(database, shop, text, key=f"event:{new_ulid()}", customer=None, now=now)
        thought = await think.think(ThinkInput(ref=ref, threshold=0.7))
        status = RunStatus.NEEDS_REVIEW if thought.review_reason else RunStatus.COMPLETED
        result = RunResult(
            event_id=ref.event_id,
            run_id=ref.run_id,
            status=status,
            classification=thought.classification,
            confidence=thought.confidence,
            response="",
            steps_executed=0,
            duration_ms=1,
        )
        async with database.tenant(shop.tenant) as connection:
            await RunRepository(connection, shop.tenant).finish(
                result,
                steps=(),
                timings=Timings(),
                error_code="",
                now=now,
                handoff=thought.review_reason,
            )
        refs.append(ref)
    return refs


def pages_of(
    database: Database,
    brains: Brains,
    *,
    monotonic: Callable[[], float] = time.monotonic,
) -> ReplayPages:
    """Return the replay steps with brains from the test."""
    normalizer = FairNormalizer(NormalizerPool())
    simulator = OutcomeSimulator(
        database,
        BrainBudget(database, brains, utc_now),
        None,
        utc_now,
        normalizer=normalizer,
        connectors=ConnectorRegistry(
            FernetSealer(new_seal_key()), no_way_out(), allow_loopback=False
        ),
        net=SafetyGrammar(),
        sealer=FernetSealer(new_seal_key()),
    )
    return ReplayPages(
        database,
        simulator,
        PastExchanges(database, normalizer),
        utc_now,
        Traffic(monotonic),
        has_model=brains.model is not None,
        question_micros=brains.reserve_micros,
    )


async def replay_of(database: Database, shop: Shop, replay_id: str) -> Replay:
    async with database.reading(shop.tenant) as connection:
        return await ReplayRepository(connection, shop.tenant).read(replay_id)


async def replay_ids(front: LiveEngine, shop: Shop) -> dict[str, str]:
    return {"replay_id": await a_replay(front.database, shop)}
