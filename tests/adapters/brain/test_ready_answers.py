"""A ready answer goes only to customers with the matching intent.

The hand-labelled messages (`evaluation/sets/templates.yaml`) are used for evaluation. The messages
here were used to extend the intents' words.
"""

from pathlib import Path

import pytest

from adapters.brain.classifier import Classifier
from adapters.brain.embedded import EmbeddedBrain
from domain.agent.brain import BrainAnswer, BrainRequest
from evaluation.ready_answers import ready_answers
from tests.support.agent.embedded_brain import THRESHOLD

OWN = Path(__file__).with_name("ready_messages.txt")
ROWS = [
    line.split("|", 1)
    for line in OWN.read_text(encoding="utf-8").splitlines()
    if not line.startswith("#")
]
INTENTS = {one.id: one.intent for one in ready_answers().ready}


async def ready(classifier: Classifier, text: str) -> BrainAnswer:
    request = BrainRequest(
        text=text,
        brand_name="Maison",
        templates=ready_answers().ready,
        fields={"order_number": "1042", "tracking_url": "https://post.example/1042"},
    )
    return await EmbeddedBrain(classifier).think(request)


def is_sent(answer: BrainAnswer) -> bool:
    return bool(answer.response) and answer.confidence >= THRESHOLD and answer.doubt is None


@pytest.mark.parametrize(("intent", "text"), [row for row in ROWS if row[0] != "-"])
async def test_the_right_ready_answer_is_sent(
    classifier: Classifier, intent: str, text: str
) -> None:
    answer = await ready(classifier, text)

    assert is_sent(answer)
    assert INTENTS[answer.citations[0].id] == intent


@pytest.mark.parametrize("text", [row[1] for row in ROWS if row[0] == "-"])
async def test_a_wrong_ready_answer_is_not(classifier: Classifier, text: str) -> None:
    assert not is_sent(await ready(classifier, text))
