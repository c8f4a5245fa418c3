"""Ranges of days: figures that add up, and figures that do not."""

from datetime import date, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from domain.analytics.insight import Figures, before, change, period, reasons, slices, whole
from domain.analytics.metrics import Breakdown, DayInsight, Slice
from domain.analytics.saved_time import MINUTES_PER_TICKET
from tests.support.analytics.figures import day_insight

FIRST = date(2026, 2, 27)
COUNTS = st.integers(0, 50)
CURRENCIES = st.sampled_from(["EUR", "JPY"])
AMOUNTS = st.integers(1, 10_000)


@st.composite
def made_days(draw: st.DrawFn) -> list[DayInsight]:
    """Return days as SQL counts them: no part exceeds its total."""
    found = []
    for number in range(draw(st.integers(1, 6))):
        asked = draw(COUNTS)
        resolved = draw(st.integers(0, asked))
        is_over, escalated = draw(st.booleans()), draw(st.integers(0, asked))
        reopened = draw(st.integers(0, resolved))
        part = Slice(
            key=draw(st.sampled_from(["", "refund_request"])),
            asked=asked,
            resolved=resolved,
            resolved_alone=draw(st.integers(0, resolved)),
            escalated=escalated,
            reopened=reopened if is_over else None,
            durable=resolved - reopened if is_over else None,
            cost_micros=draw(COUNTS),
            refunds=(refunds := draw(st.integers(0, asked))),
            refunded=draw(st.dictionaries(CURRENCIES, AMOUNTS, min_size=1)) if refunds else {},
            rated=(rated := draw(COUNTS)),
            satisfied=draw(st.integers(0, rated)),
            latencies=draw(st.dictionaries(st.sampled_from(["94", "121"]), COUNTS)),
        )
        found.append(
            day_insight(
                FIRST + timedelta(days=number),
                **part.model_dump(exclude={"key", "refunds", "refunded", "latencies"}),
                runs=asked,
                handled=draw(st.integers(resolved, asked)),
                escalations={"low_confidence": escalated} if escalated else {},
                rating_mean=draw(st.floats(1, 5)) if rated else None,
                breakdown=Breakdown(by_class=(part,), is_detailed=draw(st.booleans())),
            )
        )
    return found


def of_range(days: list[DayInsight]) -> Figures:
    return period(days[0].day, days[-1].day, days).figures


@given(made_days(), st.integers(0, 6))
def test_the_totals_of_days_are_those_of_the_range(days: list[DayInsight], cut: int) -> None:
    total = of_range(days).model_dump()
    parts = [of_range(part).model_dump() for part in (days[:cut], days[cut:]) if part]

    for name, value in total.items():
        if isinstance(value, int):
            assert value == sum(part[name] for part in parts), name
    one = of_range(days)
    assert one.durable + one.reopened <= one.resolved
    assert one.resolved == one.resolved_alone + one.resolved_with_people
    if one.asked:
        assert one.resolution_rate == one.resolved / one.asked
    for known in (one.handled_rate, one.automation_rate, one.escalation_rate, one.durable_rate):
        assert known is None or 0 <= known <= 1


@given(made_days())
def test_parts_add_up_to_the_whole(days: list[DayInsight]) -> None:
    total = of_range(days)
    parts = slices(days, lambda day: day.by_class)

    for name in (
        "asked",
        "resolved",
        "resolved_alone",
        "escalated",
        "followed",
        "durable",
        "refunds",
    ):
        assert sum(getattr(part, name) for part in parts) == getattr(total, name)
    assert sum(part.rated for part in parts) == total.rated
    assert sum(reason.escalated for reason in reasons(days)) == total.escalated


@given(made_days())
def test_refunds_add_up_by_currency(days: list[DayInsight]) -> None:
    found = period(days[0].day, days[-1].day, days)
    parts = slices(days, lambda day: day.by_class)

    for currency in ("EUR", "JPY"):
        drawn = sum(
            part.refunded.get(currency, 0) for day in days for part in day.breakdown.by_class
        )
        whole_sum = sum(one.minor for one in found.refunded if one.currency == currency)
        of_parts = sum(
            one.minor for part in parts for one in part.refunded if one.currency == currency
        )
        assert whole_sum == of_parts == drawn
    assert found.figures.hours_saved == found.figures.resolved_alone * MINUTES_PER_TICKET / 60
    without = [day for day in days if day.runs or day.rated]
    assert found.undetailed == sum(not day.breakdown.is_detailed for day in without)


def test_a_day_of_an_earlier_version_is_missing() -> None:
    old = day_insight(FIRST, asked=None, handled=None, resolved=None, resolved_alone=None)
    new = day_insight(FIRST + timedelta(days=1), asked=4, resolved=3, runs=5)

    found = period(FIRST, FIRST + timedelta(days=2), [old, new])

    assert whole([old, new]) == [new]
    assert (found.counted, found.missing, found.figures.runs) == (1, 2, 5)
    assert (found.figures.followed, found.figures.durable_rate) == (0, None)


@pytest.mark.parametrize(
    ("first", "last", "expected"),
    [
        (date(2026, 3, 1), date(2026, 3, 31), (date(2026, 1, 29), date(2026, 2, 28))),
        (date(2026, 3, 1), date(2026, 3, 1), (date(2026, 2, 28), date(2026, 2, 28))),
    ],
)
def test_the_range_before_is_as_long_and_ends_the_day_before(
    first: date, last: date, expected: tuple[date, date]
) -> None:
    assert before(first, last) == expected


def test_a_change_is_known_where_both_are() -> None:
    now = of_range([day_insight(FIRST, asked=4, resolved=3)])
    then = of_range([day_insight(FIRST, asked=0)])

    found = change(now, then)

    assert (found["asked"], found["resolution_rate"]) == (4, None)
    assert set(found) == set(Figures.model_fields)
