"""Select the sentences from the knowledge base that answer a message, and estimate the probability
that they do.

One linear model ranks sentences, and another estimates the probability. Each version of the
decision has its own file with both. `python -m training.train_answers` trains the latest.
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
from adapters.brain.answer_names import other_product
from adapters.brain.answer_rarity import RARITY_FEATURES, AnsweredTerms, RarityModel
from adapters.brain.answer_words import AskedQuestion, read_question
from adapters.brain.artifact import ModelInvalid, read_arrays, stored
from adapters.brain.features import Floats
from domain.agent.brain import Language, Passage, PassageSentence
from domain.tenants.answer_decision import LATEST_DECISION

ANSWER_MODELS: Final = {1: 1, 2: 2, 3: 2}
"""The version of the answer models that each version of the decision uses."""

ANSWER_FILES: Final = {1: "answers.npz", 2: "answers_2.npz"}
"""The file of each version of the models. The files of earlier versions do not change."""

SURE_PROBABILITIES: Final = {1: 0.88, 2: 0.86}
"""For each version of the models, the minimum probability at which a fitting answer is sent.
`docs/evaluation.md` has the number of wrong answers to questions about held-out shops."""

AGREEING_PROBABILITIES: Final = {1: 0.7, 2: 0.84}
"""The same if the entry also contains the words of the message. On the open questions in
`evaluation/sets`, keyword matches alone would have sent 13 answers. Three of them are wrong, each
with a probability of at most 0.5 in version 1. The probabilities of version 2 are higher, so it
needs a higher minimum."""

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


def answer_file(decision: int) -> Path:
    """Return the path of the model file of a version of the decision."""
    return Path(__file__).with_name(ANSWER_FILES[ANSWER_MODELS[decision]])


@dataclass(frozen=True, slots=True)
class EntrySentences:
    """Sentences from one knowledge entry, best first."""

    passage: Passage
    sentences: tuple[PassageSentence, ...]


@dataclass(frozen=True, slots=True)
class ChosenAnswer:
    """The sentences selected for a message, with the `probability` (0 to 1) that the best ones
    answer the whole message.

    - `fits`: the names in question and answer match, and the message asks one question, but not for
      a reason.
    - `is_sure`: the answer fits and is probable enough to be sent.
    - `is_probable`: the same if the entry also contains the words of the message.
    - `other`: the best sentences from the next entry, or None.
    """

    best: EntrySentences
    other: EntrySentences | None
    probability: float
    fits: bool
    is_sure: bool
    is_probable: bool


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

    def __init__(self, content: bytes, *, sure: float, agreeing: float) -> None:
        """Load both models from the bytes of a model file. Raises ModelInvalid.

        `sure` is the minimum probability for sending a fitting answer. `agreeing` is the minimum if
        the entry also contains the words of the message.
        """
        names = [
            f"{name}_{part}"
            for name in ("sentence", "answer")
            for part in ("weights", "bias", "means", "spreads")
        ]
        arrays = read_arrays(content, (*names, "features"))
        features, plain = arrays["features"].tolist(), [*SENTENCE_FEATURES, *ANSWER_FEATURES]
        if features not in (plain, [*plain, *RARITY_FEATURES]):
            raise ModelInvalid("the model was trained on other features")
        width = len(features) - len(SENTENCE_FEATURES)
        self._sure = sure
        self._agreeing = agreeing
        self._sentence = LinearModel.read(arrays, "sentence", len(SENTENCE_FEATURES))
        self._answer = LinearModel.read(arrays, "answer", width)
        self._rarity = RarityModel.read(content) if features != plain else None

    @classmethod
    def load(cls, decision: int = LATEST_DECISION) -> Self:
        """Load the models of a version of the decision. Raises ModelInvalid, and OSError if the
        file cannot be read."""
        version = ANSWER_MODELS[decision]
        return cls(
            answer_file(decision).read_bytes(),
            sure=SURE_PROBABILITIES[version],
            agreeing=AGREEING_PROBABILITIES[version],
        )

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
        compared = AnsweredTerms.of(question, found, chosen)
        row = answer_features(text, question, found, rows, scores, compared=compared)
        if self._rarity is not None:
            row = np.concatenate((row, self._rarity.features(compared)))
        odds = float(self._answer.scores(row[None, :])[0])
        if self._rarity is not None:
            odds += self._rarity.score(question, compared)
        probability = 1 / (1 + exp(-max(min(odds, 30.0), -30.0)))
        is_fitting = fits(question, rows[best]) and not other_product(text, found, best)
        others = chosen_places(found, scores, but=found[best].passage.id)[:_OF_OTHER]
        return ChosenAnswer(
            best=_sentences(found, chosen),
            other=_sentences(found, others) if others else None,
            probability=probability,
            fits=is_fitting,
            is_sure=is_fitting and probability >= self._sure,
            is_probable=is_fitting and probability >= self._agreeing,
        )


class AnswerModels:
    """The answer models of all versions of the decision whether an answer is sent."""

    def __init__(self) -> None:
        """Load all versions. Raises ModelInvalid, and OSError if a file cannot be read."""
        self._models = {version: AnswerModel.load(version) for version in ANSWER_FILES}

    def of(self, decision: int) -> AnswerModel:
        """Return the models that a version of the decision uses."""
        return self._models[ANSWER_MODELS[decision]]


def chosen_places(
    found: Sequence[Candidate], scores: Floats, *, but: str | None = None
) -> list[int]:
    """Return the indexes of the best sentence and of the next-best sentences in the same entry, at
    most MOST_SENTENCES. `but` is the id of an entry to exclude."""
    ranked = (int(place) for place in np.argsort(-scores, kind="stable"))
    order = [place for place in ranked if found[place].passage.id != but]
    entry = found[order[0]].passage.id if order else None
    return [place for place in order if found[place].passage.id == entry][:MOST_SENTENCES]


def _sentences(found: Sequence[Candidate], places: Sequence[int]) -> EntrySentences:
    return EntrySentences(
        found[places[0]].passage, tuple(found[place].sentence for place in places)
    )


def fits(question: AskedQuestion, best: Floats) -> bool:
    """Return True if the names in the question and the best sentence match, and the message asks
    one question.

    Questions about reasons do not fit, because a shop's texts seldom give any. `best` are the
    sentence's features.
    """
    return not question.joined and not question.cues & _NEVER_FIT and not best[_NAMES].any()


def answer_features(
    text: str,
    question: AskedQuestion,
    found: Sequence[Candidate],
    rows: Floats,
    scores: Floats,
    *,
    compared: AnsweredTerms,
) -> Floats:
    """Return the features of the selected answer. The model estimates the answer's probability from
    them."""
    order = np.argsort(-scores, kind="stable")
    best = int(order[0])
    passage, similarity = found[best].passage, found[best].sentence.similarity or 0.0
    others = [float(scores[place]) for place in order if found[place].passage.id != passage.id]
    following = float(scores[order[1]]) if len(order) > 1 else _ALONE
    asked, entry = compared.asked, compared.entry
    count = max(len(asked), 1)
    return np.array(
        (
            float(scores[best]),
            float(scores[best]) - following,
            float(scores[best]) - (others[0] if others else _ALONE),
            len(asked & compared.said) / count,
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
    """Return products of pairs of features because a linear model cannot represent such products
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
