"""Fit the model that estimates the probability of an answer, from answers that were selected for
training questions."""

from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from math import log
from typing import Any, Final, Self

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_matrix, hstack
from sklearn.linear_model import LogisticRegression

from adapters.brain.answer_rarity import (
    AnsweredTerms,
    Rarities,
    RarityModel,
    WordWeights,
    rarity_features,
)
from adapters.brain.answer_words import AskedQuestion
from adapters.brain.answers import LinearModel
from adapters.brain.features import Floats
from training.linear import standardized

_STRENGTH: Final = 0.01
# A word's value counts this many times as much as a standardized feature.
_ASKED_SCALE: Final = 8.0
_MISSING_SCALE: Final = 8.0
_LEAST_QUESTIONS: Final = 2
"""Minimum number of training questions with a word. A rarer word has no weight."""


@dataclass(frozen=True, slots=True)
class SelectedAnswer:
    """The answer selected for a training question. `row` are its features without rarity. `fits` is
    as in ChosenAnswer. `right` is 1 for a correct answer, else 0."""

    shop: str
    question: AskedQuestion
    compared: AnsweredTerms
    row: Floats
    fits: bool
    right: float


@dataclass(frozen=True, slots=True)
class RatingModel:
    """The model that estimates the probability of an answer."""

    answer: LinearModel
    rarity: RarityModel

    @classmethod
    def fit(cls, answers: Sequence[SelectedAnswer]) -> Self:
        """Fit the model. The rarities of an answer's words do not count the answer's own
        question."""
        rarities = _rarities(answers)
        asked = _words(answers, lambda one: one.question.words)
        missing = _words(answers, lambda one: one.compared.missing)
        rows = np.array([_row(one, _without(rarities, one.compared.asked)) for one in answers])
        scaled, means, spreads = standardized(rows)
        columns = hstack(
            (
                csr_matrix(scaled),
                _ASKED_SCALE * _matrix(asked, (one.question.words for one in answers)),
                _MISSING_SCALE * _matrix(missing, (one.compared.missing for one in answers)),
            )
        ).tocsr()
        right = np.array([one.right for one in answers])
        model = LogisticRegression(C=_STRENGTH, tol=1e-8, max_iter=10_000).fit(columns, right)
        plain, of_asked, of_missing = np.split(
            model.coef_[0], np.cumsum((rows.shape[1], len(asked.words)))
        )
        return cls(
            answer=LinearModel(plain, float(model.intercept_[0]), means, spreads),
            rarity=RarityModel(
                rarities=rarities,
                asked=_weighted(asked, _ASKED_SCALE * of_asked),
                missing=_weighted(missing, _MISSING_SCALE * of_missing),
            ),
        )

    def odds(self, answers: Sequence[SelectedAnswer]) -> Floats:
        """Return the log odds of answers to questions that the model was not fitted to."""
        rows = np.array([_row(one, self.rarity.rarities) for one in answers])
        words = [self.rarity.score(one.question, one.compared) for one in answers]
        found: Floats = self.answer.scores(rows) + np.array(words)
        return found

    def arrays(self) -> dict[str, NDArray[Any]]:
        """Return the arrays of the model file, without those of the linear model."""
        counts = self.rarity.rarities.counts
        found: dict[str, NDArray[Any]] = {
            "stems": np.array("\n".join(counts)),
            "stem_counts": np.array(list(counts.values()), dtype=np.int64),
            "questions": np.array(self.rarity.rarities.questions, dtype=np.int64),
        }
        for name, words in (("asked", self.rarity.asked), ("missing", self.rarity.missing)):
            found[f"{name}_words"] = np.array("\n".join(words.words))
            found[f"{name}_rarities"] = np.round(words.rarities, 5)
            found[f"{name}_weights"] = np.round(words.weights, 5)
        return found


def _rarities(answers: Sequence[SelectedAnswer]) -> Rarities:
    counts = Counter(stem for one in answers for stem in one.compared.asked)
    return Rarities(dict(sorted(counts.items())), len(answers))


def _without(rarities: Rarities, asked: Iterable[str]) -> Rarities:
    """Return the rarities computed without one of the questions."""
    fewer = {stem: rarities.counts[stem] - 1 for stem in asked}
    return Rarities({**rarities.counts, **fewer}, rarities.questions - 1)


def _row(one: SelectedAnswer, rarities: Rarities) -> Floats:
    return np.concatenate((one.row, rarity_features(one.compared, rarities)))


def _words(
    answers: Sequence[SelectedAnswer], of: Callable[[SelectedAnswer], Iterable[str]]
) -> WordWeights:
    """Return the words that occur in enough questions, with their rarities and without weights."""
    counts = Counter(word for one in answers for word in of(one))
    kept = sorted(word for word, count in counts.items() if count >= _LEAST_QUESTIONS)
    return WordWeights(
        words={word: place for place, word in enumerate(kept)},
        rarities=np.array([log((len(answers) + 1) / counts[word]) for word in kept]),
        weights=np.zeros(len(kept)),
    )


def _weighted(words: WordWeights, weights: Floats) -> WordWeights:
    return WordWeights(words.words, words.rarities, weights)


def _matrix(words: WordWeights, texts: Iterable[Iterable[str]]) -> csr_matrix:
    rows = [words.row(text) for text in texts]
    ends = np.cumsum([0, *(len(places) for places, _ in rows)])
    places = np.concatenate([np.array(found, dtype=int) for found, _ in rows])
    values = np.concatenate([found for _, found in rows])
    return csr_matrix((values, places, ends), shape=(len(rows), len(words.words)))
