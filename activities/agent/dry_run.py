"""Dry run: the brain alone. It holds nothing that could write a row or send a word."""

from temporalio import activity

from activities.agent.purse import Purse
from domain.agent.thinking import Material, think_through
from domain.core import names
from domain.core.ids import TenantId
from domain.core.ports import Clock, Sealer
from domain.intake.event import InboundEvent
from domain.intake.normalization import normalize
from domain.runs.contracts import DryRunInput, DryRunResult
from domain.runs.run import RunDraft, RunStatus, review_reason
from store.content.content import ContentRepository
from store.core.database import Database
from store.playbooks.playbooks import PlaybookRepository
from store.tenants.client_settings import SettingsRepository
from store.tenants.clients import ClientRepository


class Rehearse:
    def __init__(self, database: Database, purse: Purse, sealer: Sealer, now: Clock) -> None:
        self._database = database
        self._purse = purse
        self._sealer = sealer
        self._now = now

    @activity.defn(name=names.REHEARSE)
    async def rehearse(self, step: DryRunInput) -> DryRunResult:
        """Classify and answer the sealed event. Keeps nothing of it, so a repetition is harmless;
        what a language model costs is booked.

        Memory is neither read nor written, and no shop is asked: a rehearsal is about this message
        alone, and holds no credentials.
        """
        tenant = TenantId(step.client_id)
        inbound = InboundEvent.model_validate_json(self._sealer.unseal(step.sealed))
        event = normalize(inbound, fallback_ticket_id=step.event_id)
        async with self._database.tenant(tenant) as connection:
            content = ContentRepository(connection, tenant)
            chosen = await SettingsRepository(connection, tenant).read()
            material = Material(
                event=event,
                brand_name=await ClientRepository(connection).brand_name(tenant),
                rulebook=await PlaybookRepository(connection, tenant).rulebook(
                    step.playbook_id, step.playbook_version
                ),
                system_prompt=chosen.system_prompt or "",
                templates=await content.templates(),
                passages=await content.search(event.words),
            )
            grant = await self._purse.choose(
                connection, tenant, await ClientRepository(connection).brain_budget(tenant)
            )
        thought = await self._purse.spend(
            tenant, grant, lambda thinker: think_through(thinker, material, self._now())
        )
        draft = RunDraft.of(thought)
        waits = review_reason(draft, step.threshold) is not None
        return DryRunResult(
            status=RunStatus.NEEDS_REVIEW if waits else RunStatus.COMPLETED,
            classification=draft.classification,
            confidence=draft.confidence,
            sealed_response=self._sealer.seal("" if waits else draft.text),
        )
