"""Choose the sentences of the knowledge that answer a message, and how likely they answer it.

Two linear models over the features below, made by `python -m training.train_answers` and kept in
`answers.npz`: one ranks sentences, the other gives the probability that the chosen ones answer.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import exp, log
from pathlib import Path
from typing import Final, Self

import numpy as np

from adapters.brain.answer_features import (
    SENTENCE_FEATURES,
    AskedQuestion,
    Candidate,
    read_question,
    sentence_features,
    terms,
)
from adapters.brain.artifact import ModelInvalid, read_arrays, stored
from adapters.brain.features import Floats
from domain.agent.brain import Category, Language, Passage, PassageSentence

ANSWERS_PATH: Final = Path(__file__).with_name("answers.npz")
MOST_SENTENCES: Final = 4
"""The best sentence and at most three more of the same entry."""

_OF_BEST: Final = (
    *("similarity", "below_best", "chunk", "entry", "place", "rank", "covered", "covered_above"),
    *("covered_chunk", "kind_held", "kind_missing", "number_shared", "number_conflict"),
    *("thing_conflict", "title_covered", "has_number"),
)
ANSWER_FEATURES: Final = (
    *("score", "above_next", "above_other_entry", "covered_by_answer", "covered_by_entry"),
    *("not_in_entry", "asked", "length", "asks_twice", "has_kind", "has_kinds", "cosine"),
    *(f"best_{name}" for name in _OF_BEST),
    *(f"class_{category}" for category in Category),
)
_COLUMNS: Final = [SENTENCE_FEATURES.index(name) for name in _OF_BEST]
_ALONE: Final = -9.0
"""Score of the next sentence where there is none."""


@dataclass(frozen=True, slots=True)
class ChosenAnswer:
    """Sentences of one entry, the best first. `probability`: 0 to 1, that they answer all that the
    message asks."""

    passage: Passage
    sentences: tuple[PassageSentence, ...]
    probability: float


@dataclass(frozen=True, slots=True)
class LinearModel:
    """A logistic regression on standardized features."""

    weights: Floats
    bias: float
    means: Floats
    spreads: Floats

    @classmethod
    def read(cls, arrays: Mapping[str, object], name: str, width: int) -> Self:
        def array(part: str, shape: tuple[int, ...]) -> Floats:
            return stored(arrays[f"{name}_{part}"], np.float64, shape)  # type: ignore[arg-type]

        return cls(
            weights=array("weights", (width,)),
            bias=float(array("bias", ())),
            means=array("means", (width,)),
            spreads=array("spreads", (width,)),
        )

    def scores(self, rows: Floats) -> Floats:
        """The log odds of each row."""
        found: Floats = ((rows - self.means) / self.spreads) @ self.weights + self.bias
        return found


class AnswerModel:
    """Load once, share freely: it changes nothing after it is made."""

    def __init__(self, content: bytes) -> None:
        """`content`: the bytes of a model file. Raises ModelInvalid."""
        names = [
            f"{name}_{part}"
            for name in ("sentence", "answer")
            for part in ("weights", "bias", "means", "spreads")
        ]
        arrays = read_arrays(content, (*names, "features"))
        if arrays["features"].tolist() != [*SENTENCE_FEATURES, *ANSWER_FEATURES]:
            raise ModelInvalid("the model was trained on other features")
        self._sentence = LinearModel.read(arrays, "sentence", len(SENTENCE_FEATURES))
        self._answer = LinearModel.read(arrays, "answer", len(ANSWER_FEATURES))

    @classmethod
    def load(cls, path: Path | None = None) -> Self:
        """Read a model file (default: the one beside this module). Raises OSError, ModelInvalid."""
        return cls((path or ANSWERS_PATH).read_bytes())

    def choose(
        self,
        text: str,
        language: Language,
        passages: Sequence[Passage],
        classes: Mapping[Category, float],
    ) -> ChosenAnswer | None:
        """Return the best answer of the passages, or None without a sentence.

        `classes`: the probability of each class of the message.
        """
        question = read_question(text)
        found, rows = sentence_features(question, language, passages)
        if not found:
            return None
        scores = self._sentence.scores(rows)
        chosen = chosen_places(found, scores)
        row = answer_features(text, question, found, rows, scores, classes=classes)
        odds = float(self._answer.scores(row[None, :])[0])
        return ChosenAnswer(
            passage=found[chosen[0]].passage,
            sentences=tuple(found[place].sentence for place in chosen),
            probability=1 / (1 + exp(-max(min(odds, 30.0), -30.0))),
        )


def chosen_places(found: Sequence[Candidate], scores: Floats) -> list[int]:
    """Return the places of the best sentence and the next best of its entry."""
    order = [int(place) for place in np.argsort(-scores, kind="stable")]
    entry = found[order[0]].passage.id
    return [place for place in order if found[place].passage.id == entry][:MOST_SENTENCES]


def answer_features(
    text: str,
    question: AskedQuestion,
    found: Sequence[Candidate],
    rows: Floats,
    scores: Floats,
    *,
    classes: Mapping[Category, float],
) -> Floats:
    """Return what the probability of the chosen answer is computed from."""
    order = np.argsort(-scores, kind="stable")
    best = int(order[0])
    passage = found[best].passage
    others = [float(scores[place]) for place in order if found[place].passage.id != passage.id]
    following = float(scores[order[1]]) if len(order) > 1 else _ALONE
    language = passage.language
    asked = question.terms[language].stems
    said = terms(passage.title, language).stems.union(
        *(
            terms(f"{sentence.heading} {sentence.text}", language).stems
            for sentence in (found[place].sentence for place in chosen_places(found, scores))
        )
    )
    entry = terms(f"{passage.title} {passage.body}", language).stems
    count = max(len(asked), 1)
    return np.array(
        (
            float(scores[best]),
            float(scores[best]) - following,
            float(scores[best]) - (others[0] if others else _ALONE),
            len(asked & said) / count,
            len(asked & entry) / count,
            float(len(asked - entry)),
            float(len(asked)),
            log(1 + len(text.split())),
            float(text.count("?") > 1),
            float(bool(question.kinds)),
            float(len(question.kinds) > 1),
            found[best].sentence.similarity or 0.0,
            *rows[best, _COLUMNS],
            *(classes[category] for category in Category),
        )
    )
