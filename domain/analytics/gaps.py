"""Knowledge gaps: questions that the agent could not answer, in clusters of the same matter."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from enum import IntEnum
from typing import Annotated, Final

from pydantic import BaseModel, ConfigDict, Field

MAX_QUESTIONS: Final = 2_000
"""The most questions that are clustered: the newest ones."""

QUESTION_CHARS: Final = 300
"""The characters of a question that are read."""

EXAMPLES: Final = 3


class GapSpan(IntEnum):
    """The days to look back on."""

    MONTH = 30
    QUARTER = 90


@dataclass(frozen=True, slots=True)
class OpenQuestion:
    """A question that the agent could not answer, in the present state of its run."""

    run_id: str
    text: str
    classification: str | None
    language: str | None
    asked_at: datetime


@dataclass(frozen=True, slots=True)
class QuestionCluster:
    """`places`: the indexes of its questions among those given, the most typical first. `label`:
    its frequent words, the most frequent first."""

    places: tuple[int, ...]
    label: tuple[str, ...]


class _Frozen(BaseModel):
    model_config = ConfigDict(frozen=True)


class GapExample(_Frozen):
    run_id: str
    text: str
    asked_at: datetime


class HumanAnswer(_Frozen):
    """A person's answer to one of the questions."""

    run_id: str
    text: str
    answered_at: datetime


class FoundKnowledge(_Frozen):
    """An entry that covers the matter, written or changed since it was last asked."""

    id: str
    title: str


class QuestionCount(_Frozen):
    """The number of questions of a gap with this class or in this language; null: unknown."""

    value: str | None
    count: int


class KnowledgeGap(_Frozen):
    """`share`: of all questions that were read. `answer`: the newest one from a person, as a start
    for an entry. `knowledge`: null until an entry written since would answer it."""

    label: str
    count: Annotated[int, Field(ge=1)]
    share: Annotated[float, Field(ge=0, le=1)]
    classes: tuple[QuestionCount, ...]
    languages: tuple[QuestionCount, ...]
    examples: tuple[GapExample, ...]
    answer: HumanAnswer | None
    knowledge: FoundKnowledge | None
    first_seen: datetime
    last_seen: datetime


class KnowledgeGaps(_Frozen):
    """`questions`: the number that was read. `is_cut`: there were more, and the newest were read.
    `clusters`: the number of gaps; `gaps` has the largest."""

    since: datetime
    questions: int
    is_cut: bool
    clusters: int
    gaps: tuple[KnowledgeGap, ...]


def ranked(
    clusters: Sequence[QuestionCluster], questions: Sequence[OpenQuestion]
) -> list[QuestionCluster]:
    """Return the clusters with the most tickets first; ties go to the one asked last."""

    def place(cluster: QuestionCluster) -> tuple[int, float, str]:
        last = max(questions[place].asked_at for place in cluster.places)
        return (-len(cluster.places), -last.timestamp(), questions[cluster.places[0]].run_id)

    return sorted(clusters, key=place)
