"""The days that a question names."""

from datetime import date

from domain.copilot.periods import Period, days_in, period_named, whole_days_in
from domain.copilot.words import plain_words
from tests.support.core.each import each

SATURDAY = date(2026, 11, 28)


@each(
    [
        ("What did the agent refund today?", Period.TODAY),
        ("Les plaintes du jour", Period.TODAY),
        ("Et hier ?", Period.YESTERDAY),
        ("How many this week?", Period.THIS_WEEK),
        ("la semaine dernière", Period.LAST_WEEK),
        ("ce mois-ci", Period.THIS_MONTH),
        ("last month", Period.LAST_MONTH),
        ("ce trimestre", Period.QUARTER),
        ("Which questions have no answer?", None),
    ]
)
def test_names(text: str, period: Period | None) -> None:
    assert period_named(plain_words(text)) is period


@each(
    [
        (Period.TODAY, SATURDAY, SATURDAY),
        (Period.YESTERDAY, date(2026, 11, 27), date(2026, 11, 27)),
        (Period.THIS_WEEK, date(2026, 11, 23), SATURDAY),
        (Period.LAST_WEEK, date(2026, 11, 16), date(2026, 11, 22)),
        (Period.THIS_MONTH, date(2026, 11, 1), SATURDAY),
        (Period.LAST_MONTH, date(2026, 10, 1), date(2026, 10, 31)),
        (Period.QUARTER, date(2026, 8, 31), SATURDAY),
    ]
)
def test_days(period: Period, first: date, last: date) -> None:
    assert days_in(period, SATURDAY) == (first, last)


def test_whole_days() -> None:
    friday = date(2026, 11, 27)
    assert whole_days_in(Period.THIS_MONTH, friday) == (date(2026, 11, 1), friday)
    assert whole_days_in(Period.TODAY, friday) == (friday, friday)
    sunday = date(2026, 11, 22)
    assert whole_days_in(Period.THIS_WEEK, sunday) == (date(2026, 11, 16), sunday)
    last_of_october = date(2026, 10, 31)
    assert whole_days_in(Period.THIS_MONTH, last_of_october) == (
        date(2026, 10, 1),
        last_of_october,
    )
