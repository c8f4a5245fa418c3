"""The outcome simulator. It computes the outcomes of messages, without storing or executing
anything."""

import time
from collections.abc import Awaitable, Callable

from activities.agent.brain_budget import BrainBudget
from activities.agent.draft_answer import read_event
from activities.agent.order_search import OrderSearch
from activities.runtime.fair_normalizer import FairNormalizer
from activities.simulation.event_replay import EventReplay
from domain.agent.lookup import looks_up
from domain.agent.policy_context import Spent
from domain.agent.ports import Embedder, SafetyNet
from domain.agent.thread import Thread
from domain.core.errors import OverBudget
from domain.core.ids import TenantId
from domain.core.ports import Clock, Sealer
from domain.intake.customer_email import customer_key
from domain.intake.cut_event import cut_event
from domain.intake.event import UnifiedEvent
from domain.intake.order_number import with_asked_number
from domain.integrations.order import Lookup, Order
from domain.integrations.ports import Connectors
from domain.privacy.erased_customer import refunded_as
from domain.runs.conversation import ANSWERS_PER_HOUR, ANSWERS_WITHOUT_PERSON
from domain.simulation.carried import Carried
from domain.simulation.exchange import SimulatedExchange
from domain.simulation.made_up import MADE_UP, SHOP, event_of, looked_up, order_of
from domain.simulation.outcome import SimulatedOutcome, Simulation
from domain.simulation.scenario import Scenario
from domain.simulation.variant import Variant
from services.core.cpu_guard import limited
from store.core.database import Database
from store.integrations.integrations import IntegrationRepository
from store.runs.action_ledger import ActionLedger


class OutcomeSimulator:
    """A simulator that processes messages as runs do. It only reads, queries shops, and charges the
    model's cost. Arguments other than `normalizer` and `connectors` are as for `Think`."""

    def __init__(
        self,
        database: Database,
        brain_budget: BrainBudget,
        embedder: Embedder | None,
        now: Clock,
        *,
        normalizer: FairNormalizer,
        connectors: Connectors,
        net: SafetyNet,
        sealer: Sealer,
        answers_per_hour: int = ANSWERS_PER_HOUR,
        answers_without_person: int = ANSWERS_WITHOUT_PERSON,
    ) -> None:
        self._database = database
        self._now = now
        self._normalizer = normalizer
        self._sealer = sealer
        self._search = OrderSearch(database, connectors)
        self._one = EventReplay(database, brain_budget, embedder, now, net)
        self._answers_per_hour = answers_per_hour
        self._answers_without_person = answers_without_person

    async def conversation(
        self,
        tenant: TenantId,
        scenario: Scenario,
        variant: Variant,
        *,
        after_message: Callable[[float], Awaitable[None]] | None = None,
    ) -> Simulation:
        """Return one outcome for each message from the customer. `after_message` receives the
        seconds of its processing.

        Settled facts carry over, as if each answer had been sent. Once humans handle the
        conversation, outcomes are held until a human writes. Raises PlaybookNotFound,
        EngineUnavailable and LargeEventsWait.
        """
        order, carried = order_of(scenario, self._now()), Carried()
        outcomes: list[SimulatedOutcome] = []
        for message in scenario.messages:
            if message.author == "human":
                carried = carried.answered_by_person(message.text)
                continue
            began = time.monotonic()
            exchange = await self._exchange(tenant, scenario, message.text, carried, order)
            replayed = await self._one.replay(tenant, exchange, variant)
            outcome = replayed.outcome.held_for(carried.held)
            carried = carried.after(exchange.event, outcome, replayed.settled, self._now())
            outcomes.append(outcome)
            if after_message is not None:
                await after_message(time.monotonic() - began)
        return Simulation(outcomes=tuple(outcomes))

    async def outcome(
        self,
        tenant: TenantId,
        exchange: SimulatedExchange,
        variant: Variant,
        *,
        model_or_nothing: bool = False,
    ) -> SimulatedOutcome:
        """Return the outcome of one message. If `model_or_nothing` is true and the configured model
        cannot be used, raises ModelBudgetUsedUp. Raises the errors of `conversation`, except
        LargeEventsWait."""
        replayed = await self._one.replay(
            tenant, exchange, variant, model_or_nothing=model_or_nothing
        )
        return replayed.outcome

    async def _exchange(
        self,
        tenant: TenantId,
        scenario: Scenario,
        text: str,
        carried: Carried,
        order: Order | None,
    ) -> SimulatedExchange:
        """Return a message from the scenario, normalized, together with the order that it is
        about."""
        inbound = event_of(scenario, text)
        try:
            normalized = await read_event(
                self._database, self._normalizer, tenant, inbound, fallback_ticket_id=MADE_UP
            )
            event, thread = normalized.event, carried.thread
            if thread.asked_number or thread.proposal:
                event = limited(lambda: with_asked_number(normalized.event))
            if order is not None:
                found = limited(lambda: looked_up(order, event, thread))
            else:
                found = await self._look_up(tenant, event, thread)
        except OverBudget:
            event = cut_event(inbound, fallback_ticket_id=MADE_UP)
            return SimulatedExchange(event=event, event_type=scenario.event_type, unread=True)
        found = carried.of(found)
        return SimulatedExchange(
            event=event,
            event_type=scenario.event_type,
            turns=carried.turns,
            thread=thread,
            summary=carried.summary,
            lookup=found,
            spent=await self._spent(tenant, event, carried, found, order),
            made_up=None if order is None else SHOP,
            turns_left=carried.turns_left(self._answers_per_hour, self._answers_without_person),
            run_id=MADE_UP,
            steps=normalized.steps,
        )

    async def _look_up(
        self, tenant: TenantId, event: UnifiedEvent, thread: Thread
    ) -> Lookup | None:
        """Return the order looked up in the client's shops, or None if the message needs none. A
        shop that rejects our credentials stays connected. Raises OverBudget."""
        if not limited(lambda: looks_up(event, thread)):
            return None
        async with self._database.reading(tenant) as connection:
            if not await IntegrationRepository(connection, tenant).has_shop():
                return None
        return (await self._search.find(tenant, event, thread)).lookup

    async def _spent(
        self,
        tenant: TenantId,
        event: UnifiedEvent,
        carried: Carried,
        found: Lookup | None,
        made_up: Order | None,
    ) -> Spent:
        """Return the amounts that were refunded before the message. With a simulated order, only
        amounts in this conversation count, so that the result does not depend on the date."""
        order = found.order if found else None
        if order is None:
            return Spent()
        if made_up is not None:
            return carried.spent(order, Spent())
        async with self._database.reading(tenant) as connection:
            before = await ActionLedger(connection, tenant).spent(
                order_key=order.key,
                order_number=order.number,
                customer=refunded_as(self._sealer, tenant, customer_key(event.customer_email)),
                currency=order.refundable.currency,
                not_by=MADE_UP,
                now=self._now(),
            )
        return carried.spent(order, before)
