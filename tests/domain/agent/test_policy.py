"""What the policy allows, holds for review and refuses, and the order of its plan."""

from typing import Final

import pytest

from domain.agent.brain import Category, Proposal
from domain.agent.escalation_reason import EscalationReason
from domain.agent.plan import ActionKind
from domain.agent.policy import available_actions
from domain.agent.policy_context import Spent
from domain.agent.policy_decision import PolicyReason, Ruling
from domain.agent.rulebook import ActionLevel, ActionRule, MoneyLimits
from domain.intake.event import Channel, UnifiedEvent
from domain.integrations.order import OrderState
from tests.support.agent.policy import (
    CANCEL,
    NOTE,
    REFUND,
    REPLY_THERE,
    TAG,
    judged,
    kinds,
    ruling,
)
from tests.support.agent.policy_context import (
    CANCELLING,
    LIMITS,
    NOW,
    a_situation,
    an_event,
    an_order,
    with_rule,
)

TAG_LATE: Final = Proposal(kind=TAG, tags=("late",))


def test_actions_come_first_and_the_reply_last() -> None:
    judgement = judged(a_situation(), Proposal(kind=NOTE, text="Refunded."), TAG_LATE, REFUND)

    assert kinds(judgement.plan) == [REFUND, TAG, NOTE, REPLY_THERE]
    assert judgement.doubt is None
    assert not judgement.refused
    assert not judgement.needs_second


def test_duplicates_collapse() -> None:
    judgement = judged(
        a_situation(),
        REFUND,
        TAG_LATE,
        REFUND,
        Proposal(kind=TAG, tags=("refund", "late")),
        Proposal(kind=NOTE, text="first"),
        Proposal(kind=NOTE, text="second"),
    )

    assert kinds(judgement.plan) == [REFUND, TAG, NOTE, REPLY_THERE]
    assert judgement.plan[1].tags == ("refund", "late")
    assert judgement.plan[2].text == "first"


def test_a_cancellation_covers_the_refund() -> None:
    judgement = judged(a_situation(event=CANCELLING), REFUND, CANCEL)

    assert kinds(judgement.plan) == [CANCEL, REPLY_THERE]
    assert ruling(judgement, REFUND) == (Ruling.REFUSED, PolicyReason.COVERED_BY_CANCEL)


def test_a_refund_stands_where_the_cancellation_is_refused() -> None:
    policy_context = a_situation(order=an_order(state=OrderState.SHIPPED))

    judgement = judged(policy_context, REFUND, CANCEL)

    assert ruling(judgement, REFUND) == (Ruling.ALLOWED, None)
    assert ruling(judgement, CANCEL) == (Ruling.REFUSED, PolicyReason.ORDER_STATE)
    assert judgement.doubt is EscalationReason.POLICY_RESTRICTION


def test_a_message_cannot_invent_a_tag() -> None:
    mixed = judged(a_situation(), Proposal(kind=TAG, tags=("vip_refund_approved", "late")))
    invented = judged(a_situation(), Proposal(kind=TAG, tags=("vip_refund_approved",)))

    assert mixed.plan[0].tags == ("late",)
    assert kinds(invented.plan) == [REPLY_THERE]
    assert ruling(invented, TAG) == (Ruling.REFUSED, PolicyReason.NOT_OFFERED)


def test_a_note_is_bounded_and_never_empty() -> None:
    long = judged(a_situation(), Proposal(kind=NOTE, text="x\x00" * 5_000))
    blank = judged(a_situation(), Proposal(kind=NOTE, text=" \n\u200b"))

    assert long.plan[0].text == "x" * 2_000
    assert kinds(blank.plan) == [REPLY_THERE]


def test_the_wrong_category_is_refused() -> None:
    rule = ActionRule(level=ActionLevel.AUTONOMOUS, categories=(Category.REFUND_REQUEST,))
    policy_context = a_situation(event=CANCELLING, rulebook=with_rule(CANCEL, rule))

    right = judged(policy_context, CANCEL)
    wrong = judged(policy_context, CANCEL, category=Category.ORDER_STATUS)

    assert ruling(right, CANCEL)[0] is Ruling.ALLOWED
    assert ruling(wrong, CANCEL) == (Ruling.REFUSED, PolicyReason.WRONG_CATEGORY)


def test_an_order_that_was_only_told_of_is_never_acted_on() -> None:
    told = an_order().model_copy(update={"told_at": NOW})
    policy_context = a_situation(order=told)

    assert {REFUND, CANCEL}.isdisjoint(kinds(available_actions(policy_context)))
    assert ruling(judged(policy_context, REFUND), REFUND) == (
        Ruling.REFUSED,
        PolicyReason.ORDER_NOT_LIVE,
    )


def test_a_disputed_order_waits_for_people() -> None:
    disputed = an_order().model_copy(update={"is_disputed": True})

    refund = judged(a_situation(order=disputed), REFUND)
    cancel = judged(a_situation(order=disputed, event=CANCELLING), CANCEL)
    asked = ActionRule(level=ActionLevel.CUSTOMER_CONFIRMED, limits=LIMITS)
    confirmed = judged(a_situation(order=disputed, rulebook=with_rule(REFUND, asked)), REFUND)

    waits = (Ruling.NEEDS_APPROVAL, PolicyReason.ORDER_DISPUTED)
    assert ruling(refund, REFUND) == ruling(confirmed, REFUND) == waits
    assert ruling(cancel, CANCEL) == waits
    assert refund.doubt is EscalationReason.POLICY_RESTRICTION


def test_an_order_of_the_same_number_elsewhere_waits_for_people() -> None:
    refund = judged(a_situation().model_copy(update={"spent": Spent(same_number=True)}), REFUND)
    waits = (Ruling.NEEDS_APPROVAL, PolicyReason.SAME_NUMBER_DONE)
    assert ruling(refund, REFUND) == waits


def test_a_level_for_humans_makes_the_whole_plan_wait() -> None:
    rule = ActionRule(level=ActionLevel.HUMAN_APPROVED, limits=LIMITS)

    judgement = judged(a_situation(rulebook=with_rule(REFUND, rule)), REFUND)

    assert ruling(judgement, REFUND) == (Ruling.NEEDS_APPROVAL, PolicyReason.LEVEL_HUMAN)
    assert kinds(judgement.plan) == [REFUND, REPLY_THERE]
    assert judgement.doubt is EscalationReason.POLICY_RESTRICTION
    assert not judgement.needs_second


@pytest.mark.parametrize(
    ("refundable", "currency", "spent", "reason"),
    [
        (5_000, "EUR", Spent(), None),
        (5_001, "EUR", Spent(), PolicyReason.ABOVE_PER_ACTION),
        (5_000, "EUR", Spent(customer=5_000), None),
        (5_000, "EUR", Spent(customer=5_001), PolicyReason.ABOVE_PER_CUSTOMER),
        (1, "EUR", Spent(day=49_999), None),
        (1, "EUR", Spent(day=50_000), PolicyReason.ABOVE_PER_DAY),
        (1, "USD", Spent(), PolicyReason.OTHER_CURRENCY),
    ],
)
@pytest.mark.parametrize("level", [ActionLevel.AUTONOMOUS, ActionLevel.HUMAN_APPROVED])
def test_above_a_limit_two_must_agree(
    refundable: int, currency: str, spent: Spent, reason: PolicyReason | None, level: ActionLevel
) -> None:
    policy_context = a_situation(
        order=an_order(refundable=refundable, currency=currency),
        rulebook=with_rule(REFUND, ActionRule(level=level, limits=LIMITS)),
    ).model_copy(update={"spent": spent})

    judgement = judged(policy_context, REFUND)

    assert judgement.needs_second is (reason is not None)
    if reason:
        assert ruling(judgement, REFUND) == (Ruling.NEEDS_SECOND, reason)
        assert judgement.doubt is EscalationReason.POLICY_RESTRICTION


def test_limits_bind_a_cancellation_too() -> None:
    limits = MoneyLimits(currency="EUR", per_action=100)
    rule = ActionRule(level=ActionLevel.AUTONOMOUS, limits=limits)

    judgement = judged(a_situation(event=CANCELLING, rulebook=with_rule(CANCEL, rule)), CANCEL)

    assert ruling(judgement, CANCEL) == (Ruling.NEEDS_SECOND, PolicyReason.ABOVE_PER_ACTION)


def test_unsafe_input_leaves_only_the_answer_and_it_waits() -> None:
    judgement = judged(a_situation(unsafe=True), REFUND, CANCEL, TAG_LATE)

    assert available_actions(a_situation(unsafe=True)) == ()
    assert kinds(judgement.plan) == [REPLY_THERE]
    assert judgement.doubt is EscalationReason.UNSAFE_INPUT
    assert judged(a_situation(unsafe=True)).doubt is EscalationReason.UNSAFE_INPUT


HELPDESK = an_event()
MAIL = an_event(channel=Channel.EMAIL, platform="email")


@pytest.mark.parametrize(
    ("event", "reply"),
    [
        (HELPDESK, REPLY_THERE),
        (an_event(named=False), ActionKind.REPLY),
        (an_event(platform="freshdesk"), ActionKind.REPLY),
        (an_event(platform="gorgias"), ActionKind.REPLY),
        (MAIL, ActionKind.REPLY_BY_EMAIL),
        (an_event(channel=Channel.EMAIL, platform="email", email=None), ActionKind.REPLY),
        (an_event(channel=Channel.SHOP, platform="shopify"), ActionKind.REPLY),
        (an_event(channel=Channel.WIDGET, platform="widget", email=None), ActionKind.REPLY),
        (an_event(channel=Channel.API, platform="api_direct"), ActionKind.REPLY),
        (an_event(reply_allowed=False), None),
        (an_event(channel=Channel.EMAIL, platform="email", reply_allowed=False), None),
    ],
)
def test_the_answer_goes_where_the_customer_wrote(
    event: UnifiedEvent, reply: ActionKind | None
) -> None:
    judgement = judged(a_situation(event=event))

    assert kinds(judgement.plan) == ([reply] if reply else [])
    assert judgement.doubt is None
    if reply is REPLY_THERE:
        assert (judgement.plan[0].integration_id, judgement.plan[0].ticket_id) == ("desk", "T-1")


@pytest.mark.parametrize(
    ("level", "planned"),
    [(ActionLevel.HUMAN_APPROVED, [ActionKind.REPLY_BY_EMAIL]), (ActionLevel.NEVER, [])],
)
def test_the_level_of_the_answer_itself(level: ActionLevel, planned: list[ActionKind]) -> None:
    rulebook = with_rule(ActionKind.REPLY_BY_EMAIL, ActionRule(level=level))

    judgement = judged(a_situation(event=MAIL, rulebook=rulebook))

    assert kinds(judgement.plan) == planned
    assert judgement.doubt is EscalationReason.POLICY_RESTRICTION
