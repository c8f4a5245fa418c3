"""The answer-drafting steps shared by runs, dry runs and simulations."""

from dataclasses import replace

from sqlalchemy.ext.asyncio import AsyncConnection

from activities.agent.brain_budget import BrainBudget, ChosenBrain
from activities.agent.gather import connections, gather
from activities.runtime.fair_normalizer import FairNormalizer
from domain.agent.brain_context import BrainContext
from domain.agent.embedding import Embedding
from domain.agent.errors import BrainFailed
from domain.agent.fallback import in_place_of_model
from domain.agent.frame import AnswerFrame
from domain.agent.greeting import greeted_name
from domain.agent.ports import SafetyNet
from domain.agent.thinking import think_through
from domain.agent.thinking_result import ThinkingResult
from domain.core.effort import EVENT_STEPS, budget
from domain.core.ids import TenantId
from domain.core.ports import Clock
from domain.intake.event import Channel, InboundEvent, channel_of
from domain.intake.ports import Normalized
from services.core.cpu_guard import in_slices
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
    """Return the event in the normalized form for a brain. An email includes the authentication
    results of the client's mail servers. Raises OverBudget, EngineUnavailable, LargeEventsWait."""
    authserv_ids: tuple[str, ...] = ()
    if channel_of(inbound.event_type, inbound.source) is Channel.EMAIL:
        async with database.reading(tenant) as connection:
            authserv_ids = tuple((await SettingsRepository(connection, tenant).read()).authserv_ids)
    return await normalizer.normalize(
        tenant, inbound, fallback_ticket_id=fallback_ticket_id, authserv_ids=authserv_ids
    )


async def with_content(
    connection: AsyncConnection,
    tenant: TenantId,
    bare: BrainContext,
    near: Embedding | None,
    *,
    for_model: bool,
) -> BrainContext:
    """Return the brain's context with the client's content added. `near` and `for_model` are as in
    `gather`."""
    chosen = await SettingsRepository(connection, tenant).read()
    gathered = await gather(connection, tenant, bare.event, near, for_model=for_model)
    brand_name = await ClientRepository(connection).brand_name(tenant)
    customer_name = greeted_name(bare.event)
    return replace(
        bare,
        brand_name=brand_name,
        frame=AnswerFrame.of(chosen.frame, brand_name=brand_name, customer_name=customer_name),
        system_prompt=chosen.system_prompt or "",
        guidance=chosen.guidance,
        sensitive_words=chosen.sensitive_words,
        answers_from_knowledge=chosen.answers_from_knowledge,
        answer_decision=chosen.answer_decision,
        templates=gathered.templates,
        passages=gathered.passages,
        knowledge=gathered.knowledge,
        examples=gathered.examples,
        connections=(*gathered.connections, *bare.connections),
        has_shop=gathered.has_shop or bare.has_shop,
        own_head=gathered.own_head,
    )


async def without_content(
    connection: AsyncConnection, tenant: TenantId, bare: BrainContext
) -> BrainContext:
    """Return the brain's context for a message that is too expensive to process. The context omits
    the client's content because a human agent answers the message."""
    known = await connections(connection, tenant)
    return replace(
        bare,
        brand_name=await ClientRepository(connection).brand_name(tenant),
        connections=(*known, *bare.connections),
    )


async def draft_answer(
    brain_budget: BrainBudget,
    tenant: TenantId,
    chosen: ChosenBrain,
    context: BrainContext,
    now: Clock,
    *,
    net: SafetyNet,
    steps: int,
) -> ThinkingResult:
    """Draft an answer within a budget reservation, record the actual cost, and return the result.
    `steps` is the part of the event's effort budget that is already spent. Raises OverBudget,
    BrainFailed."""
    with budget(EVENT_STEPS - steps):
        return await brain_budget.spend(
            tenant, chosen, lambda brain: in_slices(think_through(brain, context, now(), net))
        )


async def draft_or_fall_back(
    brain_budget: BrainBudget,
    tenant: TenantId,
    context: BrainContext,
    now: Clock,
    *,
    net: SafetyNet,
    steps: int,
) -> ThinkingResult:
    """Draft an answer with the language model. If its budget is used up or every model fails, use
    the embedded brain and add the model's fault and costs. Raises OverBudget, and BrainFailed
    without a model."""
    chosen = await brain_budget.choose(tenant)
    try:
        thought = await draft_answer(
            brain_budget, tenant, chosen, context, now, net=net, steps=steps
        )
    except BrainFailed as failure:
        if chosen.reservation is None:
            raise
        thought = await draft_answer(
            brain_budget, tenant, brain_budget.embedded, context, now, net=net, steps=steps
        )
        return in_place_of_model(thought, failure.fault, failure)
    return thought if chosen.fault is None else in_place_of_model(thought, chosen.fault)
