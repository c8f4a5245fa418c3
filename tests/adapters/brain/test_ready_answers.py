"""A ready answer goes to those who want what it answers, and to nobody else."""

from pathlib import Path

import pytest
from pydantic import BaseModel, TypeAdapter

from adapters.brain.classifier import Classifier
from adapters.brain.embedded import EmbeddedBrain
from domain.agent.brain import BrainAnswer, BrainRequest
from domain.core.strict_yaml import read_yaml
from tests.support.agent.embedded_brain import THRESHOLD
from tests.support.agent.ready_answers import READY_ANSWERS

OWN = Path(__file__).with_name("ready_messages.txt")
OPEN_SET = Path(__file__).parents[3] / "evaluation/sets/templates.yaml"


class Message(BaseModel):
    right: bool
    text: str


MESSAGES = TypeAdapter(list[Message])
ROWS = [
    tuple(line.split("|", 1))
    for line in OWN.read_text(encoding="utf-8").splitlines()
    if not line.startswith("#")
]


async def ready(classifier: Classifier, text: str) -> BrainAnswer:
    request = BrainRequest(text=text, brand_name="Maison", templates=READY_ANSWERS)
    return await EmbeddedBrain(classifier).think(request)


def is_sent(answer: BrainAnswer) -> bool:
    return bool(answer.response) and answer.confidence >= THRESHOLD and answer.doubt is None


@pytest.mark.parametrize(("intent", "text"), [row for row in ROWS if row[0] != "-"])
async def test_the_right_ready_answer_is_sent(
    classifier: Classifier, intent: str, text: str
) -> None:
    answer = await ready(classifier, text)

    assert is_sent(answer)
    assert answer.citations[0].title == intent


@pytest.mark.parametrize("text", [row[1] for row in ROWS if row[0] == "-"])
async def test_a_wrong_ready_answer_is_not(classifier: Classifier, text: str) -> None:
    assert not is_sent(await ready(classifier, text))


async def test_the_open_set(classifier: Classifier) -> None:
    """The words of the wants were widened by this set: its sealed third tells how good they are."""
    messages = MESSAGES.validate_python(read_yaml(OPEN_SET.read_text(encoding="utf-8")))
    sent: dict[bool, list[bool]] = {True: [], False: []}
    for message in messages:
        sent[message.right].append(is_sent(await ready(classifier, message.text)))

    assert sum(sent[False]) / len(sent[False]) <= 0.02
    assert sum(sent[True]) / len(sent[True]) >= 0.9
