"""Similarity: how well it separates answers with the same meaning, on hand-labelled pairs."""

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import BaseModel, ConfigDict

from domain.core.strict_yaml import read_yaml
from domain.learning.similarity import SAME_MEANING, similarity


class _Pairs(BaseModel):
    model_config = ConfigDict(extra="forbid")

    same: list[tuple[str, str]]
    different: list[tuple[str, str]]


class _File(BaseModel):
    model_config = ConfigDict(extra="forbid")

    choose: _Pairs
    held: _Pairs


_FILE = Path(__file__).with_name("similarity_pairs.yaml")
PAIRS = _File.model_validate(read_yaml(_FILE.read_text(encoding="utf-8")))


def _right(pairs: _Pairs) -> int:
    return sum(similarity(*one) >= SAME_MEANING for one in pairs.same) + sum(
        similarity(*one) < SAME_MEANING for one in pairs.different
    )


def _area_under_curve(pairs: _Pairs) -> float:
    """Return how often a pair with the same meaning is closer than a pair with two meanings."""
    same = [similarity(*one) for one in pairs.same]
    other = [similarity(*one) for one in pairs.different]
    wins = sum((near > far) + (near == far) / 2 for near in same for far in other)
    return wins / (len(same) * len(other))


@pytest.mark.parametrize(
    ("pairs", "right", "area"),
    [(PAIRS.choose, 46, 0.95), (PAIRS.held, 43, 0.91)],
    ids=["choose", "held"],
)
def test_it_is_as_good_as_the_documents_say(pairs: _Pairs, right: int, area: float) -> None:
    assert len(pairs.same) == len(pairs.different) == 25
    assert _right(pairs) >= right
    assert _area_under_curve(pairs) >= area


@given(st.text(max_size=200), st.text(max_size=200))
def test_it_is_symmetric_and_a_share(one: str, other: str) -> None:
    assert 0 <= similarity(one, other) <= 1
    assert similarity(one, other) == similarity(other, one)
    assert similarity(one, one) == 1
