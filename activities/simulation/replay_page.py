"""The activities of a replay. A replay reprocesses past events, page by page, and stores the
results."""

import asyncio
import time
from collections.abc import Awaitable, Sequence
from dataclasses import dataclass, field
from typing import Final, TypeVar

from temporalio import activity

from activities.runtime.heartbeat import beating
from activities.runtime.traffic import Traffic
from activities.runtime.worker_slots import WorkerSlots
from activities.simulation.outcome_simulator import OutcomeSimulator
from activities.simulation.past_exchange import PastExchanges
from domain.core import names
from domain.core.contracts import BackgroundRef
from domain.core.ids import TenantId
from domain.core.ports import Clock
from domain.playbooks.playbook import PlaybookEntry
from domain.simulation.choosing import playbook_for
from domain.simulation.contracts import ReplayProgress
from domain.simulation.errors import ModelBudgetUsedUp, ReplayNotFound, ReplaysBusy
from domain.simulation.outcome import SimulatedOutcome
from domain.simulation.replay import UNFINISHED, Replay, ReplayState, ReplayStop
from domain.simulation.replay_facts import ReplayEnd, ReplayFacts, difference
from domain.simulation.replay_tally import ReplaySkip, ReplayTally
from domain.simulation.variant import Variant
from services.core.fair_slots import FairSlots
from store.core.database import Database
from store.exports.payer import has_plan
from store.playbooks.playbooks import PlaybookRepository
from store.simulation.past_events import PastEvent, PastEvents, PastSpan
from store.simulation.replays import ReplayChange, ReplayedPage, ReplayRepository
from store.simulation.tried_variant import TriedVariants

PAGE: Final = 50
# A page ends after this many seconds of work, so that a crash loses little work and progress is
# visible.
_PAGE_WORK_S: Final = 1.5
_PAGE_LASTS_S: Final = 10.0
# The number of events that a worker processes with a language model concurrently. A part is kept
# for clients with a paid plan.
_WITH_MODEL: Final = 4
_UNPAID: Final = 2

_T = TypeVar("_T")


@dataclass(slots=True)
class _Done:
    """The results of a page so far. `stop` is the reason why the replay stops, or None."""

    place: str | None = None
    tallies: list[ReplayTally] = field(default_factory=list)
    changes: list[ReplayChange] = field(default_factory=list)
    examined: int = 0
    cost_micros: int = 0
    worked_s: float = 0
    stop: ReplayStop | None = None

    def skip(self, event: PastEvent, why: ReplaySkip) -> None:
        self.place = event.id
        self.tallies.append(ReplayTally.of_skipped(why))

    def examine(self, event: PastEvent, after: ReplayFacts, draft: str) -> None:
        self.place = event.id
        self.examined += 1
        kind = difference(event.before, after, same_text=draft == event.draft)
        self.tallies.append(ReplayTally.of_event(event.before, after, kind))
        if kind is not None:
            self.changes.append(ReplayChange(event.id, kind, event.before, after, draft))

    @property
    def page(self) -> ReplayedPage:
        return ReplayedPage(
            place=self.place,
            tally=ReplayTally.total(self.tallies),
            changes=self.changes,
            examined=self.examined,
            cost_micros=self.cost_micros,
            worked_ms=round(self.worked_s * 1000),
        )


@dataclass(frozen=True, slots=True)
class _Plan:
    """The plan for one page of a replay. `thinks_with_model` states for each event whether it may
    incur model costs. `pays` means that the client has a paid plan."""

    replay: Replay
    variant: Variant
    entries: Sequence[PlaybookEntry]
    events: Sequence[PastEvent]
    thinks_with_model: bool
    pays: bool


class ReplayPages:
    """The activities that replay past events in pages. A worker processes one event at a time with
    the embedded brain, and a few with a language model.

    `exchanges` prepares past events. `question_micros` is reserved for each model call, in
    millionths of a US dollar.
    """

    def __init__(
        self,
        database: Database,
        simulator: OutcomeSimulator,
        exchanges: PastExchanges,
        now: Clock,
        traffic: Traffic,
        *,
        has_model: bool,
        question_micros: int,
    ) -> None:
        self._database = database
        self._simulator = simulator
        self._exchanges = exchanges
        self._now = now
        self._traffic = traffic
        self._has_model = has_model
        self._question_micros = question_micros
        # Pages that wait for a turn of the brain would occupy the activity slots of all clients.
        self._slots = WorkerSlots(ReplaysBusy)
        # The embedded brain uses the worker's CPU, but a language model call only waits.
        self._embedded = FairSlots(1, unpaid=1, patience_s=None)
        self._with_model = FairSlots(_WITH_MODEL, unpaid=_UNPAID, patience_s=None)

    @activity.defn(name=names.BEGIN_REPLAY)
    async def begin(self, work: BackgroundRef) -> ReplayProgress:
        """Count the events to replay, and return the replay's progress. Repeated calls count the
        events again."""
        tenant = TenantId(work.client_id)
        async with self._database.tenant(tenant) as connection:
            replays = ReplayRepository(connection, tenant)
            try:
                replay = await replays.read(work.record_id, lock=True)
            except ReplayNotFound:
                return ReplayProgress(is_over=True)
            total = await PastEvents(connection, tenant).count(_span(replay))
            await replays.work(replay.id, total=total)
            return _progress(await replays.read(replay.id))

    @activity.defn(name=names.REPLAY_PAGE)
    async def page(self, work: BackgroundRef) -> ReplayProgress:
        """Process the next events. Store their results and the next position in one transaction.

        Idempotency key: the replay and its position. Raises PlaybookNotFound, EngineUnavailable,
        and ReplaysBusy if the page must wait.
        """
        tenant = TenantId(work.client_id)
        pays = await has_plan(self._database, tenant, self._now())
        with self._slots.slot(tenant, pays=pays):
            return await self._next(tenant, work, pays=pays)

    async def _next(self, tenant: TenantId, work: BackgroundRef, *, pays: bool) -> ReplayProgress:
        async with beating():
            try:
                plan = await self._plan(tenant, work, pays=pays)
                if plan is None:
                    return ReplayProgress(is_over=True)
                return await self._keep(tenant, plan, await self._replay_events(tenant, plan))
            except ReplayNotFound:  # The client was erased.
                return ReplayProgress(is_over=True)

    @activity.defn(name=names.END_REPLAY)
    async def fail(self, work: BackgroundRef) -> None:
        """Mark the replay as failed, because every attempt to process a page has failed. If the
        replay is already finished, it is left unchanged."""
        tenant = TenantId(work.client_id)
        async with self._database.tenant(tenant) as connection:
            await ReplayRepository(connection, tenant).end(
                work.record_id, ReplayState.FAILED, self._now(), why=ReplayStop.ERROR
            )

    async def _plan(self, tenant: TenantId, work: BackgroundRef, *, pays: bool) -> _Plan | None:
        """Return the plan for the next page, or None if the replay is finished."""
        async with self._database.reading(tenant) as connection:
            replay = await ReplayRepository(connection, tenant).read(work.record_id)
            if replay.state not in UNFINISHED:
                return None
            return _Plan(
                replay=replay,
                variant=await TriedVariants(connection, tenant).resolve(replay.variant),
                entries=await PlaybookRepository(connection, tenant).all(),
                events=await PastEvents(connection, tenant).page(
                    _span(replay), after=replay.place, limit=PAGE
                ),
                thinks_with_model=self._has_model and not replay.variant.embedded_brain,
                pays=pays,
            )

    async def _replay_events(self, tenant: TenantId, plan: _Plan) -> _Done:
        done, ends = _Done(), time.monotonic() + _PAGE_LASTS_S
        for event in plan.events:
            done.stop = self._limit(plan, done)
            if done.stop is not None:
                break
            try:
                await self._one(tenant, plan, event, done)
            except ModelBudgetUsedUp:
                done.stop = ReplayStop.BUDGET
                break
            if done.worked_s > _PAGE_WORK_S or time.monotonic() > ends:
                break
        return done

    def _limit(self, plan: _Plan, done: _Done) -> ReplayStop | None:
        """Return the reason why the replay must stop before the next event, or None."""
        replay = plan.replay
        if replay.worked_ms + done.worked_s * 1000 >= replay.budget_s * 1000:
            return ReplayStop.TIME
        spent = replay.cost_micros + done.cost_micros
        if plan.thinks_with_model and spent + self._question_micros > replay.budget_micros:
            return ReplayStop.BUDGET
        return None

    async def _one(self, tenant: TenantId, plan: _Plan, event: PastEvent, done: _Done) -> None:
        """Replay one event, and add its result to `done`. Raises ModelBudgetUsedUp if the remaining
        budget is too small for the event."""
        if event.skip is not None:
            done.skip(event, event.skip)
            return
        if playbook_for(plan.entries, event.event_type, plan.variant) is None:
            done.examine(event, ReplayFacts(end=ReplayEnd.NO_PLAYBOOK), "")
            return
        outcome = await self._in_turn(tenant, plan, self._outcome(tenant, plan, event), done)
        if outcome is None:
            done.skip(event, ReplaySkip.ERASED)
            return
        done.cost_micros += outcome.cost_micros
        done.examine(event, ReplayFacts.of(outcome), outcome.draft)

    async def _outcome(
        self, tenant: TenantId, plan: _Plan, event: PastEvent
    ) -> SimulatedOutcome | None:
        """Return the event's outcome, or None if the event has since been erased."""
        exchange = await self._exchanges.of(tenant, event)
        if exchange is None:
            return None
        return await self._simulator.outcome(
            tenant, exchange, plan.variant, model_or_nothing=plan.thinks_with_model
        )

    async def _in_turn(
        self, tenant: TenantId, plan: _Plan, thinking: Awaitable[_T], done: _Done
    ) -> _T:
        """Wait for a slot, process one event, and return its result. While there is foreground
        traffic, a pause follows each event, because foreground work has priority."""
        slots = self._with_model if plan.thinks_with_model else self._embedded
        async with slots.slot(tenant, pays=plan.pays):
            began = time.monotonic()
            try:
                return await thinking
            finally:
                worked_s = time.monotonic() - began
                done.worked_s += worked_s
                await asyncio.sleep(self._traffic.pause_after(worked_s))

    async def _keep(self, tenant: TenantId, plan: _Plan, done: _Done) -> ReplayProgress:
        """Store the page and the next position, and return the progress. Nothing is stored if
        another attempt stored the page first or the replay was stopped."""
        async with self._database.tenant(tenant) as connection:
            replays = ReplayRepository(connection, tenant)
            standing = await replays.read(plan.replay.id, lock=True)
            if standing.state in UNFINISHED and standing.place == plan.replay.place:
                await replays.add(standing, done.page)
                if done.stop is not None:
                    await replays.end(standing.id, ReplayState.STOPPED, self._now(), why=done.stop)
                elif _was_last(plan, done):
                    await replays.end(standing.id, ReplayState.DONE, self._now())
            return _progress(await replays.read(standing.id))


def _was_last(plan: _Plan, done: _Done) -> bool:
    return len(plan.events) < PAGE and (not plan.events or done.place == plan.events[-1].id)


def _span(replay: Replay) -> PastSpan:
    return PastSpan(replay.since, replay.until)


def _progress(replay: Replay) -> ReplayProgress:
    return ReplayProgress(
        is_over=replay.state not in UNFINISHED, total=replay.total, seen=replay.seen
    )
