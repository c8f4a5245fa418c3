"""Dry runs, which compute only the agent's decision. A dry run cannot write a row or send a
message."""

from dataclasses import replace
from datetime import timedelta

from sqlalchemy.ext.asyncio import AsyncConnection
from temporalio import activity

from activities.agent.brain_budget import BrainBudget
from activities.agent.draft_answer import (
    draft_or_fall_back,
    read_event,
    with_content,
    without_content,
)
from activities.agent.gather import near_question
from activities.runtime.fair_normalizer import FairNormalizer
from domain.agent.brain_context import BrainContext
from domain.agent.over_budget import over_budget_result
from domain.agent.ports import Embedder, SafetyNet
from domain.agent.shadow import held_in_shadow
from domain.agent.thinking_result import ThinkingResult
from domain.core import names
from domain.core.errors import OverBudget
from domain.core.ids import TenantId
from domain.core.ports import Clock, Sealer
from domain.intake.cut_event import cut_event
from domain.intake.event import InboundEvent, UnifiedEvent
from domain.intake.order_number import with_asked_number
from domain.runs.contracts import DryRunInput, DryRunResult
from domain.runs.conversation import THREAD_LASTS, conversation_key, memory_key
from domain.runs.run import RunDraft, RunStatus, review_reason
from services.core.cpu_guard import limited
from store.core.database import Database
from store.playbooks.playbooks import PlaybookRepository
from store.runs.standing_threads import StandingThreads


class DryRuns:
    """The activity for dry runs. `embedder` is as in `Think`, and `thread_lasts` as in
    `Normalize`."""

    def __init__(
        self,
        database: Database,
        brain_budget: BrainBudget,
        embedder: Embedder | None,
        sealer: Sealer,
        now: Clock,
        *,
        normalizer: FairNormalizer,
        net: SafetyNet,
        thread_lasts: timedelta = THREAD_LASTS,
    ) -> None:
        self._database = database
        self._brain_budget = brain_budget
        self._embedder = embedder
        self._normalizer = normalizer
        self._net = net
        self._sealer = sealer
        self._now = now
        self._thread_lasts = thread_lasts

    @activity.defn(name=names.REHEARSE)
    async def answer(self, step: DryRunInput) -> DryRunResult:
        """Classify and answer the sealed event as a run does. Repeating it is safe because only the
        cost is stored.

        A model's cost is charged to the client. The customer's memory is read but never written. No
        shop is queried, so a question about an order is held for a human agent.
        """
        tenant = TenantId(step.client_id)
        inbound = InboundEvent.model_validate_json(self._sealer.unseal(step.sealed))
        try:
            thought = await self._thought(tenant, inbound, step)
        except OverBudget:
            thought = await self._unread(tenant, inbound, step)
        draft = RunDraft.of(thought)
        waits = review_reason(draft, step.threshold) is not None
        return DryRunResult(
            status=RunStatus.NEEDS_REVIEW if waits else RunStatus.COMPLETED,
            classification=draft.classification,
            confidence=draft.confidence,
            sealed_response=""
            if step.draft_alone
            else self._sealer.seal("" if waits else draft.text),
            sealed_draft=self._sealer.seal(draft.text),
        )

    async def _thought(
        self, tenant: TenantId, inbound: InboundEvent, step: DryRunInput
    ) -> ThinkingResult:
        """Process the event up to the agent's decision and return the result. Raises OverBudget."""
        normalized = await read_event(
            self._database, self._normalizer, tenant, inbound, fallback_ticket_id=step.event_id
        )
        event = normalized.event
        near = await near_question(self._database, tenant, self._embedder, event)
        async with self._database.reading(tenant) as connection:
            bare = await self._in_thread(connection, tenant, event, step)
            context = await with_content(
                connection, tenant, bare, near, for_model=self._brain_budget.has_model
            )
        thought = await draft_or_fall_back(
            self._brain_budget,
            tenant,
            context,
            self._now,
            net=self._net,
            steps=normalized.steps,
        )
        return held_in_shadow(thought, context)

    async def _unread(
        self, tenant: TenantId, inbound: InboundEvent, step: DryRunInput
    ) -> ThinkingResult:
        """Return the result for an event that exceeds its processing budget."""
        event = cut_event(inbound, fallback_ticket_id=step.event_id)
        async with self._database.reading(tenant) as connection:
            bare = await self._bare(connection, tenant, event, step)
            context = await without_content(connection, tenant, bare)
        return over_budget_result(context, self._now())

    async def _in_thread(
        self,
        connection: AsyncConnection,
        tenant: TenantId,
        event: UnifiedEvent,
        step: DryRunInput,
    ) -> BrainContext:
        standing = await StandingThreads(connection, tenant).read(
            conversation_key(event, step.event_id),
            memory_key(event),
            started_after=self._now() - self._thread_lasts,
        )
        thread = standing.thread.seen_by(event)
        if thread.asked_number or thread.proposal:
            asked = event
            event = limited(lambda: with_asked_number(asked))
        return replace(
            await self._bare(connection, tenant, event, step),
            turns=standing.turns,
            summary=standing.summary,
            thread=thread,
        )

    async def _bare(
        self,
        connection: AsyncConnection,
        tenant: TenantId,
        event: UnifiedEvent,
        step: DryRunInput,
    ) -> BrainContext:
        playbook = step.playbook_id, step.playbook_version
        rulebook = await PlaybookRepository(connection, tenant).rulebook(*playbook)
        return BrainContext.bare(event, rulebook, playbook)
