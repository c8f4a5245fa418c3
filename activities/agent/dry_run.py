"""Dry run: the agent's judgement alone. It holds nothing that could write a row or send a word."""

from datetime import timedelta

from sqlalchemy.ext.asyncio import AsyncConnection
from temporalio import activity

from activities.agent.gather import connections, gather
from activities.agent.purse import Purse
from activities.runtime.fair_normalizer import FairNormalizer
from domain.agent.embedding import Embedding
from domain.agent.material import Material
from domain.agent.ports import Embedder, SafetyNet
from domain.agent.shadow import held_in_shadow
from domain.agent.thinking import ThinkingResult, think_through
from domain.agent.unread import unread
from domain.core import names
from domain.core.effort import EVENT_STEPS, budget
from domain.core.errors import OverBudget
from domain.core.ids import TenantId
from domain.core.ports import Clock, Sealer
from domain.intake.cut_event import cut_event
from domain.intake.event import Channel, InboundEvent, UnifiedEvent, channel_of
from domain.intake.order_number import with_asked_number
from domain.intake.ports import Normalized
from domain.runs.contracts import DryRunInput, DryRunResult
from domain.runs.conversation import THREAD_LASTS, conversation_key, memory_key
from domain.runs.run import RunDraft, RunStatus, review_reason
from store.core.database import Database
from store.playbooks.playbooks import PlaybookRepository
from store.runs.standing_threads import StandingThreads
from store.tenants.client_settings import SettingsRepository
from store.tenants.clients import ClientRepository


class Rehearse:
    """`embedder`, `thread_lasts`: as a run has them."""

    def __init__(
        self,
        database: Database,
        purse: Purse,
        embedder: Embedder | None,
        sealer: Sealer,
        now: Clock,
        *,
        normalizer: FairNormalizer,
        net: SafetyNet,
        thread_lasts: timedelta = THREAD_LASTS,
    ) -> None:
        self._database = database
        self._purse = purse
        self._embedder = embedder
        self._normalizer = normalizer
        self._net = net
        self._sealer = sealer
        self._now = now
        self._thread_lasts = thread_lasts

    @activity.defn(name=names.REHEARSE)
    async def rehearse(self, step: DryRunInput) -> DryRunResult:
        """Classify and answer the sealed event as a run would, and keep nothing of it: a repetition
        is harmless. What a language model costs is booked.

        Memory is read, and never written. No shop is asked: what a run would look up there is
        missing here, so that a question about an order waits for a human.
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
        """Raises OverBudget."""
        normalized = await self._normalized(tenant, inbound, step)
        event = normalized.event
        near = None if self._embedder is None else await self._embedder.near(event.words)
        async with self._database.tenant(tenant) as connection:
            material = await self._material(connection, tenant, event, step, near)
            grant = await self._purse.choose(
                connection, tenant, await ClientRepository(connection).brain_budget(tenant)
            )
        with budget(EVENT_STEPS - normalized.steps):
            thought = await self._purse.spend(
                tenant,
                grant,
                lambda thinker: think_through(thinker, material, self._now(), self._net),
            )
        return held_in_shadow(thought, material)

    async def _normalized(
        self, tenant: TenantId, inbound: InboundEvent, step: DryRunInput
    ) -> Normalized:
        authserv_ids: tuple[str, ...] = ()
        if channel_of(inbound.event_type, inbound.source) is Channel.EMAIL:
            async with self._database.reading(tenant) as connection:
                authserv_ids = (await SettingsRepository(connection, tenant).read()).authserv_ids
        return await self._normalizer.normalize(
            tenant, inbound, fallback_ticket_id=step.event_id, authserv_ids=tuple(authserv_ids)
        )

    async def _unread(
        self, tenant: TenantId, inbound: InboundEvent, step: DryRunInput
    ) -> ThinkingResult:
        """What a run becomes that costs too much."""
        event = cut_event(inbound, fallback_ticket_id=step.event_id)
        async with self._database.tenant(tenant) as connection:
            rulebook = await PlaybookRepository(connection, tenant).rulebook(
                step.playbook_id, step.playbook_version
            )
            material = Material(
                event=event,
                brand_name=await ClientRepository(connection).brand_name(tenant),
                rulebook=rulebook,
                templates=(),
                passages=(),
                connections=await connections(connection, tenant),
            )
        return unread(material, self._now())

    async def _material(
        self,
        connection: AsyncConnection,
        tenant: TenantId,
        event: UnifiedEvent,
        step: DryRunInput,
        near: Embedding | None,
    ) -> Material:
        chosen = await SettingsRepository(connection, tenant).read()
        standing = await StandingThreads(connection, tenant).read(
            conversation_key(event, step.event_id),
            memory_key(event),
            begun_after=self._now() - self._thread_lasts,
        )
        if standing.thread.asked_number or standing.thread.proposal:
            event = with_asked_number(event)
        gathered = await gather(connection, tenant, event, near)
        return Material(
            event=event,
            brand_name=await ClientRepository(connection).brand_name(tenant),
            rulebook=await PlaybookRepository(connection, tenant).rulebook(
                step.playbook_id, step.playbook_version
            ),
            system_prompt=chosen.system_prompt or "",
            templates=gathered.templates,
            passages=gathered.passages,
            turns=standing.turns,
            summary=standing.summary,
            connections=gathered.connections,
            has_shop=gathered.has_shop,
            thread=standing.thread,
            playbook=(step.playbook_id, step.playbook_version),
            sensitive_words=chosen.sensitive_words,
        )
