"""Knowledge gaps: questions that the agent could not answer, clustered by subject."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from enum import IntEnum
from typing import Annotated, Final

from pydantic import BaseModel, ConfigDict, Field

from domain.core.plain_text import shortened

MAX_QUESTIONS: Final = 2_000
"""Maximum number of questions that are clustered. The newest questions are used."""

QUESTION_CHARS: Final = 300
"""Number of characters of each question that are read."""

EXAMPLES: Final = 3

TITLE_CHARS: Final = 100
"""Maximum length of a gap's title."""

_GREETING: Final = re.compile(
    r"(bonjour|bonsoir|salut|hello|hi|hey|good (morning|afternoon|evening))\b[^,.!?]{0,40}[,.!]\s*",
    re.IGNORECASE,
)
_SENTENCE_END: Final = re.compile(r"(?<=[.!?])\s+(?![.!?])")


class GapSpan(IntEnum):
    """Number of days of questions to analyse."""

    MONTH = 30
    QUARTER = 90


@dataclass(frozen=True, slots=True)
class OpenQuestion:
    """A question that the agent could not answer, with the current data of its run."""

    run_id: str
    text: str
    classification: str | None
    language: str | None
    asked_at: datetime


@dataclass(frozen=True, slots=True)
class QuestionCluster:
    """A cluster of similar questions. `places` are indexes into the input, the most typical
    question first. `label` contains the most frequent words in descending order."""

    places: tuple[int, ...]
    label: tuple[str, ...]


class _Frozen(BaseModel):
    model_config = ConfigDict(frozen=True)


class GapExample(_Frozen):
    run_id: str
    text: str
    asked_at: datetime


class HumanAnswer(_Frozen):
    """A human agent's answer to one of the gap's questions."""

    run_id: str
    text: str
    answered_at: datetime


class FoundKnowledge(_Frozen):
    """A knowledge entry that answers the gap's questions. It was created or changed after the last
    of these questions."""

    id: str
    title: str


class QuestionCount(_Frozen):
    """The number of the gap's questions in one category or language. `value` is the category or
    language, or null if unknown."""

    value: str | None
    count: int


class KnowledgeGap(_Frozen):
    """A group of similar questions that the agent could not answer.

    - `share`: the gap's share of all analysed questions.
    - `answer`: a human agent's latest answer, as a draft for a knowledge entry.
    - `knowledge`: an entry that answers the questions and is newer than the last of them, or null.
    """

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

    @property
    def title(self) -> str:
        """Return the most typical question without its greeting, or the label if there is none."""
        return question_title(self.examples[0].text if self.examples else "") or self.label


class KnowledgeGaps(_Frozen):
    """The knowledge gaps in a period. `questions` is the number of analysed questions, only the
    newest if `is_cut`. `clusters` is the total number of gaps, and `gaps` contains the largest."""

    since: datetime
    questions: int
    is_cut: bool
    clusters: int
    gaps: tuple[KnowledgeGap, ...]


def question_title(text: str) -> str:
    """Return the first question of a text as a title: on one line, without a greeting, and cut
    after TITLE_CHARS characters. A text without a question mark is used from its beginning."""
    line = _GREETING.sub("", " ".join(text.split()), count=1)
    found = next((one for one in _SENTENCE_END.split(line) if one.endswith("?")), line).strip()
    title = shortened(found, TITLE_CHARS)
    return title[:1].upper() + title[1:]


def ranked(
    clusters: Sequence[QuestionCluster], questions: Sequence[OpenQuestion]
) -> list[QuestionCluster]:
    """Return the clusters, sorted by the number of questions, largest first. Clusters of equal size
    are sorted by their latest question, newest first."""

    def place(cluster: QuestionCluster) -> tuple[int, float, str]:
        last = max(questions[place].asked_at for place in cluster.places)
        return (-len(cluster.places), -last.timestamp(), questions[cluster.places[0]].run_id)

    return sorted(clusters, key=place)
