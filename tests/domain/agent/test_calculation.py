"""Calculations in an answer: correct ones, with operands that a source or the customer states."""

from datetime import date, timedelta
from decimal import Decimal

import pytest
from hypothesis import given as given_any
from hypothesis import strategies as st

from domain.agent.grounding.computation import calculation, numbers_in_words

NUMBERS = st.integers(1, 999)


@pytest.mark.parametrize(
    "text",
    [
        "2 * 12.00 + 4.95 = 28.95",
        "2 × 12,00 + 4,95 = 28,95",
        "420/3=140",
        "1800 * 8 / 100 = 144",
        "10 - 3 - 2 = 5",
        "49 * 5.5 / 100 = 2.70",
        "2026-11-24 + 30 days = 2026-12-24",
        "2026-11-24 - 1 day = 2026-11-23",
        "2024-01-31 + 1 month = 2024-02-29",
        "2024-02-29 + 1 year = 2025-02-28",
        "2026-12-30 + 2 weeks = 2027-01-13",
    ],
)
def test_correct_calculations(text: str) -> None:
    assert calculation(text) is not None


@pytest.mark.parametrize(
    "text",
    [
        "",
        "free",
        "2 * 12.00 + 4.95 = 28.94",
        "2 + 2 * 3 = 12",
        "1 / 0 = 0",
        "100 / 100 = 1",
        "(2 + 2) * 3 = 12",
        "__import__('os') = 1",
        "2026-11-24 + 30 days = 2026-12-25",
        "2026-02-30 + 1 day = 2026-03-03",
        "9999-12-31 + 1 day = 9999-12-31",
        "0001-01-01 - 1 year = 0001-01-01",
        "2026-11-24 + 30 apples = 2026-12-24",
        "1 + 1 = 2 and your refund is 500",
    ],
)
def test_other_texts_and_wrong_results(text: str) -> None:
    assert calculation(text) is None


@given_any(st.text(max_size=200))
def test_any_text_is_read(text: str) -> None:
    calculation(text)


@given_any(NUMBERS, NUMBERS, NUMBERS, st.integers(-3, 3))
def test_only_the_true_sum_counts(a: int, b: int, c: int, off: int) -> None:
    done = calculation(f"{a} * {b} + {c} = {a * b + c + off}")
    assert (done is not None) is (off == 0)
    if done is not None:
        assert done.is_known(frozenset(f"number:{one}" for one in (a, b, c)))
        assert f"number:{Decimal(a * b + c).normalize():f}" in done.result


@given_any(st.dates(date(1990, 1, 1), date(2090, 1, 1)), st.integers(1, 900))
def test_only_the_true_date_counts(start: date, days: int) -> None:
    end = start + timedelta(days=days)
    assert calculation(f"{start} + {days} days = {end}") is not None
    assert calculation(f"{start} + {days} days = {end + timedelta(days=1)}") is None


def test_every_operand_must_be_stated() -> None:
    done = calculation("2 * 12.00 + 4.95 = 28.95")
    assert done is not None
    assert done.is_known(frozenset({"number:2", "number:12", "number:4.95"}))
    assert not done.is_known(frozenset({"number:12", "number:4.95"}))
    # "Two" and "a pair" state the number too, which only a judge can see.
    assert done.is_known(frozenset({"number:12", "number:4.95"}), is_judged=True)
    assert not done.is_known(frozenset({"number:2", "number:4.95"}) - {"number:2"}, is_judged=False)
    assert not done.is_known(frozenset(), is_judged=True)


def test_a_large_operand_is_never_assumed() -> None:
    done = calculation("49 + 500 = 549")
    assert done is not None
    assert not done.is_known(frozenset({"number:49"}), is_judged=True)


def test_a_period_counts_in_every_whole_unit() -> None:
    done = calculation("2025-03-14 + 730 days = 2027-03-14")
    assert done is not None
    start = {"date:25-03-14"}
    assert done.is_known(frozenset({*start, "period:2 year"}))
    assert done.is_known(frozenset({*start, "period:24 month"}))
    assert not done.is_known(frozenset({*start, "period:3 year"}))


def test_number_words() -> None:
    assert numbers_in_words("two mugs, deux tasses and twelve") == {"number:2", "number:12"}
