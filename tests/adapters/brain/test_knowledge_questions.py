"""Questions with a clear answer in the knowledge are answered; near misses are not."""

from pathlib import Path

import pytest
from pydantic import BaseModel

from domain.agent.brain import BrainAnswer, Language
from domain.core.strict_yaml import read_yaml
from tests.support.agent.embedded_brain import THRESHOLD, ask, passage


class Entry(BaseModel):
    title: str
    language: Language
    body: str


class Known(BaseModel):
    entries: tuple[Entry, ...]
    answered: tuple[tuple[str, str], ...]
    near_misses: tuple[str, ...]


KNOWN = Known.model_validate(
    read_yaml(Path(__file__).with_name("knowledge_questions.yaml").read_text(encoding="utf-8"))
)
PASSAGES = [passage(one.title, one.body, one.language, one.title) for one in KNOWN.entries]


def is_sent(answer: BrainAnswer) -> bool:
    return bool(answer.response) and answer.confidence >= THRESHOLD and answer.doubt is None


@pytest.mark.parametrize(("question", "title"), KNOWN.answered)
async def test_a_plain_question_is_answered(question: str, title: str) -> None:
    answer = await ask(question, passages=PASSAGES)

    assert is_sent(answer)
    assert [citation.id for citation in answer.citations] == [title]


@pytest.mark.parametrize("question", KNOWN.near_misses)
async def test_a_near_miss_is_for_a_human(question: str) -> None:
    assert not is_sent(await ask(question, passages=PASSAGES))


def test_there_are_enough_of_both() -> None:
    assert min(len(KNOWN.answered), len(KNOWN.near_misses)) >= 30
