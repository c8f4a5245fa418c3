"""Texts are tokenized as in scikit-learn, which trained the committed model."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.feature_extraction.text import CountVectorizer
from sklearn.utils import murmurhash3_32

from adapters.brain.features import bucket_hash, fold, phrases, spellings
from training.train import EXAMPLES_PATH, read_examples

FOLDED = [fold(example.text) for example in read_examples(EXAMPLES_PATH)]
ANY_TEXT = st.text(st.characters(max_codepoint=127), max_size=200)

_spellings = CountVectorizer(
    analyzer="char_wb", ngram_range=(3, 5), lowercase=False
).build_analyzer()
_phrases = CountVectorizer(
    ngram_range=(1, 2), lowercase=False, token_pattern=r"[a-z0-9]+|[?!]"
).build_analyzer()


def test_spellings_of_the_examples_are_those_of_scikit_learn() -> None:
    assert len(FOLDED) > 1_000
    assert [text for text in FOLDED if spellings(text) != _spellings(text)] == []


@given(ANY_TEXT)
def test_spellings_of_any_text_are_those_of_scikit_learn(text: str) -> None:
    assert spellings(text) == _spellings(text)


@given(ANY_TEXT)
def test_phrases_without_clauses_are_those_of_scikit_learn(text: str) -> None:
    one_clause = text.translate(dict.fromkeys(map(ord, ".!?,;:\n"), " "))

    assert phrases(one_clause) == _phrases(f"zstart {one_clause}")


def test_every_clause_has_its_start() -> None:
    assert phrases("ou? la") == [
        *("zstart", "ou", "?", "zstart", "la"),
        *("zstart ou", "ou ?", "? zstart", "zstart la"),
    ]


@pytest.mark.parametrize("token", ["", "a", "ou est", " ab", "zstart zstart", "x" * 2_000])
def test_a_hash_is_that_of_scikit_learn(token: str) -> None:
    assert bucket_hash(token) == murmurhash3_32(token, positive=True)


@given(st.text(max_size=50))
def test_any_hash_is_that_of_scikit_learn(token: str) -> None:
    assert bucket_hash(token) == murmurhash3_32(token, positive=True)
