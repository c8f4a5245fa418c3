"""Dry run: the agent's judgement alone. It holds nothing that could write a row or send a word."""

from datetime import timedelta

from sqlalchemy.ext.asyncio import AsyncConnection
from temporalio import activity

from activities.agent.gather import gather
from activities.agent.purse import Purse
from domain.agent.embedding import Embedding
from domain.agent.material import Material
from domain.agent.ports import Embedder, SafetyNet
from domain.agent.thinking import think_through
from domain.core import names
from domain.core.ids import TenantId
from domain.core.ports import Clock, Sealer
from domain.intake.event import InboundEvent, UnifiedEvent
from domain.intake.normalization import normalize
from domain.intake.order_number import with_asked_number
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
        net: SafetyNet,
        thread_lasts: timedelta = THREAD_LASTS,
    ) -> None:
        self._database = database
        self._purse = purse
        self._embedder = embedder
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
        near = await self._near(inbound, step)
        async with self._database.tenant(tenant) as connection:
            material = await self._material(connection, tenant, inbound, step, near)
            grant = await self._purse.choose(
                connection, tenant, await ClientRepository(connection).brain_budget(tenant)
            )
        thought = await self._purse.spend(
            tenant,
            grant,
            lambda thinker: think_through(thinker, material, self._now(), self._net),
        )
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

    async def _near(self, inbound: InboundEvent, step: DryRunInput) -> Embedding | None:
        if self._embedder is None:
            return None
        return await self._embedder.near(_normalized(inbound, step).words)

    async def _material(
        self,
        connection: AsyncConnection,
        tenant: TenantId,
        inbound: InboundEvent,
        step: DryRunInput,
        near: Embedding | None,
    ) -> Material:
        chosen = await SettingsRepository(connection, tenant).read()
        event = _normalized(inbound, step, tuple(chosen.authserv_ids))
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


def _normalized(
    inbound: InboundEvent, step: DryRunInput, authserv_ids: tuple[str, ...] = ()
) -> UnifiedEvent:
    return normalize(inbound, fallback_ticket_id=step.event_id, authserv_ids=authserv_ids)
