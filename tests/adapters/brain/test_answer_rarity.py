"""The features and weights of rare words, and the versions of the decision."""

import numpy as np
import pytest

from adapters.brain.answer_rarity import (
    RARITY_FEATURES,
    AnsweredTerms,
    Rarities,
    WordWeights,
    rarity_features,
)
from adapters.brain.answers import AnswerModels
from domain.agent.brain import Passage, PassageSentence

RARITIES = Rarities({"towel": 20, "warranti": 1}, questions=100)


def features(said: set[str], *, other: set[str] | None = None) -> dict[str, float]:
    compared = AnsweredTerms(
        asked=frozenset({"towel", "warranti"}),
        said=frozenset(said),
        best=frozenset(said),
        title=frozenset(),
        entry=frozenset(said),
        others=() if other is None else (frozenset(other),),
    )
    return dict(zip(RARITY_FEATURES, rarity_features(compared, RARITIES), strict=True))


def test_a_missing_rare_word_weighs_more_than_a_common_one() -> None:
    without_rare, without_common = features({"towel"}), features({"warranti"})

    assert without_rare["rarity_in_answer"] < without_common["rarity_in_answer"]
    assert without_rare["rarest_missing"] > without_common["rarest_missing"]
    assert features({"towel", "warranti"})["missing_rarity"] == 0


def test_a_rare_word_of_another_entry_is_counted() -> None:
    assert features({"towel"})["missing_elsewhere"] == 0
    elsewhere = features({"towel"}, other={"warranti"})
    assert elsewhere["missing_elsewhere"] > 0
    assert elsewhere["missing_everywhere"] == 0
    assert elsewhere["other_entry_above"] > 0


def test_a_question_without_known_words_has_finite_features() -> None:
    empty = AnsweredTerms(*(frozenset[str](),) * 5, others=())
    assert np.isfinite(rarity_features(empty, RARITIES)).all()


def test_words_without_a_weight_are_ignored() -> None:
    weights = WordWeights({"how": 0, "much": 1}, np.array([3.0, 4.0]), np.array([1.0, 1.0]))

    assert weights.score({"unknown"}) == 0
    assert weights.score({"how"}) == pytest.approx(1.0)
    assert weights.score({"how", "much", "unknown"}) == pytest.approx(0.6 + 0.8)


def test_each_version_selects_the_same_way_and_estimates_its_own_probability() -> None:
    text = "The towel costs €12."
    sentence = PassageSentence(heading="", text=text, chunk=0, similarity=0.9)
    passage = Passage(
        id="towel", title="Towel", body=text, language="en", rank=1, similarity=0.9,
        sentences=(sentence,),
    )  # fmt: skip
    models = AnswerModels()

    first, second = (
        models.of(decision).choose("How much is the towel?", "en", [passage]) for decision in (1, 2)
    )

    assert first is not None
    assert second is not None
    assert first.best == second.best
    assert first.probability != second.probability
