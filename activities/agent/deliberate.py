"""Deliberate: the parts of thinking that a run, a dry run and a simulation share."""

from dataclasses import replace

from sqlalchemy.ext.asyncio import AsyncConnection

from activities.agent.gather import connections, gather
from activities.agent.purse import Grant, Purse
from activities.runtime.fair_normalizer import FairNormalizer
from domain.agent.embedding import Embedding
from domain.agent.frame import AnswerFrame
from domain.agent.greeting import greeted_name
from domain.agent.material import Material
from domain.agent.ports import SafetyNet
from domain.agent.thinking import ThinkingResult, think_through
from domain.core.effort import EVENT_STEPS, budget
from domain.core.ids import TenantId
from domain.core.ports import Clock
from domain.intake.event import Channel, InboundEvent, channel_of
from domain.intake.ports import Normalized
from store.core.database import Database
from store.tenants.client_settings import SettingsRepository
from store.tenants.clients import ClientRepository


async def read_event(
    database: Database,
    normalizer: FairNormalizer,
    tenant: TenantId,
    inbound: InboundEvent,
    *,
    fallback_ticket_id: str,
) -> Normalized:
    """The event in the one shape that a brain reads, with what the client's mail servers say of a
    mail's sender. Raises OverBudget, EngineUnavailable, LargeEventsWait."""
    authserv_ids: tuple[str, ...] = ()
    if channel_of(inbound.event_type, inbound.source) is Channel.EMAIL:
        async with database.reading(tenant) as connection:
            authserv_ids = tuple((await SettingsRepository(connection, tenant).read()).authserv_ids)
    return await normalizer.normalize(
        tenant, inbound, fallback_ticket_id=fallback_ticket_id, authserv_ids=authserv_ids
    )


async def with_content(
    connection: AsyncConnection, tenant: TenantId, bare: Material, near: Embedding | None
) -> Material:
    """The material with all that the client has to think with. `near`: the embedding of the
    message; None: knowledge is found by words alone."""
    chosen = await SettingsRepository(connection, tenant).read()
    gathered = await gather(connection, tenant, bare.event, near)
    brand_name = await ClientRepository(connection).brand_name(tenant)
    customer_name = greeted_name(bare.event)
    return replace(
        bare,
        brand_name=brand_name,
        frame=AnswerFrame.of(chosen.frame, brand_name=brand_name, customer_name=customer_name),
        system_prompt=chosen.system_prompt or "",
        sensitive_words=chosen.sensitive_words,
        answers_from_knowledge=chosen.answers_from_knowledge,
        templates=gathered.templates,
        passages=gathered.passages,
        connections=(*gathered.connections, *bare.connections),
        has_shop=gathered.has_shop or bare.has_shop,
        own_head=gathered.own_head,
    )


async def without_content(
    connection: AsyncConnection, tenant: TenantId, bare: Material
) -> Material:
    """The material of a message that costs too much to think about: what a person is given of it
    needs no content."""
    known = await connections(connection, tenant)
    return replace(
        bare,
        brand_name=await ClientRepository(connection).brand_name(tenant),
        connections=(*known, *bare.connections),
    )


async def deliberate(
    purse: Purse,
    tenant: TenantId,
    grant: Grant,
    material: Material,
    now: Clock,
    *,
    net: SafetyNet,
    steps: int,
) -> ThinkingResult:
    """Think with what was granted, and book what it cost. `steps`: spent of the event's budget
    before. Raises OverBudget, BrainFailed."""
    with budget(EVENT_STEPS - steps):
        return await purse.spend(
            tenant, grant, lambda brain: think_through(brain, material, now(), net)
        )
