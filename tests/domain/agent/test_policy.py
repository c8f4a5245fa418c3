"""What the policy offers, allows, keeps for people and refuses."""

from collections.abc import Iterable
from datetime import timedelta
from typing import Final

import pytest

from domain.agent.brain import Category, Proposal
from domain.agent.escalation_reason import EscalationReason
from domain.agent.plan import ActionKind, PlannedAction
from domain.agent.policy import judge, offers, recheck
from domain.agent.rulebook import ActionLevel, ActionRule, MoneyLimits, Rulebook
from domain.agent.situation import Situation, Spent
from domain.agent.verdict import Judgement, PolicyReason, Ruling
from domain.core.money import Money
from domain.intake.event import Channel, UnifiedEvent
from domain.integrations.order import Order, OrderState
from tests.support.agent.situation import (
    CUSTOMER,
    DESK,
    FREE_HAND,
    LIMITS,
    NOW,
    SHOP,
    a_situation,
    an_event,
    an_order,
    with_rule,
)

REFUND, CANCEL = ActionKind.REFUND, ActionKind.CANCEL_ORDER
TAG, NOTE, REPLY_THERE = ActionKind.TAG, ActionKind.NOTE, ActionKind.REPLY_IN_HELPDESK
ALL: Final = (CANCEL, REFUND, TAG, NOTE)


def kinds(actions: Iterable[PlannedAction]) -> list[ActionKind]:
    return [action.kind for action in actions]


def judged(
    situation: Situation,
    *proposals: Proposal | ActionKind,
    category: Category = Category.REFUND_REQUEST,
) -> Judgement:
    made = (one if isinstance(one, Proposal) else Proposal(kind=one) for one in proposals)
    return judge(situation, category, tuple(made))


def ruling(judgement: Judgement, kind: ActionKind) -> tuple[Ruling, PolicyReason | None]:
    found = [verdict for verdict in judgement.verdicts if verdict.kind is kind]
    assert len(found) == 1
    return found[0].ruling, found[0].reason


def test_everything_is_offered_to_a_verified_owner() -> None:
    offered = {action.kind: action for action in offers(a_situation())}

    assert set(offered) == set(ALL)
    for kind in (REFUND, CANCEL):
        assert offered[kind].order_id == "order-1"
        assert offered[kind].integration_id == "shop"
        assert offered[kind].amount == Money(minor=4_990, currency="EUR")
    assert (offered[TAG].ticket_id, offered[TAG].integration_id) == ("T-1", "desk")
    assert offered[TAG].tags == ("refund", "late")


@pytest.mark.parametrize(
    ("situation", "kind", "reason"),
    [
        (a_situation(unsafe=True), REFUND, PolicyReason.UNSAFE_INPUT),
        (a_situation(unsafe=True), TAG, PolicyReason.UNSAFE_INPUT),
        (a_situation(event=an_event(verified=False)), REFUND, PolicyReason.NOT_THEIRS),
        (a_situation(event=an_event(email="eve@example.com")), CANCEL, PolicyReason.NOT_THEIRS),
        (a_situation(event=an_event(email=None)), REFUND, PolicyReason.NOT_THEIRS),
        (a_situation(order=an_order(owner=None)), REFUND, PolicyReason.NOT_THEIRS),
        (a_situation(event=an_event(reply_allowed=False)), REFUND, PolicyReason.NOT_OFFERED),
        (a_situation(event=an_event(reply_allowed=False)), TAG, PolicyReason.NOT_OFFERED),
        (a_situation(connections=(DESK,)), REFUND, PolicyReason.NOT_OFFERED),
        (a_situation(connections=(SHOP,)), NOTE, PolicyReason.NOT_OFFERED),
        (a_situation(event=an_event(platform="gorgias")), TAG, PolicyReason.NOT_OFFERED),
        (a_situation(event=an_event(named=False)), NOTE, PolicyReason.NOT_OFFERED),
        (a_situation(order=an_order(refundable=0)), REFUND, PolicyReason.NOTHING_TO_REFUND),
        (a_situation(order=an_order(state=OrderState.SHIPPED)), CANCEL, PolicyReason.ORDER_STATE),
        (a_situation(order=an_order(days_old=30.01)), REFUND, PolicyReason.ORDER_TOO_OLD),
        (a_situation(rulebook=Rulebook()), REFUND, PolicyReason.LEVEL_NEVER),
        (a_situation(rulebook=Rulebook()), NOTE, PolicyReason.LEVEL_NEVER),
        (a_situation(), ActionKind.REPLY, PolicyReason.NOT_OFFERED),
    ],
)
def test_what_is_not_offered_is_refused_with_its_reason(
    situation: Situation, kind: ActionKind, reason: PolicyReason
) -> None:
    assert kind not in kinds(offers(situation))
    judgement = judged(situation, Proposal(kind=kind, text="a note", tags=("late",)))

    refused = [verdict for verdict in judgement.verdicts if verdict.ruling is Ruling.REFUSED]
    assert [(verdict.kind, verdict.reason) for verdict in refused] == [(kind, reason)]
    assert kind not in kinds(judgement.plan) or kind is ActionKind.REPLY
    assert judgement.refused
    assert judgement.doubt is not None


def test_what_nobody_knows_the_state_of_is_not_cancelled() -> None:
    """Stripe knows no parcels, and its connector refuses every cancellation."""
    paid = an_order(state=OrderState.UNKNOWN)

    assert kinds(offers(a_situation(order=paid, connections=(SHOP,)))) == [REFUND]
    assert ruling(judged(a_situation(order=paid), CANCEL), CANCEL) == (
        Ruling.REFUSED, PolicyReason.ORDER_STATE,
    )  # fmt: skip
    assert rechecked(CANCEL_49, paid) is PolicyReason.ORDER_STATE


def test_no_order_no_action_on_orders() -> None:
    situation = a_situation().model_copy(update={"order": None})

    assert kinds(offers(situation)) == [TAG, NOTE]
    assert ruling(judged(situation, REFUND), REFUND) == (
        Ruling.REFUSED, PolicyReason.NOT_OFFERED,
    )  # fmt: skip


@pytest.mark.parametrize(
    ("state", "refundable", "offered"),
    [
        (OrderState.OPEN, 100, [CANCEL, REFUND]),
        (OrderState.OPEN, 0, [CANCEL]),
        (OrderState.SHIPPED, 100, [REFUND]),
        (OrderState.DELIVERED, 100, [REFUND]),
        (OrderState.CANCELLED, 100, [REFUND]),
        (OrderState.CANCELLED, 0, []),
    ],
)
def test_what_an_orders_state_allows(
    state: OrderState, refundable: int, offered: list[ActionKind]
) -> None:
    situation = a_situation(order=an_order(state=state, refundable=refundable), connections=(SHOP,))

    assert kinds(offers(situation)) == offered


@pytest.mark.parametrize("before", [REFUND, CANCEL])
def test_an_order_is_acted_upon_once(before: ActionKind) -> None:
    """A refund whose outcome is unknown must not be followed by a cancellation that refunds."""
    spent = Spent(on_order=frozenset({before}))
    situation = a_situation().model_copy(update={"spent": spent})

    assert kinds(offers(situation)) == [TAG, NOTE]
    assert ruling(judged(situation, REFUND), REFUND)[1] is PolicyReason.ALREADY_DONE


def test_actions_come_first_and_the_reply_last() -> None:
    judgement = judged(a_situation(), Proposal(kind=NOTE, text="Refunded."), TAG_LATE, REFUND)

    assert kinds(judgement.plan) == [REFUND, TAG, NOTE, REPLY_THERE]
    assert judgement.doubt is None
    assert not judgement.refused
    assert not judgement.needs_second


TAG_LATE: Final = Proposal(kind=TAG, tags=("late",))


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
    judgement = judged(a_situation(), REFUND, CANCEL)

    assert kinds(judgement.plan) == [CANCEL, REPLY_THERE]
    assert ruling(judgement, REFUND) == (Ruling.REFUSED, PolicyReason.COVERED_BY_CANCEL)


def test_a_refund_stands_where_the_cancellation_is_refused() -> None:
    situation = a_situation(order=an_order(state=OrderState.SHIPPED))

    judgement = judged(situation, REFUND, CANCEL)

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
    situation = a_situation(rulebook=with_rule(CANCEL, rule))

    right = judged(situation, CANCEL)
    wrong = judged(situation, CANCEL, category=Category.ORDER_STATUS)

    assert ruling(right, CANCEL)[0] is Ruling.ALLOWED
    assert ruling(wrong, CANCEL) == (Ruling.REFUSED, PolicyReason.WRONG_CATEGORY)


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
    situation = a_situation(
        order=an_order(refundable=refundable, currency=currency),
        rulebook=with_rule(REFUND, ActionRule(level=level, limits=LIMITS)),
    ).model_copy(update={"spent": spent})

    judgement = judged(situation, REFUND)

    assert judgement.needs_second is (reason is not None)
    if reason:
        assert ruling(judgement, REFUND) == (Ruling.NEEDS_SECOND, reason)
        assert judgement.doubt is EscalationReason.POLICY_RESTRICTION


def test_limits_bind_a_cancellation_too() -> None:
    limits = MoneyLimits(currency="EUR", per_action=100)
    rule = ActionRule(level=ActionLevel.AUTONOMOUS, limits=limits)

    judgement = judged(a_situation(rulebook=with_rule(CANCEL, rule)), CANCEL)

    assert ruling(judgement, CANCEL) == (Ruling.NEEDS_SECOND, PolicyReason.ABOVE_PER_ACTION)


def test_unsafe_input_leaves_only_the_answer_and_it_waits() -> None:
    judgement = judged(a_situation(unsafe=True), REFUND, CANCEL, TAG_LATE)

    assert offers(a_situation(unsafe=True)) == ()
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


def rechecked(
    action: PlannedAction,
    order: Order,
    *,
    spent: Spent | None = None,
    rulebook: Rulebook = FREE_HAND,
    email: str | None = CUSTOMER,
    approvals: int = 0,
    days_later: float = 0,
) -> PolicyReason | None:
    return recheck(
        action,
        rulebook,
        order,
        spent or Spent(),
        customer_email=email,
        approvals=approvals,
        now=NOW + timedelta(days=days_later),
    )


REFUND_49: Final = next(one for one in offers(a_situation()) if one.kind is REFUND)
CANCEL_49: Final = next(one for one in offers(a_situation()) if one.kind is CANCEL)


@pytest.mark.parametrize(
    ("order", "reason"),
    [
        (an_order(), None),
        (an_order(owner="eve@example.com"), PolicyReason.NOT_THEIRS),
        (an_order(refundable=0), PolicyReason.NOTHING_TO_REFUND),
        (an_order(refundable=2_000), PolicyReason.AMOUNT_CHANGED),
        (an_order(refundable=5_000), PolicyReason.AMOUNT_CHANGED),
        (an_order(currency="USD"), PolicyReason.AMOUNT_CHANGED),
        (an_order().model_copy(update={"id": "order-2"}), PolicyReason.NOT_THEIRS),
        (an_order().model_copy(update={"integration_id": "other"}), PolicyReason.NOT_THEIRS),
    ],
)
@pytest.mark.parametrize("approvals", [0, 1, 2, 3])
def test_nobody_can_approve_another_order(
    order: Order, reason: PolicyReason | None, approvals: int
) -> None:
    assert rechecked(REFUND_49, order, approvals=approvals) is reason


def test_recheck_sees_what_happened_meanwhile() -> None:
    shipped = an_order(state=OrderState.SHIPPED)
    done = Spent(on_order=frozenset({REFUND}))

    assert rechecked(CANCEL_49, an_order()) is None
    assert rechecked(CANCEL_49, shipped, approvals=2) is PolicyReason.ORDER_STATE
    assert rechecked(REFUND_49, an_order(), spent=done, approvals=2) is PolicyReason.ALREADY_DONE
    assert rechecked(REFUND_49, an_order(), email=None, approvals=2) is PolicyReason.NOT_THEIRS
    assert (
        rechecked(REFUND_49, an_order(), rulebook=Rulebook(), approvals=2)
        is PolicyReason.LEVEL_NEVER
    )


@pytest.mark.parametrize(
    ("approvals", "reason"), [(0, PolicyReason.ABOVE_PER_DAY), (1, PolicyReason.ABOVE_PER_DAY),
                              (2, None)]
)  # fmt: skip
def test_two_people_stand_in_for_a_limit(approvals: int, reason: PolicyReason | None) -> None:
    spent = Spent(day=50_000)

    assert rechecked(REFUND_49, an_order(), spent=spent, approvals=approvals) is reason


def test_one_person_stands_in_for_the_level_and_the_time_it_took() -> None:
    human = with_rule(REFUND, ActionRule(level=ActionLevel.HUMAN_APPROVED, limits=LIMITS))

    assert rechecked(REFUND_49, an_order(), rulebook=human) is PolicyReason.LEVEL_HUMAN
    assert rechecked(REFUND_49, an_order(), rulebook=human, approvals=1) is None
    assert rechecked(REFUND_49, an_order(), days_later=40) is PolicyReason.ORDER_TOO_OLD
    assert rechecked(REFUND_49, an_order(), days_later=40, approvals=1) is None
