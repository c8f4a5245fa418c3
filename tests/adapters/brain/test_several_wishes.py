"""Several intents in one message: each is answered, or a human sees what was recognized."""

import pytest

from domain.agent.brain import Category
from domain.agent.intent import Intent
from evaluation.ready_answers import ready_answers
from tests.support.agent.embedded_brain import THRESHOLD, ask, passage, template

TRACKING = template(
    Category.ORDER_STATUS,
    "Hello {{ customer_name | there }},\n\nOrder 1042 is on its way.\n\nKind regards,\nMaison Test",
    template_id="track",
)
INVOICE = template(
    Category.OTHER,
    "Hello, your invoice is in your account.\n\nKind regards,\nMaison Test",
    template_id="invoice",
)
BOTH = "Where is my order 1042? And where do I find the invoice?"
CARE = passage("Washing the linen blanket", "The linen blanket is washed at 30 °C.")


async def test_each_is_answered_under_one_greeting_and_one_signature() -> None:
    answer = await ask(BOTH, templates=[TRACKING, INVOICE])

    assert set(answer.intents) == {Intent.TRACK_ORDER, Intent.INVOICE}
    assert answer.response == (
        "Hello there,\n\nOrder 1042 is on its way.\n\nYour invoice is in your account.\n\n"
        "Kind regards,\nMaison Test"
    )
    assert [citation.id for citation in answer.citations] == ["track", "invoice"]
    assert answer.confidence >= THRESHOLD


async def test_one_may_be_answered_from_knowledge() -> None:
    text = "Where is my order 1042? How do I wash the linen blanket?"

    answer = await ask(text, templates=[TRACKING], passages=[CARE])

    assert [citation.kind for citation in answer.citations] == ["template", "knowledge"]
    assert "Order 1042 is on its way." in answer.response
    assert "washed at 30 °C" in answer.response
    assert answer.response.count("Hello") == 1
    assert answer.confidence >= THRESHOLD


async def test_one_without_an_answer_is_for_a_human_who_sees_the_others() -> None:
    answer = await ask(BOTH, templates=[TRACKING])

    assert set(answer.intents) == {Intent.TRACK_ORDER, Intent.INVOICE}
    assert "Order 1042 is on its way." in answer.response
    assert answer.confidence <= 0.3


async def test_what_none_of_the_wishes_explains_is_for_a_human() -> None:
    answer = await ask(f"{BOTH} My cat ate the label.", templates=[TRACKING, INVOICE])

    assert answer.confidence < THRESHOLD


@pytest.mark.parametrize(
    "text",
    [
        "I'd like to return a mirror that arrived broken",
        "My mirror arrived broken. How do I return it?",
        "Where is my order 1042 and where is the invoice for my order 1041",
    ],
)
async def test_wishes_that_hang_together_are_for_a_human(text: str) -> None:
    answer = await ask(text, templates=[TRACKING, INVOICE, *ready_answers().ready])

    assert answer.confidence < THRESHOLD


async def test_without_any_answer_nothing_is_drafted() -> None:
    answer = await ask(BOTH)

    assert (answer.response, answer.citations) == ("", ())
