"""Answers with claims about us that require a review."""

import pytest

from domain.agent.brain import BrainAnswer, BrainRequest, Category, Citation, Passage, Template
from domain.agent.escalation_reason import EscalationReason
from domain.agent.grounding.grounding import claim_doubt
from domain.agent.plan import ActionKind, PlannedAction
from domain.integrations.order import OrderState
from tests.support.agent.llm_brain import ORDER, REFUND

REPLY = PlannedAction(kind=ActionKind.REPLY)
CANCEL = REFUND.model_copy(update={"kind": ActionKind.CANCEL_ORDER})
TEMPLATE = Template(
    id="t1", name="Refund", category=Category.REFUND_REQUEST, language="en",
    body="Your refund of {{ refund_amount }} has been issued.",
)  # fmt: skip
RULE = Passage(
    id="k1", title="Refunds", body="Refunds are made within 14 days of receipt.", language="en",
    rank=1.0,
)  # fmt: skip
OF_TEMPLATE = (Citation(kind="template", id="t1", title="Refund"),)
OF_RULE = (Citation(kind="knowledge", id="k1", title="Refunds"),)
OF_ORDER = (Citation(kind="order", id=ORDER.id, title="#1042"),)
DONE = "Your refund of 49.90 EUR has been issued."


def request(state: OrderState = OrderState.SHIPPED) -> BrainRequest:
    return BrainRequest(
        text="Please refund order 1042.",
        brand_name="Boutique",
        templates=(TEMPLATE,),
        passages=(RULE,),
        order=ORDER.model_copy(update={"state": state}),
    )


def answer(
    response: str, citations: tuple[Citation, ...] = (), *, by_model: bool = True
) -> BrainAnswer:
    return BrainAnswer(
        classification=Category.REFUND_REQUEST,
        confidence=0.9,
        language="en",
        response=response,
        citations=citations,
        model="m",
        prompt_version="v" if by_model else None,
    )


def test_what_the_plan_does_may_be_said() -> None:
    assert claim_doubt(answer(DONE), (REFUND, REPLY), request()) is None
    assert claim_doubt(answer("We have cancelled it."), (CANCEL, REPLY), request()) is None


@pytest.mark.parametrize("plan", [(REPLY,), ()])
def test_what_nobody_does_may_not_be_said(plan: tuple[PlannedAction, ...]) -> None:
    unsupported = EscalationReason.UNSUPPORTED_REQUEST

    assert claim_doubt(answer(DONE, OF_RULE), plan, request()) is unsupported
    assert claim_doubt(answer("We will refund you.", OF_RULE), plan, request()) is unsupported
    assert claim_doubt(answer("C'est fait !", OF_ORDER), plan, request()) is unsupported


@pytest.mark.parametrize(
    "response", ["It was our fault.", "Here is 10% off.", "You are legally entitled to it."]
)
def test_what_we_owe_needs_a_source(response: str) -> None:
    doubt = claim_doubt(answer(response, OF_RULE), (REFUND, REPLY), request())

    assert doubt is EscalationReason.MISSING_KNOWLEDGE


def test_a_rule_may_be_repeated_where_it_is_cited() -> None:
    said = "Once we have received the parcel, we will refund you."

    assert claim_doubt(answer(said, OF_RULE), (REPLY,), request()) is None
    assert claim_doubt(answer(said, OF_ORDER), (REPLY,), request()) is not None
    assert claim_doubt(answer(said), (REPLY,), request()) is not None


def test_a_template_is_the_merchants_word_unless_a_model_says_it() -> None:
    assert claim_doubt(answer(DONE, OF_TEMPLATE, by_model=False), (REPLY,), request()) is None
    assert claim_doubt(answer(DONE, OF_TEMPLATE), (REPLY,), request()) is not None
    # A quote from the knowledge is not.
    assert claim_doubt(answer(DONE, OF_RULE, by_model=False), (REPLY,), request()) is not None


def test_a_template_of_an_action_outside_the_plan_backs_no_promise() -> None:
    body = "We will refund {{ refund_amount }}."
    asked = request().model_copy(
        update={"templates": (TEMPLATE.model_copy(update={"body": body}),)}
    )
    promised = answer("We will refund you.", OF_TEMPLATE)

    assert claim_doubt(promised, (REPLY,), asked) is EscalationReason.UNSUPPORTED_REQUEST
    assert claim_doubt(promised, (REFUND, REPLY), asked) is None


def test_the_shop_may_say_that_an_order_is_cancelled() -> None:
    said = answer("Your order is cancelled.", OF_ORDER)

    assert claim_doubt(said, (REPLY,), request(OrderState.CANCELLED)) is None
    assert claim_doubt(said, (REPLY,), request()) is not None
    refunded = answer("Your order is cancelled and was refunded.", OF_ORDER)
    assert claim_doubt(refunded, (REPLY,), request(OrderState.CANCELLED)) is not None
