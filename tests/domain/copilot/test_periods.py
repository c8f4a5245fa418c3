"""The days that a question names."""

from datetime import date

from domain.copilot.periods import LastDays, NamedPeriod, days_in, period_named, whole_days_in
from domain.copilot.words import plain_words
from tests.support.core.each import each

SATURDAY = date(2026, 11, 28)


@each(
    [
        ("What did the agent refund today?", NamedPeriod.TODAY),
        ("Les plaintes du jour", NamedPeriod.TODAY),
        ("Et hier ?", NamedPeriod.YESTERDAY),
        ("How many this week?", NamedPeriod.THIS_WEEK),
        ("la semaine dernière", NamedPeriod.LAST_WEEK),
        ("ce mois-ci", NamedPeriod.THIS_MONTH),
        ("last month", NamedPeriod.LAST_MONTH),
        ("What was the last refund this month?", NamedPeriod.THIS_MONTH),
        ("Quel est le dernier remboursement de ce mois ?", NamedPeriod.THIS_MONTH),
        ("les dernières plaintes de cette semaine", NamedPeriod.THIS_WEEK),
        ("this month and last month", NamedPeriod.LAST_MONTH),
        ("cette semaine et la semaine précédente", NamedPeriod.LAST_WEEK),
        ("ce mois dernier", NamedPeriod.LAST_MONTH),
        ("ce trimestre", NamedPeriod.QUARTER),
        ("Which questions have no answer?", None),
    ]
)
def test_names(text: str, period: NamedPeriod | None) -> None:
    assert period_named(plain_words(text)) is period


@each(
    [
        ("Combien de tickets en 10 jours ?", 10),
        ("les 10 derniers jours", 10),
        ("refunds, 20 d", 20),
        ("refunds in 20d", 20),
        ("last 2 weeks", 14),
        ("les deux dernières semaines", 14),
        ("over the past three months", 90),
        ("sur 6 mois", 180),
        ("the last 900 days", 366),
        ("0 days", 1),
    ]
)
def test_counted_days(text: str, days: int) -> None:
    period = period_named(plain_words(text))
    assert period == LastDays(days)
    first, last = days_in(period, SATURDAY)
    assert (last, (last - first).days) == (SATURDAY, days - 1)
    assert whole_days_in(period, SATURDAY) == (first, last)


@each(
    [
        (NamedPeriod.TODAY, SATURDAY, SATURDAY),
        (NamedPeriod.YESTERDAY, date(2026, 11, 27), date(2026, 11, 27)),
        (NamedPeriod.THIS_WEEK, date(2026, 11, 23), SATURDAY),
        (NamedPeriod.LAST_WEEK, date(2026, 11, 16), date(2026, 11, 22)),
        (NamedPeriod.THIS_MONTH, date(2026, 11, 1), SATURDAY),
        (NamedPeriod.LAST_MONTH, date(2026, 10, 1), date(2026, 10, 31)),
        (NamedPeriod.QUARTER, date(2026, 8, 31), SATURDAY),
    ]
)
def test_days(period: NamedPeriod, first: date, last: date) -> None:
    assert days_in(period, SATURDAY) == (first, last)


def test_whole_days() -> None:
    friday = date(2026, 11, 27)
    assert whole_days_in(NamedPeriod.THIS_MONTH, friday) == (date(2026, 11, 1), friday)
    assert whole_days_in(NamedPeriod.TODAY, friday) == (friday, friday)
    sunday = date(2026, 11, 22)
    assert whole_days_in(NamedPeriod.THIS_WEEK, sunday) == (date(2026, 11, 16), sunday)
    last_of_october = date(2026, 10, 31)
    assert whole_days_in(NamedPeriod.THIS_MONTH, last_of_october) == (
        date(2026, 10, 1),
        last_of_october,
    )
