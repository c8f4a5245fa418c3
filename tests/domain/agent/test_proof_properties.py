"""Whatever the messages and orders: no action on an order that was not named, none without the
customer's request, and no two on one order.

Tests the thinking alone; tests/workflows/test_proof.py checks the ledger's rows.
"""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from enum import Enum, auto
from typing import Final

import pytest
from hypothesis import example, given, note, settings
from hypothesis import strategies as st

from domain.agent.brain import Brain, Turn
from domain.agent.brain_context import BrainContext
from domain.agent.lookup import looks_up, order_to_find
from domain.agent.plan import ON_ORDERS, ActionKind, PlannedAction, Warrant
from domain.agent.policy_context import Connection, Spent
from domain.agent.rulebook import ActionLevel, ActionRule, MoneyLimits, Rulebook
from domain.agent.thinking import think_through
from domain.agent.thinking_result import ThinkingResult
from domain.agent.thread import Thread
from domain.core.money import Money
from domain.intake.event import InboundEvent, UnifiedEvent
from domain.intake.normalization import normalize
from domain.intake.order_number import with_asked_number
from domain.integrations.order import Lookup, LookupState, Order, OrderState
from domain.integrations.providers import Provider
from domain.playbooks.playbook import DEFAULT_THRESHOLD
from domain.runs.run import RunDraft, review_reason
from tests.support.agent.exchanges import (
    OWN_NUMBERS,
    STRANGERS_NUMBER,
    GreedyBrain,
    greedy_brains,
    last_named,
    messages,
    numbers_in,
)


class Change(Enum):
    """A possible change between two messages: the orders' totals, or the merchant's rules."""

    SUM = auto()
    RULES = auto()


NOW: Final = datetime(2026, 3, 4, 12, tzinfo=UTC)
CUSTOMER: Final = "jean@example.com"
SHOP: Final = Connection(integration_id="shop", provider=Provider.SHOPIFY)
LIMITS: Final = MoneyLimits(currency="EUR", per_action=1_000_000)
STATES: Final = st.tuples(*(st.sampled_from(OrderState) for _ in OWN_NUMBERS))
LEVELS: Final = st.sampled_from([*ActionLevel, ActionLevel.AUTONOMOUS, ActionLevel.AUTONOMOUS])
STEPS: Final = st.one_of(*[messages()] * 6, st.sampled_from(Change))
ALL_OPEN: Final = (OrderState.OPEN,) * len(OWN_NUMBERS)


@dataclass
class Exchange:
    """One customer's conversation with the agent, the orders, and the executed actions."""

    brain: Brain
    level: ActionLevel
    states: tuple[OrderState, ...] = ALL_OPEN
    thread: Thread = field(default_factory=Thread)
    said: list[str] = field(default_factory=list)
    turns: tuple[Turn, ...] = ()
    done: list[PlannedAction] = field(default_factory=list)
    changes: Counter[Change] = field(default_factory=Counter)

    @property
    def _playbook(self) -> tuple[str, int]:
        return ("playbook", 1 + self.changes[Change.RULES])

    async def go_through(self, steps: Sequence[str | Change]) -> None:
        for step in steps:
            if isinstance(step, Change):
                self.changes[step] += 1
            else:
                await self.hear(step)

    async def hear(self, text: str) -> None:
        """Process one message as the product does; check the agent's actions."""
        event = _event(text, self.thread)
        lookup = self._look_up(event)
        order = lookup.order if lookup else None
        before = frozenset(it.kind for it in self.done if order and it.order_id == order.id)
        thought = await think_through(self.brain, self._context(event, lookup, before), NOW)
        self.said.append(text)
        if review_reason(RunDraft.of(thought), DEFAULT_THRESHOLD) is None:
            self._check(thought, order)
            self.thread = thought.thread
        else:
            self.thread = thought.thread.without_question
        self.turns += (Turn(author="customer", body=text), Turn(author="agent", body=thought.text))

    def _check(self, thought: ThinkingResult, order: Order | None) -> None:
        acted = [action for action in thought.plan if action.kind in ON_ORDERS]
        assert len(acted) <= 1
        for action in acted:
            assert order is not None
            assert (action.order_id, action.amount) == (order.id, order.refundable)
            assert self.level in (ActionLevel.AUTONOMOUS, ActionLevel.CUSTOMER_CONFIRMED)
            assert action.order_id not in [one.order_id for one in self.done], "twice"
            assert action.order_number in OWN_NUMBERS
            self._check_word(action)
            self.done.append(action)

    def _check_word(self, action: PlannedAction) -> None:
        number = action.order_number or ""
        if action.warrant is Warrant.CONFIRMATION:
            asked = self.thread.proposal
            assert asked is not None, "a yes to nothing"
            assert (asked.action.order_id, asked.action.kind) == (action.order_id, action.kind)
            assert asked.action.amount == action.amount
            assert (asked.playbook_id, asked.playbook_version) == self._playbook, "other rules"
            assert numbers_in(self.turns[-1].body) == {number}, "a yes to another question"
        else:
            assert action.warrant is Warrant.REQUEST
            assert self.level is ActionLevel.AUTONOMOUS
            assert last_named(self.said) == {number}, "not the one order that was named last"

    def _context(
        self, event: UnifiedEvent, lookup: Lookup | None, before: frozenset[ActionKind]
    ) -> BrainContext:
        rule = ActionRule(level=self.level, limits=LIMITS)
        return BrainContext(
            event=event,
            brand_name="Maison Test",
            rulebook=Rulebook(actions=dict.fromkeys(ON_ORDERS, rule)),
            templates=(),
            passages=(),
            turns=self.turns,
            lookup=lookup,
            connections=(SHOP,),
            spent=Spent(on_order=before),
            has_shop=True,
            thread=self.thread,
            run_id=f"run-{len(self.said)}",
            playbook=self._playbook,
        )

    def _look_up(self, event: UnifiedEvent) -> Lookup | None:
        if not looks_up(event, self.thread):
            return None
        number = order_to_find(event, self.thread)
        orders = [
            _order(number, state, days + 3 * self.changes[Change.SUM])
            for days, (number, state) in enumerate(zip(OWN_NUMBERS, self.states, strict=True))
        ]
        if number is None:
            return Lookup(state=LookupState.FOUND, order=orders[0])
        if number == STRANGERS_NUMBER:
            return Lookup(state=LookupState.NOT_THEIRS, number=number)
        found = next((it for it in orders if it.number.casefold() == number.casefold()), None)
        state = LookupState.FOUND if found else LookupState.NOT_FOUND
        return Lookup(state=state, order=found, number=number)


def _event(text: str, thread: Thread) -> UnifiedEvent:
    inbound = InboundEvent(event_type="api_direct", customer_email=CUSTOMER, message=text)
    event = normalize(inbound, fallback_ticket_id="T")
    return with_asked_number(event) if thread.asked_number or thread.proposal else event


def _order(number: str, state: OrderState, days: int) -> Order:
    """Return an order. `days`: its age. Its total depends on its age."""
    worth = Money(minor=4_900 + days, currency="EUR")
    return Order(
        integration_id=SHOP.integration_id,
        provider=SHOP.provider,
        id=f"id-{number}",
        number=number,
        customer_email=CUSTOMER,
        state=state,
        total=worth,
        refundable=worth,
        placed_at=NOW - timedelta(days=days),
    )


@settings(max_examples=500)
@given(st.lists(STEPS, min_size=1, max_size=6), greedy_brains(), LEVELS, STATES)
@example(["Refund order 2040 please."], GreedyBrain(None), ActionLevel.AUTONOMOUS, ALL_OPEN)
@example(
    ["Where is my order?", "Please refund it."],
    GreedyBrain(ActionKind.REFUND, names=True),
    ActionLevel.AUTONOMOUS,
    ALL_OPEN,
)
@example(
    ["Where is order 2040?", "And my other order?", "Please refund it."],
    GreedyBrain(ActionKind.REFUND),
    ActionLevel.AUTONOMOUS,
    ALL_OPEN,
)
@example(
    ["It is about order 2040.", "It is about order 7700.", "Please refund it."],
    GreedyBrain(ActionKind.REFUND),
    ActionLevel.AUTONOMOUS,
    ALL_OPEN,
)
@example(
    ["I want my money back.", "2040", "Yes please", "Yes please"],
    GreedyBrain(ActionKind.REFUND),
    ActionLevel.AUTONOMOUS,
    ALL_OPEN,
)
async def test_no_order_is_touched_that_was_not_named_and_none_twice(
    steps: list[str | Change],
    brain: GreedyBrain,
    level: ActionLevel,
    states: tuple[OrderState, ...],
) -> None:
    note(f"{steps} {vars(brain)} {level} {states}")
    await Exchange(brain, level, states).go_through(steps)


@pytest.mark.parametrize(
    ("steps", "level", "done"),
    [
        (["Refund order 2040 please."], ActionLevel.AUTONOMOUS, ["2040"]),
        (["Refund order 2040 please."], ActionLevel.CUSTOMER_CONFIRMED, []),
        (["Refund order 2040 please.", "Yes please"], ActionLevel.CUSTOMER_CONFIRMED, ["2040"]),
        (["Refund order 2040 please.", Change.SUM, "Yes"], ActionLevel.CUSTOMER_CONFIRMED, []),
        (["Refund order 2040 please.", Change.RULES, "Yes"], ActionLevel.CUSTOMER_CONFIRMED, []),
        (["Refund order 2040 please."] * 2, ActionLevel.AUTONOMOUS, ["2040"]),
        (["Where is order 2040?", "Please refund it."], ActionLevel.AUTONOMOUS, ["2040"]),
        (["I want my money back.", "2040", "Yes"], ActionLevel.AUTONOMOUS, ["2040"]),
        (["Refund order 2040 please. My 2041 is fine."], ActionLevel.AUTONOMOUS, []),
        (["Refund order 2040 please. My 2041 is fine.", "Yes"], ActionLevel.AUTONOMOUS, ["2040"]),
        (["Refund order 2040 please."], ActionLevel.HUMAN_APPROVED, []),
        (["I want my money back."], ActionLevel.AUTONOMOUS, []),
        (["Refund order 7700 please."], ActionLevel.AUTONOMOUS, []),
    ],
)
async def test_these_exchanges_do_act_so_that_the_property_says_something(
    steps: list[str | Change], level: ActionLevel, done: list[str]
) -> None:
    exchange = Exchange(GreedyBrain(ActionKind.REFUND), level)

    await exchange.go_through(steps)

    assert [action.order_number for action in exchange.done] == done
