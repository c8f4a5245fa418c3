"""The difference between two texts: nothing is lost, and hostile texts are cheap."""

import time
from itertools import pairwise

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from domain.core.comparable import MOST_UNITS, DiffBudget
from domain.learning.word_diff import Piece, PieceKind, word_diff

EQUAL, INSERT, DELETE = PieceKind.EQUAL, PieceKind.INSERT, PieceKind.DELETE

TEXTS = st.one_of(
    st.text(max_size=200),
    st.lists(st.sampled_from(["a", "b", "c", " ", "\n", ", ", "30", "€"]), max_size=80).map(
        "".join
    ),
)


def _pieces(before: str, after: str) -> list[tuple[PieceKind, str]]:
    return [(piece.kind, piece.text) for piece in word_diff(before, after)]


@settings(max_examples=150)
@given(TEXTS, TEXTS)
def test_both_texts_can_be_put_together_again(before: str, after: str) -> None:
    pieces = word_diff(before, after)

    assert "".join(one.text for one in pieces if one.kind is not INSERT) == before
    assert "".join(one.text for one in pieces if one.kind is not DELETE) == after
    assert all(one.text for one in pieces)
    kinds = [one.kind for one in pieces]
    assert all(one is not other for one, other in pairwise(kinds))


@settings(max_examples=50)
@given(TEXTS)
def test_a_text_does_not_differ_from_itself(text: str) -> None:
    assert word_diff(text, text) == ((Piece(kind=EQUAL, text=text),) if text else ())


def test_words_are_compared_and_not_letters() -> None:
    assert _pieces("Livré en 3 jours.", "Livré en 30 jours ouvrés.") == [
        (EQUAL, "Livré en "),
        (DELETE, "3"),
        (INSERT, "30"),
        (EQUAL, " jours"),
        (INSERT, " ouvrés"),
        (EQUAL, "."),
    ]


def test_what_is_too_long_is_compared_by_lines_and_then_as_a_whole() -> None:
    many = " ".join(f"w{number}" for number in range(MOST_UNITS))
    assert _pieces(f"a {many}\nsame\n", f"{many} b\nsame\n") == [
        (DELETE, f"a {many}\n"), (INSERT, f"{many} b\n"), (EQUAL, "same\n"),
    ]  # fmt: skip
    lines = "\n".join("ab" * 1_000)
    assert [kind for kind, _ in _pieces(f"x\n{lines}\ny", f"z\n{lines}\nlines\nw")] == [
        DELETE, INSERT,
    ]  # fmt: skip


@pytest.mark.parametrize(
    "words",
    [["a", "b"], ["a"], [f"w{number}" for number in range(40)]],
    ids=["two words", "one word", "forty words"],
)
def test_hostile_texts_cost_little(words: list[str]) -> None:
    text = " ".join(words * (20_000 // len(words) // 2))[:20_000]
    began = time.process_time()

    word_diff(f"x {text} y", f"z {text[3:]} v")

    assert time.process_time() - began < 1


def _many_levels(levels: int, repeated: int, own: str, separator: str = " ", pad: str = "") -> str:
    """Return a text with a common and an own unit in turn. `difflib` compares the repeated units at
    the end once more for each of them."""
    units = [f"{unit}{number}{pad}" for number in range(levels) for unit in ("x", f"{own}u")]
    ends = [unit for number in range(repeated) for unit in (f"zz{pad}", f"{own}p{number}{pad}")]
    return separator.join([*units, *ends])


@pytest.mark.parametrize(
    ("levels", "repeated", "separator", "pad"),
    [(300, 190, " ", ""), (780, 190, "\n", ""), (780, 190, "\n", " a b c d e f")],
    ids=["words", "words on lines", "lines"],
)
def test_many_small_differences_cost_little(
    levels: int, repeated: int, separator: str, pad: str
) -> None:
    """Earlier, these texts of 5,000 to 33,000 characters took one to three seconds."""
    before, after = (_many_levels(levels, repeated, own, separator, pad) for own in "ab")
    began = time.thread_time()

    pieces = word_diff(before, after)

    assert time.thread_time() - began < 0.5
    assert [one.kind for one in pieces] == [DELETE, INSERT]


def test_a_page_of_expensive_diffs_has_one_limit() -> None:
    before, after = (_many_levels(100, 30, own) for own in "ab")
    budget = DiffBudget()

    shown = [word_diff(before, after, budget) for _ in range(100)]

    assert budget.left >= 0
    assert len(shown[0]) > 2
    assert [one.kind for one in shown[-1]] == [DELETE, INSERT]
