"""Another person's message in a ticket is never a request of the author verified by a code."""

import pytest

from domain.agent.brain import BrainAnswer, Category
from domain.agent.brain_context import BrainContext
from domain.agent.policy_decision import PolicyReason, Ruling
from domain.agent.thread import Thread
from domain.agent.thread_after import thread_after
from domain.intake.event import UnifiedEvent
from domain.intake.order_number import numbers_of_author
from domain.intake.proved_address import ProofKind, ProvedAddress
from domain.integrations.order import Lookup, LookupState
from tests.support.agent.policy import REFUND, judged, kinds, ruling
from tests.support.agent.policy_context import CUSTOMER, NOW, a_situation, an_event

BY_CODE = ProvedAddress(address=CUSTOMER, by=ProofKind.CODE)


def _by_code(event: UnifiedEvent, **more: object) -> UnifiedEvent:
    return event.model_copy(update={"proved": BY_CODE, **more})


def test_words_before_the_code_are_asked_back() -> None:
    event = _by_code(an_event(), asked_before_code=True)

    judgement = judged(a_situation(event=event), REFUND)

    assert ruling(judgement, REFUND) == (Ruling.ASK, PolicyReason.NOT_CERTAIN)
    assert REFUND not in kinds(judgement.plan)
    assert judgement.question is not None
    assert judgement.question.action is not None
    assert judgement.question.action.order_number == "1042"


@pytest.mark.parametrize(
    ("text", "rule"),
    [
        ("I want a refund for order 1042.", (Ruling.ALLOWED, None)),
        # Only the ticket's subject names the order.
        ("I want a refund.", (Ruling.ASK, PolicyReason.NOT_CERTAIN)),
        # Only the ticket's subject contains the request.
        ("", (Ruling.REFUSED, PolicyReason.NOT_ASKED)),
    ],
)
def test_a_tickets_subject_is_no_word_of_the_proved_author(
    text: str, rule: tuple[Ruling, PolicyReason | None]
) -> None:
    event = _by_code(an_event(text=text), subject="Please refund order 1042.")

    assert ruling(judged(a_situation(event=event), REFUND), REFUND) == rule


def test_an_order_named_before_the_code_is_not_named_by_the_customer() -> None:
    def after(event: UnifiedEvent, before: Thread | None = None) -> Thread:
        policy_context = a_situation(event=event)
        context = BrainContext(
            event=event,
            brand_name="Shop",
            rulebook=policy_context.rulebook,
            templates=(),
            passages=(),
            thread=before or Thread(),
            lookup=Lookup(state=LookupState.FOUND, order=policy_context.order),
        )
        answer = BrainAnswer(
            classification=Category.OTHER, confidence=1, language="en", response="", model="m"
        )
        return thread_after(context, judged(policy_context, REFUND), answer, "", NOW)

    own = _by_code(an_event(text="And order 1042?"))
    assert after(own).named_by_customer
    assert not after(_by_code(an_event(), asked_before_code=True)).named_by_customer
    by_subject = _by_code(an_event(text="Thank you."))
    assert not after(by_subject).named_by_customer
    assert after(by_subject, after(own)).named_by_customer


def test_numbers_of_an_author() -> None:
    event = an_event(text="#1042, please", numbers=("1042", "1043"))

    assert numbers_of_author(event) == ("1042", "1043")
    assert numbers_of_author(_by_code(event)) == ("1042",)
    assert numbers_of_author(_by_code(event, asked_before_code=True)) == ()
