"""The bounded comparison returns the same result as `difflib`."""

from difflib import SequenceMatcher, unified_diff

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from domain.core.comparable import MOST_STEPS, DiffBudget, comparison, unified
from domain.core.effort import budget

UNITS = st.lists(st.sampled_from(["a", "b", "c", "d", " ", "\n"]), max_size=40)


@settings(max_examples=300)
@given(UNITS, UNITS, st.booleans())
def test_it_is_the_comparison_of_difflib(old: list[str], new: list[str], blanks: bool) -> None:
    is_blank = str.isspace if blanks else None

    found = comparison(old, new, is_blank=is_blank)

    assert found is not None
    assert found.get_opcodes() == SequenceMatcher(is_blank, old, new, False).get_opcodes()


@settings(max_examples=300)
@given(UNITS, UNITS, st.integers(1, 8))
def test_lines_are_those_of_difflib(old: list[str], new: list[str], times: int) -> None:
    lines = [f"{unit!r}\n" for unit in old * times], [f"{unit!r}\n" for unit in new * times]

    assert old == new or list(unified(*lines)) == list(unified_diff(*lines, "before", "after"))


@pytest.mark.parametrize("levels", [300, 500, 1_000])
def test_the_steps_of_a_comparison_are_limited(levels: int) -> None:
    old, new = (
        [unit for number in range(levels) for unit in (f"x{number}", f"{own}{number}")]
        + ["z", own] * 190
        for own in "uv"
    )
    pages = DiffBudget()

    with budget() as effort:
        assert comparison(old, new, budget=pages) is None

    assert effort.spent <= MOST_STEPS + len(old) + len(new)
    assert DiffBudget().left - pages.left == effort.spent
