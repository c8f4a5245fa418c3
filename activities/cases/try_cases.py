"""The activities of a case run: start it, simulate its cases in batches, and end it."""

import asyncio
from typing import Final

from temporalio import activity

from activities.runtime.heartbeat import beating
from activities.runtime.traffic import Traffic
from activities.runtime.worker_slots import WorkerSlots
from activities.simulation.outcome_simulator import OutcomeSimulator
from domain.agent.rulebook import Rulebook
from domain.cases.case import SavedCase
from domain.cases.case_run import (
    CaseOutcome,
    CaseResult,
    CaseRun,
    CaseRunState,
    is_enough,
    is_repeatable,
    thought_by_embedded,
)
from domain.cases.contracts import CaseRunPlan, CaseRunProgress, EndCaseRunInput, TryCasesInput
from domain.cases.digest import verdict_digest
from domain.cases.errors import CaseRunsBusy
from domain.cases.verdict_on_case import Unmet, unmet
from domain.core import names
from domain.core.contracts import BackgroundRef
from domain.core.ids import TenantId
from domain.core.ports import Clock
from domain.playbooks.playbook import PlaybookSpec
from domain.simulation.outcome import OutcomeStatus, SimulatedOutcome, Simulation, UsedPlaybook
from domain.simulation.scenario import Scenario
from domain.simulation.variant import ContentVariant, Variant
from store.cases.case_runs import CaseRunRepository, KeptResult
from store.cases.content_digest import content_digest
from store.cases.saved_cases import SavedCaseRepository
from store.content.content_overlay import overlay
from store.core.database import Database
from store.exports.payer import has_plan
from store.playbooks.playbooks import PlaybookRepository

_EMBEDDED: Final = "embedded"
"""The brain identity in a result's digest if the embedded brain answered instead of a model."""

_UNSETTLED: Final = b""
"""The digest of a result whose content or playbook changed during the computation. It never matches
another digest."""


class TryCases:
    """The activities that run saved cases. `identity` is stored with the results. `is_remote` means
    that the brain is a language model. `slots` limits concurrent batches."""

    def __init__(
        self,
        database: Database,
        simulator: OutcomeSimulator,
        now: Clock,
        traffic: Traffic,
        *,
        identity: str,
        is_remote: bool,
    ) -> None:
        self.slots = WorkerSlots(CaseRunsBusy)
        self._database = database
        self._simulator = simulator
        self._now = now
        self._traffic = traffic
        self._identity = identity
        self._is_remote = is_remote

    @activity.defn(name=names.BEGIN_CASE_RUN)
    async def begin(self, work: BackgroundRef) -> CaseRunPlan:
        """Start the case run, and return the ids of its cases, or none if it has ended. Raises
        CaseRunNotFound."""
        tenant = TenantId(work.client_id)
        async with self._database.tenant(tenant) as connection:
            cases = await SavedCaseRepository(connection, tenant).names()
            run = await CaseRunRepository(connection, tenant).begin(work.record_id, len(cases))
        is_over = run.state in (CaseRunState.DONE, CaseRunState.FAILED)
        return CaseRunPlan(case_ids=() if is_over else tuple(sorted(cases.values())))

    @activity.defn(name=names.TRY_CASE)
    async def try_some(self, step: TryCasesInput) -> CaseRunProgress:
        """Simulate the batch's existing cases, and return the case run's progress. Idempotency key:
        (case run, case). The first result is kept.

        Raises CaseRunNotFound, PlaybookNotFound, ContentNotFound, and CaseRunsBusy if the batch
        must wait.
        """
        tenant = TenantId(step.client_id)
        pays = await has_plan(self._database, tenant, self._now())
        with self.slots.slot(tenant, pays=pays):
            return await self._try_batch(tenant, step)

    async def _try_batch(self, tenant: TenantId, step: TryCasesInput) -> CaseRunProgress:
        async with self._database.reading(tenant) as connection:
            runs = CaseRunRepository(connection, tenant)
            run, tried = await runs.read(step.record_id), await runs.tried(step.record_id)
            left = [one for one in step.case_ids if one not in tried]
            cases = await SavedCaseRepository(connection, tenant).some(left)
        async with beating():
            for number, case in enumerate(cases):
                if number:
                    self.slots.check_kept(tenant)
                kept = await self._verdict(tenant, run, case)
                async with self._database.tenant(tenant) as connection:
                    await CaseRunRepository(connection, tenant).keep(run.id, kept)
        async with self._database.tenant(tenant) as connection:
            run = await CaseRunRepository(connection, tenant).count(run.id, step.done)
        return CaseRunProgress(total=run.total, done=run.done, passed=run.passed)

    @activity.defn(name=names.END_CASE_RUN)
    async def end(self, step: EndCaseRunInput) -> None:
        """End the case run as done or failed. Repeated calls leave the outcome unchanged."""
        tenant = TenantId(step.client_id)
        state = CaseRunState.DONE if step.error_code is None else CaseRunState.FAILED
        async with self._database.tenant(tenant) as connection:
            await CaseRunRepository(connection, tenant).end(
                step.record_id, state, step.error_code, self._now()
            )

    async def _verdict(self, tenant: TenantId, run: CaseRun, case: SavedCase) -> KeptResult:
        variant = run.variant
        content = await self._content(tenant, variant.content)
        tried = _Tries(case)
        while tried.misses_some:
            tried.add(await self._simulated(tenant, case.scenario, variant))
        before = None
        if variant.content is not None:
            saved = variant.model_copy(update={"content": None})
            before = await self._simulated(tenant, case.scenario, saved)
        is_settled = content == await self._content(tenant, variant.content)
        outcome = CaseOutcome.of(
            tried.last.last, cost_micros=tried.cost_micros + (_cost(before) if before else 0)
        )
        live = None if before is None else CaseOutcome.of(before.last, cost_micros=0)
        result = CaseResult(
            case_id=case.id,
            name=case.name,
            must=case.must,
            passed=is_enough(tried.passes, tried.tries, case.pass_rate),
            tries=tried.tries,
            passes=tried.passes,
            unmet=tried.unmet,
            outcome=outcome,
            before=live,
            changed=live is not None and outcome.differs_from(live),
            created_at=self._now(),
        )
        digest = verdict_digest(
            await self._spec(tenant, tried.last.last.playbook, variant),
            content,
            _EMBEDDED if self._is_remote and tried.by_embedded else self._identity,
            case,
        )
        return KeptResult(result, digest if is_settled and tried.is_of_one else _UNSETTLED)

    async def _simulated(
        self, tenant: TenantId, scenario: Scenario, variant: Variant
    ) -> Simulation:
        """Simulate a conversation. While there is foreground traffic, a pause follows each message,
        because foreground work has priority."""
        return await self._simulator.conversation(
            tenant,
            scenario,
            variant,
            after_message=lambda worked_s: asyncio.sleep(self._traffic.pause_after(worked_s)),
        )

    async def _spec(
        self, tenant: TenantId, used: UsedPlaybook | None, variant: Variant
    ) -> PlaybookSpec | None:
        """Return the playbook that handled the case, with only the fields that the digest covers.
        Return None if no playbook handled it."""
        if used is None:
            return None
        return PlaybookSpec(
            name=used.name,
            event_type="*",
            threshold=used.threshold,
            active=True,
            rulebook=await self._rulebook(tenant, used, variant),
        )

    async def _rulebook(self, tenant: TenantId, used: UsedPlaybook, variant: Variant) -> Rulebook:
        if used.is_draft and (draft := variant.draft_of(used.id)) is not None:
            return draft.rulebook
        async with self._database.reading(tenant) as connection:
            return await PlaybookRepository(connection, tenant).rulebook(
                used.id or "", used.version or 0
            )

    async def _content(self, tenant: TenantId, change: ContentVariant | None) -> bytes:
        """Return a digest of the content that the brain uses, with `change` applied. Raises
        ContentNotFound."""
        if change is None:
            async with self._database.reading(tenant) as connection:
                return await content_digest(connection, tenant)
        async with self._database.tenant(tenant) as connection:
            trial = await connection.begin_nested()
            await overlay(connection, tenant, change, self._now())
            digest = await content_digest(connection, tenant)
            await trial.rollback()
        return digest


class _Tries:
    """The simulations of one case, and their results. Without a language model, all results would
    be equal, so there is only one. `by_embedded` means that the embedded brain answered at least
    once."""

    def __init__(self, case: SavedCase) -> None:
        self._case = case
        self.tries = self.passes = self.cost_micros = 0
        self.unmet: tuple[Unmet, ...] = ()
        self.by_embedded = False
        self._used: set[UsedPlaybook | None] = set()
        self.last: Simulation

    @property
    def is_of_one(self) -> bool:
        """Return whether one version of one playbook handled every message in every simulation."""
        return len(self._used) == 1

    @property
    def misses_some(self) -> bool:
        """Return whether the case needs another simulation."""
        if not self.tries:
            return True
        return self.tries < self._case.tries and not all(map(_is_final, self.last.outcomes))

    def add(self, simulation: Simulation) -> None:
        missed = unmet(self._case.expected, simulation.last)
        self.tries += 1
        self.passes += not missed
        self.cost_micros += _cost(simulation)
        self.unmet = missed or self.unmet
        self.by_embedded |= thought_by_embedded(simulation)
        self._used.update(one.playbook for one in simulation.outcomes)
        self.last = simulation


def _is_final(outcome: SimulatedOutcome) -> bool:
    """Return True if another simulation would have the same outcome. The outcome can differ if a
    model was used or if the brain failed."""
    return outcome.status is not OutcomeStatus.BRAIN_FAILED and is_repeatable(outcome.model)


def _cost(simulation: Simulation) -> int:
    return sum(one.cost_micros for one in simulation.outcomes)
