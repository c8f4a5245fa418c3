"""The embedded brain on the hand-labelled sets: no forbidden outcome occurs."""

import pytest

from evaluation.contestant import configured
from evaluation.hand_sets import figures_of_harm, read_hand_sets


@pytest.mark.slow
async def test_no_bound_of_harm_is_broken() -> None:
    """`make eval` checks the minimum values and all targets."""
    figures = await figures_of_harm(configured(), read_hand_sets())
    bounds = [figure for figure in figures if figure.most is not None]

    assert {figure.of for figure in bounds} == {
        "actions", "safety", "injections", "honest messages", "templates", "replies",
        "drafts",
    }  # fmt: skip
    assert [(figure.of, figure.text, figure.misses) for figure in bounds if not figure.met] == []
