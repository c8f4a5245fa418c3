"""Requirements for an action on an order: requested, identified, owned by the customer."""

import pytest

from domain.agent.brain import Proposal
from domain.agent.escalation_reason import EscalationReason
from domain.agent.plan import ActionKind, Warrant
from domain.agent.policy_decision import PolicyReason, Ruling
from domain.agent.rulebook import ActionLevel, ActionRule
from domain.agent.thread import Thread
from tests.support.agent.policy import CANCEL, REFUND, REFUND_49, judged, kinds, rechecked, ruling
from tests.support.agent.policy_context import LIMITS, a_situation, an_event, an_order, with_rule

BOUND = Thread(order_number="1042", named_by_customer=True)
CONFIRMED = ActionRule(level=ActionLevel.CUSTOMER_CONFIRMED, limits=LIMITS)


def test_a_plain_request_for_a_named_order_is_a_warrant() -> None:
    judgement = judged(a_situation(), REFUND)

    assert ruling(judgement, REFUND) == (Ruling.ALLOWED, None)
    assert judgement.plan[0].warrant is Warrant.REQUEST


@pytest.mark.parametrize(
    ("text", "numbers", "thread", "reason"),
    [
        ("I want a refund.", (), Thread(), PolicyReason.ORDER_NOT_NAMED),
        ("I want a refund.", ("1043",), Thread(), PolicyReason.ORDER_NOT_NAMED),
        ("I want a refund.", ("1043",), BOUND, PolicyReason.ORDER_NOT_NAMED),
        (
            "I want a refund for 1042 and 1043.",
            ("1042", "1043"),
            BOUND,
            PolicyReason.SEVERAL_ORDERS,
        ),
        ("I want a refund.", (), Thread(order_number="1043"), PolicyReason.ORDER_NOT_NAMED),
        ("I want a refund.", (), Thread(order_number="1042"), PolicyReason.NOT_CERTAIN),
    ],
)
def test_the_order_must_be_certain(
    text: str, numbers: tuple[str, ...], thread: Thread, reason: PolicyReason
) -> None:
    event = an_event(text=text, numbers=numbers)

    judgement = judged(a_situation(event=event).model_copy(update={"thread": thread}), REFUND)

    assert ruling(judgement, REFUND) == (Ruling.ASK, reason)
    assert REFUND not in kinds(judgement.plan)
    assert judgement.question is not None
    certain = reason is PolicyReason.NOT_CERTAIN
    assert (judgement.question.action is not None) is certain


def test_of_two_numbers_the_one_in_the_words_that_ask_is_asked_about() -> None:
    event = an_event(
        text="Leave order 1043 alone. Please refund order 1042.", numbers=("1043", "1042")
    )

    judgement = judged(a_situation(event=event), REFUND)

    assert ruling(judgement, REFUND) == (Ruling.ASK, PolicyReason.NOT_CERTAIN)
    assert judgement.question is not None
    assert judgement.question.action is not None


@pytest.mark.parametrize("text", ["Please refund my other order.", "Remboursez mon autre commande"])
def test_another_order_than_the_one_spoken_of_is_asked_for(text: str) -> None:
    """Although a subject, a field or the thread names one."""
    subject = an_event(text=text, numbers=("1042",))
    bound = a_situation(event=an_event(text=text, numbers=()))

    for policy_context in (
        a_situation(event=subject),
        bound.model_copy(update={"thread": BOUND}),
    ):
        found = ruling(judged(policy_context, REFUND), REFUND)
        assert found == (Ruling.ASK, PolicyReason.ORDER_NOT_NAMED)


def test_an_order_that_the_customer_named_before_is_certain() -> None:
    event = an_event(text="Please refund it.", numbers=())

    judgement = judged(a_situation(event=event).model_copy(update={"thread": BOUND}), REFUND)

    assert judgement.plan[0].warrant is Warrant.REQUEST


@pytest.mark.parametrize("kind", [REFUND, CANCEL])
def test_nothing_is_done_that_was_not_asked_for(kind: ActionKind) -> None:
    event = an_event(text="Where is order 1042?")

    judgement = judged(a_situation(event=event), kind)

    assert ruling(judgement, kind) == (Ruling.REFUSED, PolicyReason.NOT_ASKED)
    assert judgement.doubt is EscalationReason.POLICY_RESTRICTION


def test_what_only_a_model_sees_is_asked_back_if_the_words_are_there() -> None:
    text = "Order 1042: take the whole purchase back off my bill, please."
    said = Proposal(kind=CANCEL, quote="take the whole purchase back off my bill")
    made_up = Proposal(kind=CANCEL, quote="please cancel my order")
    policy_context = a_situation(event=an_event(text=text))

    assert ruling(judged(policy_context, said), CANCEL) == (Ruling.ASK, PolicyReason.NOT_CERTAIN)
    assert ruling(judged(policy_context, made_up), CANCEL)[0] is Ruling.REFUSED


def test_a_mail_that_nobody_vouches_for_authorises_nothing() -> None:
    event = an_event().model_copy(update={"proved": None, "mailed_back": True})

    judgement = judged(a_situation(event=event), REFUND)

    reason = PolicyReason.SENDER_NOT_AUTHENTICATED
    assert ruling(judgement, REFUND) == (Ruling.NEEDS_APPROVAL, reason)
    assert rechecked(judgement.plan[0], an_order()) is PolicyReason.NOT_ASKED
    assert rechecked(judgement.plan[0], an_order(), approvals=1) is None


def test_customer_confirmed_asks_even_after_a_plain_request() -> None:
    policy_context = a_situation(rulebook=with_rule(REFUND, CONFIRMED))
    after_yes = policy_context.model_copy(update={"confirmed": REFUND})

    asked, done = judged(policy_context, REFUND), judged(after_yes, REFUND)

    assert ruling(asked, REFUND) == (Ruling.ASK, PolicyReason.NOT_CONFIRMED)
    assert asked.question is not None
    assert asked.question.action == REFUND_49.model_copy(update={"warrant": None})
    assert done.plan[0].warrant is Warrant.CONFIRMATION


def test_at_a_level_for_people_nobody_is_asked_back() -> None:
    rule = ActionRule(level=ActionLevel.HUMAN_APPROVED, limits=LIMITS)
    policy_context = a_situation(event=an_event(numbers=()), rulebook=with_rule(REFUND, rule))

    judgement = judged(policy_context, REFUND)

    assert ruling(judgement, REFUND) == (Ruling.REFUSED, PolicyReason.ORDER_NOT_NAMED)
    assert judgement.question is None


@pytest.mark.parametrize(
    ("level", "warrant", "approvals", "reason"),
    [
        (ActionLevel.AUTONOMOUS, None, 0, PolicyReason.NOT_ASKED),
        (ActionLevel.AUTONOMOUS, None, 1, None),
        (ActionLevel.AUTONOMOUS, Warrant.REQUEST, 0, None),
        (ActionLevel.AUTONOMOUS, Warrant.CONFIRMATION, 0, None),
        (ActionLevel.CUSTOMER_CONFIRMED, Warrant.REQUEST, 0, PolicyReason.NOT_CONFIRMED),
        (ActionLevel.CUSTOMER_CONFIRMED, Warrant.REQUEST, 1, None),
        (ActionLevel.CUSTOMER_CONFIRMED, Warrant.CONFIRMATION, 0, None),
        (ActionLevel.HUMAN_APPROVED, Warrant.CONFIRMATION, 0, PolicyReason.LEVEL_HUMAN),
    ],
)
def test_the_warrant_is_looked_at_again_when_the_turn_comes(
    level: ActionLevel, warrant: Warrant | None, approvals: int, reason: PolicyReason | None
) -> None:
    action = REFUND_49.model_copy(update={"warrant": warrant})
    rulebook = with_rule(REFUND, ActionRule(level=level, limits=LIMITS))

    assert rechecked(action, an_order(), rulebook=rulebook, approvals=approvals) is reason
