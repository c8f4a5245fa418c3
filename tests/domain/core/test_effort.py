import pytest

from domain.core.effort import budget, spend
from domain.core.errors import OverBudget


def test_what_is_spent_within_a_budget_counts_together() -> None:
    with budget(10) as effort:
        spend(4)
        spend(6)
        assert effort.spent == 10
        with pytest.raises(OverBudget):
            spend(1)


def test_without_a_budget_nothing_is_counted() -> None:
    spend(10**12)


def test_a_budget_ends_with_its_block() -> None:
    with budget(1):
        pass
    spend(2)
