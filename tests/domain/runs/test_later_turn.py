"""A later message during a review: a corrected number, or another subject."""

from time import thread_time

import pytest

from domain.agent.brain import BrainAnswer, Category
from domain.agent.escalation_reason import EscalationReason
from domain.agent.intent import Intent
from domain.agent.plan import ActionKind, PlannedAction
from domain.agent.policy_decision import Judgement
from domain.agent.rulebook import DuringReview
from domain.agent.size_limits import READ_CHARS
from domain.agent.thinking_result import ThinkingResult
from domain.intake.event import Channel, UnifiedEvent
from domain.intake.proved_address import ProofKind, ProvedAddress
from domain.runs.later_turn import (
    MOST_MERGED,
    LaterMessage,
    WaitingMatter,
    corrected_number,
    is_carried_out,
    may_answer,
    may_correct,
    merge_messages,
)

LEA = "lea@example.com"
REPLY = PlannedAction(kind=ActionKind.REPLY)


def refund_of(number: str) -> PlannedAction:
    return PlannedAction(kind=ActionKind.REFUND, order_id=number, order_number=number)


def event(text: str, *numbers: str, email: str = LEA, proved: bool = True) -> UnifiedEvent:
    return UnifiedEvent(
        channel=Channel.API,
        customer_email=email,
        text=text,
        order_number=numbers[0] if numbers else None,
        order_numbers=numbers,
        is_vouched=True,
        proved=ProvedAddress(address=email, by=ProofKind.VOUCHED) if proved else None,
    )


def later(text: str, *numbers: str, in_draft: bool = False, **more: object) -> LaterMessage:
    written = event(text, *numbers, **more)  # type: ignore[arg-type]
    return LaterMessage(text, written, None, is_in_draft=in_draft)


@pytest.mark.parametrize(
    "text",
    [
        "sorry, I mean 71002",
        "Sorry, wrong order. It is #71002.",
        "not 71001 but 71002",
        "I meant 71002, not 71001",
        "pardon, je voulais dire 71002",
        "Je me suis trompée, c'est la commande 71002",
        "71002",
    ],
)
def test_a_message_that_only_corrects_the_number(text: str) -> None:
    assert corrected_number(text, "71001") == "71002"


@pytest.mark.parametrize(
    "text",
    [
        "please refund order 71002",
        "Please cancel order 71002 too.",
        "where is 71002?",
        "sorry, I mean 71002 and when do you deliver?",
        "I don't mean 71002",
        "Also my order 71002 is late",
        "sorry, I mean 71001",
        "Bonjour, je voudrais être remboursée de ma commande n° 71002, merci.",
    ],
)
def test_a_message_that_says_more_corrects_nothing(text: str) -> None:
    assert corrected_number(text, "71001") is None
    assert corrected_number("sorry, I mean 71002", None) is None


def test_the_correction_takes_the_place_of_the_number() -> None:
    first = event("Please refund order 71001.", "71001")
    made = merge_messages(first, None, (refund_of("71001"), REPLY), [later("sorry, I mean 71002")])

    assert made is not None
    assert (made.event.text, made.event.order_numbers) == ("Please refund order 71002.", ("71002",))
    assert made.corrections == made.used == {"sorry, I mean 71002"}
    assert made.event.proved == first.proved


def test_a_plan_on_an_order_is_made_of_no_other_message() -> None:
    """Unless the plan was made with it."""
    first = event("Please refund order 71001.", "71001")
    plan = (refund_of("71001"), REPLY)
    assert merge_messages(first, None, plan, [later("The box was wet.")]) is None

    made = merge_messages(first, None, plan, [later("The box was wet.", in_draft=True)])
    assert made is not None
    assert made.event.text == "Please refund order 71001.\n\nThe box was wet."


def test_a_plan_of_words_is_made_of_all_messages() -> None:
    messages = [later("Please refund order 71001.", "71001"), later("sorry, I mean 71002")]
    made = merge_messages(event("My parcel is broken."), None, (REPLY,), messages)

    assert made is not None
    assert made.event.text == "My parcel is broken.\n\nPlease refund order 71002."
    assert made.used == {one.event_id for one in messages}


def test_many_messages_are_for_people() -> None:
    """A customer who writes without end costs no more than a few messages."""
    first, costly = event("My parcel is broken."), "#10421 cmd " * 700
    few = [later(f"Hello {n}.") for n in range(MOST_MERGED)]
    made = merge_messages(first, None, (REPLY,), few)
    assert made is not None
    assert len(made.used) == MOST_MERGED
    assert merge_messages(first, None, (REPLY,), [*few, later("Hello?")]) is None

    numbered = event("Please refund order 71001.", "71001")
    started = thread_time()
    assert merge_messages(numbered, None, (REPLY,), [later(costly)] * 350) is None
    assert merge_messages(numbered, None, (REPLY,), [later(costly)] * MOST_MERGED) is None
    assert thread_time() - started < 1


def test_a_message_that_is_too_long_corrects_nothing() -> None:
    text = "sorry, I mean 71002" + " " * READ_CHARS
    started = thread_time()
    assert corrected_number(text, "71001") is None
    assert not may_correct(event(text * 12))
    assert thread_time() - started < 0.1
    assert merge_messages(event("Hello."), None, (REPLY,), [later("x" * READ_CHARS)]) is None


@pytest.mark.parametrize(
    "message",
    [
        later("sorry, I mean 71002", email="eve@attacker.example"),
        later("sorry, I mean 71002", proved=False),
    ],
    ids=["another customer", "no proof"],
)
def test_a_sender_who_proves_less_changes_nothing(message: LaterMessage) -> None:
    first = event("Please refund order 71001.", "71001")
    assert merge_messages(first, None, (refund_of("71001"), REPLY), [message]) is None


def test_a_plan_carries_out_a_plain_request_alone() -> None:
    plan = (refund_of("71001"), REPLY)
    assert is_carried_out(later("Please refund order 71001.", "71001"), plan)
    assert not is_carried_out(later("Please refund order 71002.", "71002"), plan)
    assert not is_carried_out(later("Please cancel order 71001.", "71001"), plan)
    assert not is_carried_out(later("Please refund order 71001. And is it wet?", "71001"), plan)
    assert not is_carried_out(later("Is it wet?"), plan)


WAITING = WaitingMatter(
    intents=frozenset({Intent.REFUND}),
    category=Category.REFUND_REQUEST,
    orders=frozenset({"71001"}),
    is_sensitive=False,
    is_held=False,
)
ANSWERS = DuringReview(answers=True)


def thought(
    *intents: Intent,
    plan: tuple[PlannedAction, ...] = (REPLY,),
    confidence: float = 0.9,
    hold: EscalationReason | None = None,
    category: Category = Category.PRODUCT_QUESTION,
    text: str = "Yes.",
) -> ThinkingResult:
    answer = BrainAnswer(
        classification=category,
        intents=intents,
        confidence=confidence,
        language="en",
        response=text,
        model="m",
    )
    judgement = Judgement(plan=plan, verdicts=())
    return ThinkingResult(answer, judgement, (), hold, text)


def test_another_matter_is_answered() -> None:
    assert may_answer(thought(Intent.SIZE), 0.7, WAITING, ANSWERS)
    assert may_answer(thought(Intent.TRACK_ORDER), 0.7, WAITING, ANSWERS)
    assert may_answer(thought(), 0.7, WAITING, ANSWERS), "another class, both known"


@pytest.mark.parametrize(
    "one",
    [
        thought(Intent.REFUND_STATUS),
        thought(Intent.SIZE, Intent.RETURN),
        thought(Intent.THANKS),
        thought(Intent.CONTACT),
        thought(Intent.SIZE, confidence=0.6),
        thought(Intent.SIZE, hold=EscalationReason.POLICY_RESTRICTION),
        thought(Intent.SIZE, plan=()),
        thought(Intent.SIZE, text=""),
        thought(category=Category.REFUND_REQUEST),
        thought(category=Category.OTHER),
        thought(Intent.REFUND, plan=(refund_of("71002"), REPLY)),
    ],
)
def test_what_is_not_plainly_another_matter_waits(one: ThinkingResult) -> None:
    assert not may_answer(one, 0.7, WAITING, ANSWERS)


def test_actions_need_leave_and_another_order() -> None:
    acts = DuringReview(answers=True, actions=True)
    other = thought(Intent.REFUND, plan=(refund_of("71002"), REPLY))
    assert may_answer(other, 0.7, WAITING, acts)
    same = thought(Intent.CANCEL_ORDER, plan=(refund_of("71001"), REPLY))
    assert not may_answer(same, 0.7, WAITING, acts)


@pytest.mark.parametrize("field", ["is_held", "is_sensitive"])
def test_the_agent_is_silent_beside_people(field: str) -> None:
    values = {
        "intents": WAITING.intents,
        "category": WAITING.category,
        "orders": WAITING.orders,
        "is_sensitive": field == "is_sensitive",
        "is_held": field == "is_held",
    }
    assert not may_answer(thought(Intent.SIZE), 0.7, WaitingMatter(**values), ANSWERS)  # type: ignore[arg-type]


def test_a_playbook_says_no() -> None:
    assert not may_answer(thought(Intent.SIZE), 0.7, WAITING, DuringReview())
