"""The words of a search."""

import pytest

from domain.dashboard.search import MAX_WORDS, matches, searched_words


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("Sophie", ("sophie",)),
        ("  Été  ÉTÉ ", ("ete",)),
        ("l'œuf n° 1042", ("l", "oeuf", "n", "1042")),
        (r"a.*b \m(x", ("a", "b", "m", "x")),
        ("'; --", ()),
    ],
)
def test_words_are_plain(text: str, words: tuple[str, ...]) -> None:
    assert searched_words(text) == words


def test_words_are_few() -> None:
    assert len(searched_words(" ".join(map(str, range(100))))) == MAX_WORDS


def test_beginnings_match() -> None:
    assert matches(("art", "new"), "New article")
    assert matches(("equi",), "Équipe")
    assert not matches(("ticle",), "New article")
    assert matches((), "anything")
