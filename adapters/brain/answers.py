"""Select the sentences from the knowledge base that answer a message, and estimate the probability
that they answer it.

Two linear models use the features below. They are trained by `python -m training.train_answers` and
stored in `answers.npz`. One model ranks sentences. The other estimates the probability.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import exp, log
from pathlib import Path
from typing import Final, Self

import numpy as np
from numpy.typing import NDArray

from adapters.brain.answer_features import (
    CUES,
    SENTENCE_FEATURES,
    Candidate,
    sentence_features,
)
from adapters.brain.answer_words import AskedQuestion, read_question, terms
from adapters.brain.artifact import ModelInvalid, read_arrays, stored
from adapters.brain.features import Floats
from domain.agent.brain import Language, Passage, PassageSentence

ANSWERS_PATH: Final = Path(__file__).with_name("answers.npz")
MOST_SENTENCES: Final = 5
"""Maximum number of sentences in an answer. All of them come from the same entry."""

_OF_OTHER: Final = 2

ANSWER_FEATURES: Final = (
    *("score", "above_next", "above_other_entry", "covered_by_answer", "covered_by_entry"),
    *("not_in_entry", "asked_words", "length", "asks_twice", "has_kind", "has_kinds", "cosine"),
    *(f"best_{name}" for name in SENTENCE_FEATURES),
    *("asked", "question_marks", "joined", *CUES),
    *("kind_by_words", "kind_by_meaning", "words_by_meaning", "words_without_kind", "kind_and_all"),
    *("nothing_missing", "some_missing", "words_squared", "meaning_squared", "maybe_not_there"),
    *("all_squared", "kind_by_all"),
)
_NEVER_FIT: Final = frozenset({"two_matters", "why"})
_NAMES: Final = [SENTENCE_FEATURES.index(name) for name in ("label_conflict", "named_missing")]
_ALONE: Final = -9.0
"""The score used for the second-best sentence if there is only one sentence."""


@dataclass(frozen=True, slots=True)
class EntrySentences:
    """Sentences from one knowledge entry, best first."""

    passage: Passage
    sentences: tuple[PassageSentence, ...]


@dataclass(frozen=True, slots=True)
class ChosenAnswer:
    """The sentences selected for a message. `probability`: the probability (0 to 1) that the best
    sentences answer the whole message.

    `fits`: whether the names in the question and the answer match, and the message asks a single
    question that does not ask for a reason. `other`: the best sentences from the next entry, or
    None.
    """

    best: EntrySentences
    other: EntrySentences | None
    probability: float
    fits: bool


@dataclass(frozen=True, slots=True)
class LinearModel:
    """A logistic regression on standardized features."""

    weights: Floats
    bias: float
    means: Floats
    spreads: Floats

    @classmethod
    def read(cls, arrays: Mapping[str, NDArray[np.generic]], name: str, width: int) -> Self:
        def array(part: str, shape: tuple[int, ...]) -> Floats:
            return stored(arrays[f"{name}_{part}"], np.float64, shape)

        return cls(
            weights=array("weights", (width,)),
            bias=float(array("bias", ())),
            means=array("means", (width,)),
            spreads=array("spreads", (width,)),
        )

    def scores(self, rows: Floats) -> Floats:
        """Return the model's log odds for each row of features."""
        found: Floats = ((rows - self.means) / self.spreads) @ self.weights + self.bias
        return found


class AnswerModel:
    """The two answer models: one ranks sentences, the other estimates the probability of an answer.
    Load them once and share them, because they are immutable."""

    def __init__(self, content: bytes) -> None:
        """Load both models. `content`: the bytes of a model file. Raises ModelInvalid if `content`
        is not a valid model file."""
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
        """Load the models from a file (default: the file next to this module). Raises ModelInvalid,
        and OSError if the file cannot be read."""
        return cls((path or ANSWERS_PATH).read_bytes())

    def choose(
        self, text: str, language: Language, passages: Sequence[Passage]
    ) -> ChosenAnswer | None:
        """Return the best answer in the passages, or None if the passages contain no sentences."""
        question = read_question(text)
        found, rows = sentence_features(question, language, passages)
        if not found:
            return None
        scores = self._sentence.scores(rows)
        chosen = chosen_places(found, scores)
        best = chosen[0]
        row = answer_features(text, question, found, rows, scores)
        odds = float(self._answer.scores(row[None, :])[0])
        others = chosen_places(found, scores, but=found[best].passage.id)[:_OF_OTHER]
        return ChosenAnswer(
            best=_sentences(found, chosen),
            other=_sentences(found, others) if others else None,
            probability=1 / (1 + exp(-max(min(odds, 30.0), -30.0))),
            fits=_fits(question) and not rows[best, _NAMES].any(),
        )


def chosen_places(
    found: Sequence[Candidate], scores: Floats, *, but: str | None = None
) -> list[int]:
    """Return the indexes of the best sentence and of the next-best sentences in the same entry, at
    most MOST_SENTENCES. `but`: the id of an entry to exclude."""
    ranked = (int(place) for place in np.argsort(-scores, kind="stable"))
    order = [place for place in ranked if found[place].passage.id != but]
    entry = found[order[0]].passage.id if order else None
    return [place for place in order if found[place].passage.id == entry][:MOST_SENTENCES]


def _sentences(found: Sequence[Candidate], places: Sequence[int]) -> EntrySentences:
    return EntrySentences(
        found[places[0]].passage, tuple(found[place].sentence for place in places)
    )


def _fits(question: AskedQuestion) -> bool:
    """Return True if the message asks a single question that does not ask for a reason. Questions
    about reasons do not fit, because a shop's texts seldom give reasons."""
    return not question.joined and not question.cues & _NEVER_FIT


def answer_features(
    text: str,
    question: AskedQuestion,
    found: Sequence[Candidate],
    rows: Floats,
    scores: Floats,
) -> Floats:
    """Return the features of the selected answer. The model estimates the answer's probability from
    them."""
    order = np.argsort(-scores, kind="stable")
    best = int(order[0])
    passage, similarity = found[best].passage, found[best].sentence.similarity or 0.0
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
            similarity,
            *rows[best],
            float(question.asked),
            float(text.count("?")),
            float(question.joined),
            *(float(cue in question.cues) for cue in CUES),
            *_together(question, dict(zip(SENTENCE_FEATURES, rows[best], strict=True)), similarity),
        )
    )


def _together(
    question: AskedQuestion, of_best: Mapping[str, float], similarity: float
) -> tuple[float, ...]:
    """Return products of pairs of features, because a linear model cannot represent such products
    itself."""
    kind, words, missing = of_best["kind_held"], of_best["covered_above"], of_best["rare_missing"]
    return (
        kind * words,
        kind * similarity,
        words * similarity,
        (1 - kind) * words,
        float(kind and not missing),
        float(not missing),
        min(missing, 3.0),
        words**2,
        similarity**2,
        float("existence" in question.cues and missing > 0),
        of_best["covered_of_all"] ** 2,
        kind * of_best["covered_of_all"],
    )
