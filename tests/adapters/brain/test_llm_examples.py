"""Corrections of human agents as examples in a language model's prompt."""

import json

import pytest

from adapters.brain.classifier import Classifier
from domain.agent.brain import Citation, CorrectedAnswer, Passage
from tests.support.agent.grounding import unsupported
from tests.support.agent.llm_brain import EVERY_PROTOCOL, asked, brain, configured, said
from tests.support.servers.llm import LlmServer

GIFT = CorrectedAnswer(question="Do you wrap gifts?", answer="We wrap every gift, with pleasure!")
RETURNS = CorrectedAnswer(question="Any deadline?", answer="You may return it within 45 days.")
DELIVERY = Passage(id="e1", title="Delivery", body="3 days.", language="en", rank=0)


@pytest.mark.parametrize("model", EVERY_PROTOCOL)
async def test_examples_come_with_the_message_and_are_no_sources(
    classifier: Classifier, server: LlmServer, model: str
) -> None:
    server.script = [said()]
    engine = brain(classifier, configured(server, model))

    await engine.think(asked(knowledge=(DELIVERY,), examples=(GIFT,)))
    await engine.think(asked(knowledge=(DELIVERY,), examples=()))

    first, second = server.asked
    # The parts that the provider caches do not depend on the examples.
    assert first.instructions == second.instructions
    assert first.texts[0] == second.texts[0]
    data = json.loads(first.texts[1].split("\n")[1])
    assert data["examples"] == [{"customer": GIFT.question, "shop": GIFT.answer}]
    assert data["sources"] == []


async def test_a_quote_from_an_example_is_a_misquote(
    classifier: Classifier, server: LlmServer
) -> None:
    server.script = [said(response=GIFT.answer, sources=["k1"], quote=GIFT.answer)]

    answer = await brain(classifier, configured(server)).think(asked(examples=(GIFT,)))

    assert [one.is_misquoted for one in answer.parts] == [True]


async def test_an_example_has_no_key_to_cite(classifier: Classifier, server: LlmServer) -> None:
    server.script = [said(response=GIFT.answer, sources=["examples"], quote=GIFT.answer)]

    answer = await brain(classifier, configured(server)).think(asked(examples=(GIFT,)))

    assert answer.citations == ()


def test_a_fact_that_only_an_example_states_is_rejected() -> None:
    request = asked(order=None, examples=(RETURNS,))
    cited = Citation(kind="knowledge", id="entry-id", title="Delivery")

    assert unsupported(RETURNS.answer, (cited,), request) != ()
