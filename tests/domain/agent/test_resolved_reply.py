"""The answer to the agent's own question: a yes executes exactly the proposed action, once."""

from datetime import timedelta
from typing import Final

import pytest

from domain.agent.brain import BrainAnswer, BrainRequest, Category, Proposal
from domain.agent.brain_context import BrainContext
from domain.agent.plan import ActionKind, Warrant
from domain.agent.rulebook import ActionLevel, ActionRule, Rulebook
from domain.agent.thinking import think_through
from domain.agent.thinking_result import ThinkingResult
from domain.agent.thread import PROPOSAL_LASTS, Thread
from domain.intake.event import UnifiedEvent
from domain.integrations.order import Lookup, LookupState, Order, OrderState
from tests.support.agent.policy import REFUND, kinds
from tests.support.agent.policy_context import (
    DESK,
    FREE_HAND,
    LIMITS,
    NOW,
    SHOP,
    an_event,
    an_order,
    with_rule,
)
from tests.support.intake.proof import proved

CONFIRMED: Final = with_rule(
    REFUND, ActionRule(level=ActionLevel.CUSTOMER_CONFIRMED, limits=LIMITS)
)
LATER: Final = NOW + timedelta(minutes=5)


class AskedBrain:
    """Answers a refund request; `asked` counts the calls."""

    def __init__(self, *proposals: Proposal) -> None:
        self.proposals = proposals
        self.asked = 0

    async def think(self, _: BrainRequest) -> BrainAnswer:
        self.asked += 1
        return BrainAnswer(
            classification=Category.REFUND_REQUEST,
            confidence=0.4,
            language="en",
            response="A colleague will look at it.",
            proposals=self.proposals,
            model="fake",
        )


def context(
    event: UnifiedEvent,
    *,
    thread: Thread | None = None,
    order: Order | None = None,
    rulebook: Rulebook = CONFIRMED,
    playbook: tuple[str, int] = ("P", 1),
) -> BrainContext:
    order = order or an_order()
    return BrainContext(
        event=event,
        brand_name="Maison Test",
        rulebook=rulebook,
        templates=(),
        passages=(),
        lookup=Lookup(state=LookupState.FOUND, order=order, number="1042"),
        connections=(SHOP, DESK),
        has_shop=True,
        thread=thread or Thread(),
        run_id="RUN",
        playbook=playbook,
    )


async def asked() -> ThinkingResult:
    """Return the result of a plain request if the customer must confirm."""
    brain = AskedBrain(Proposal(kind=REFUND))
    return await think_through(brain, context(an_event()), NOW)


def says(text: str, *numbers: str) -> UnifiedEvent:
    return an_event(text=text, numbers=numbers)


async def test_a_request_is_asked_back_and_a_yes_carries_it_out() -> None:
    first, brain = await asked(), AskedBrain()

    second = await think_through(brain, context(says("Yes please"), thread=first.thread), LATER)

    assert "49.90 EUR" in first.text
    assert "1042" in first.text
    assert (first.hold, kinds(first.plan)) == (None, [ActionKind.REPLY_IN_HELPDESK])
    assert brain.asked == 0
    assert second.hold is None
    assert second.plan[0].kind is REFUND
    assert second.plan[0].warrant is Warrant.CONFIRMATION
    assert "49.90 EUR" in second.text
    assert second.thread.proposal is None


async def test_a_no_does_nothing_and_drops_it() -> None:
    first = await asked()

    second = await think_through(
        AskedBrain(), context(says("No thanks"), thread=first.thread), LATER
    )

    assert kinds(second.plan) == [ActionKind.REPLY_IN_HELPDESK]
    assert (second.hold, second.thread.proposal) == (None, None)


@pytest.mark.parametrize(
    "words", ["Yes, but only the shipping fee", "How long does it take?", "Yes if it is today"]
)
async def test_anything_else_drops_it_and_is_read_as_a_message(words: str) -> None:
    first, brain = await asked(), AskedBrain()

    second = await think_through(brain, context(says(words), thread=first.thread), LATER)

    assert brain.asked == 1
    assert REFUND not in kinds(second.plan)
    assert second.thread.proposal is None


@pytest.mark.parametrize(
    ("order", "playbook", "later"),
    [
        (an_order(refundable=2_000), ("P", 1), timedelta(minutes=5)),
        (an_order().model_copy(update={"id": "order-2"}), ("P", 1), timedelta(minutes=5)),
        (an_order(), ("P", 2), timedelta(minutes=5)),
        (an_order(), ("Q", 1), timedelta(minutes=5)),
        (an_order(), ("P", 1), PROPOSAL_LASTS),
        (an_order(refundable=0), ("P", 1), timedelta(minutes=5)),
    ],
)
async def test_a_proposal_is_void_when_order_sum_or_rules_have_changed_or_its_time_is_over(
    order: Order, playbook: tuple[str, int], later: timedelta
) -> None:
    first = await asked()
    answer = context(says("Yes"), thread=first.thread, order=order, playbook=playbook)

    second = await think_through(AskedBrain(), answer, NOW + later)

    assert REFUND not in kinds(second.plan)


async def test_a_changed_sum_is_asked_about_anew() -> None:
    first = await asked()
    answer = context(says("Yes"), thread=first.thread, order=an_order(refundable=2_000))

    second = await think_through(AskedBrain(), answer, LATER)

    assert "20.00 EUR" in second.text
    assert second.thread.proposal is not None


@pytest.mark.parametrize(
    "change",
    [
        {"customer_email": "eve@example.com"},
        {"proved": None},
        {"proved": None, "mailed_back": True},
        {"proved": proved("eve@example.com")},
    ],
)
async def test_a_yes_counts_only_from_who_was_asked(change: dict[str, object]) -> None:
    first = await asked()
    event = says("Yes").model_copy(update=change)

    second = await think_through(AskedBrain(), context(event, thread=first.thread), LATER)

    assert REFUND not in kinds(second.plan)


async def test_another_number_is_asked_about_and_not_done() -> None:
    first = await asked()
    other = an_order().model_copy(update={"id": "order-2", "number": "1044"})
    answer = context(says("No, 1044", "1044"), thread=first.thread, order=other)

    second = await think_through(AskedBrain(), answer, LATER)

    assert REFUND not in kinds(second.plan)
    assert "1044" in second.text
    assert second.thread.proposal is not None
    assert second.thread.proposal.action.order_id == "order-2"


async def test_without_a_number_it_is_asked_for_and_then_confirmed() -> None:
    free = context(says("I want a refund."), rulebook=FREE_HAND)
    first = await think_through(AskedBrain(Proposal(kind=REFUND)), free, NOW)
    named = context(says("1042", "1042"), thread=first.thread, rulebook=FREE_HAND)
    second = await think_through(AskedBrain(), named, LATER)
    yes = context(says("Yes"), thread=second.thread, rulebook=FREE_HAND)
    third = await think_through(AskedBrain(), yes, LATER)

    assert first.thread.asked_number is REFUND
    assert REFUND not in kinds((*first.plan, *second.plan))
    assert second.thread.proposal is not None
    assert kinds(third.plan)[0] is REFUND


async def test_a_yes_does_nothing_that_the_order_does_not_allow_any_more() -> None:
    cancel = ActionKind.CANCEL_ORDER
    rule = ActionRule(level=ActionLevel.CUSTOMER_CONFIRMED, limits=LIMITS)
    rulebook = with_rule(cancel, rule)
    event = an_event(text="Please cancel order 1042.")
    first = await think_through(
        AskedBrain(Proposal(kind=cancel)), context(event, rulebook=rulebook), NOW
    )
    shipped = an_order(state=OrderState.SHIPPED)
    answer = context(says("Yes"), thread=first.thread, order=shipped, rulebook=rulebook)

    second = await think_through(AskedBrain(), answer, LATER)

    assert first.thread.proposal is not None
    assert cancel not in kinds(second.plan)
