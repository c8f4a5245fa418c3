"""Compute the outcome of one message, with the live settings or with a variant of them."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass, replace
from datetime import datetime

from sqlalchemy.ext.asyncio import AsyncConnection

from activities.agent.brain_budget import BrainBudget, ChosenBrain
from activities.agent.draft_answer import draft_answer, with_content, without_content
from activities.agent.gather import near_question
from domain.agent.brain_context import BrainContext
from domain.agent.errors import BrainFailed
from domain.agent.over_budget import over_budget_result
from domain.agent.ports import Embedder, SafetyNet
from domain.agent.rulebook import Rulebook
from domain.agent.shadow import held_in_shadow
from domain.agent.thinking_result import ThinkingResult
from domain.agent.thread import Thread
from domain.core.errors import OverBudget
from domain.core.ids import TenantId
from domain.core.ports import Clock
from domain.playbooks.playbook import PlaybookEntry
from domain.simulation.choosing import playbook_for
from domain.simulation.errors import ModelBudgetUsedUp
from domain.simulation.exchange import SimulatedExchange
from domain.simulation.outcome import OutcomeStatus, SimulatedOutcome
from domain.simulation.simulated_outcome import brain_failed, rules_of, simulated_outcome
from domain.simulation.variant import Variant
from store.content.content_overlay import overlay
from store.core.database import Database
from store.playbooks.playbooks import PlaybookRepository
from store.playbooks.versions import PlaybookVersions


class _Undo(Exception):
    """An exception that rolls back the variant's content change, which must not be stored."""


@dataclass(frozen=True, slots=True)
class ReplayedEvent:
    """The outcome of one message. `settled`: the thread's state once the customer has received the
    answer."""

    outcome: SimulatedOutcome
    settled: Thread


class EventReplay:
    """The processing of one message with its full context. The outcome is not stored."""

    def __init__(
        self,
        database: Database,
        brain_budget: BrainBudget,
        embedder: Embedder | None,
        now: Clock,
        net: SafetyNet,
    ) -> None:
        self._database = database
        self._brain_budget = brain_budget
        self._embedder = embedder
        self._now = now
        self._net = net

    async def replay(
        self,
        tenant: TenantId,
        exchange: SimulatedExchange,
        variant: Variant,
        *,
        model_or_nothing: bool = False,
    ) -> ReplayedEvent:
        """Return the outcome of a message. If `model_or_nothing` is true and the configured model
        cannot be used, raises ModelBudgetUsedUp. Raises PlaybookNotFound, EngineUnavailable."""
        event = exchange.event
        near = await near_question(self._database, tenant, self._embedder, event)
        async with self._reading(tenant, variant) as connection:
            entries = await _entries(connection, tenant, variant)
            chosen = playbook_for(entries, exchange.event_type, variant)
            if chosen is None:
                return ReplayedEvent(SimulatedOutcome(status=OutcomeStatus.NO_PLAYBOOK), Thread())
            used, rulebook = chosen
            bare = _bare(exchange, rulebook, rules_of(used, exchange.thread))
            context = await (
                without_content(connection, tenant, bare)
                if exchange.unread
                else with_content(
                    connection, tenant, bare, near, for_model=self._brain_budget.has_model
                )
            )
        if variant.answers_from_knowledge is not None:
            context = replace(context, answers_from_knowledge=variant.answers_from_knowledge)
        if variant.answer_decision is not None:
            context = replace(context, answer_decision=variant.answer_decision)
        now = self._now() if exchange.now is None else exchange.now
        try:
            thought = await self._thought(
                tenant, context, exchange, now, variant, model_or_nothing=model_or_nothing
            )
        except BrainFailed as failure:
            return ReplayedEvent(brain_failed(used, exchange.lookup, failure), exchange.thread)
        return ReplayedEvent(simulated_outcome(used, exchange.lookup, thought), thought.thread)

    async def _thought(
        self,
        tenant: TenantId,
        context: BrainContext,
        exchange: SimulatedExchange,
        now: datetime,
        variant: Variant,
        *,
        model_or_nothing: bool,
    ) -> ThinkingResult:
        if exchange.unread:
            return over_budget_result(context, now)
        chosen = await self._chosen(tenant, variant)
        if model_or_nothing and chosen.reservation is None and self._brain_budget.has_model:
            raise ModelBudgetUsedUp
        try:
            thought = await draft_answer(
                self._brain_budget,
                tenant,
                chosen,
                context,
                lambda: now,
                net=self._net,
                steps=exchange.steps,
            )
        except OverBudget:
            return over_budget_result(context, now)
        return held_in_shadow(thought, context)

    async def _chosen(self, tenant: TenantId, variant: Variant) -> ChosenBrain:
        return (
            self._brain_budget.embedded
            if variant.embedded_brain
            else await self._brain_budget.choose(tenant)
        )

    @asynccontextmanager
    async def _reading(self, tenant: TenantId, variant: Variant) -> AsyncIterator[AsyncConnection]:
        """Open a transaction that leaves the database unchanged: READ ONLY, or rolled back for a
        variant that changes content."""
        if variant.content is None:
            async with self._database.reading(tenant) as connection:
                yield connection
            return
        with suppress(_Undo):
            async with self._database.tenant(tenant) as connection:
                await overlay(connection, tenant, variant.content, self._now())
                yield connection
                raise _Undo


async def _entries(
    connection: AsyncConnection, tenant: TenantId, variant: Variant
) -> tuple[PlaybookEntry, ...]:
    """Return the client's playbooks. A version specified by the variant replaces the live one.
    Raises PlaybookNotFound."""
    entries = await PlaybookRepository(connection, tenant).all()
    if variant.playbook_id is None or variant.version is None:
        return entries
    of_then = await PlaybookVersions(connection, tenant).read(variant.playbook_id, variant.version)
    return tuple(
        one.in_version(of_then.version, of_then.spec)
        if one.playbook.id == variant.playbook_id
        else one
        for one in entries
    )


def _bare(
    exchange: SimulatedExchange, rulebook: Rulebook, playbook: tuple[str, int]
) -> BrainContext:
    made_up = exchange.made_up
    return replace(
        BrainContext.bare(exchange.event, rulebook, playbook),
        turns=exchange.turns,
        summary=exchange.summary,
        lookup=exchange.lookup,
        connections=(made_up,) if made_up else (),
        spent=exchange.spent,
        has_shop=made_up is not None,
        thread=exchange.thread,
        run_id=exchange.run_id,
        turns_left=exchange.turns_left,
        attachments=exchange.attachments,
    )
