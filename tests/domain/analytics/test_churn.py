"""The churn score: bounded, explained by its factors, and never lower when a factor gets worse."""

from dataclasses import replace
from datetime import UTC, date, datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from domain.analytics.churn import (
    HIGH_FROM,
    MEDIUM_FROM,
    WEIGHTS,
    ChurnLevel,
    FactorName,
    History,
    level_of,
    predict,
    week_of,
)

NOW = datetime(2026, 3, 2, 1, 10, tzinfo=UTC)
CALM = History(
    first_contact=NOW - timedelta(days=100), last_contact=NOW - timedelta(days=10), contact_days=10
)

_moods = st.none() | st.floats(-1, 1)


@st.composite
def histories(draw: st.DrawFn) -> History:
    ago = draw(st.integers(0, 180))
    return History(
        first_contact=NOW - timedelta(days=ago + draw(st.integers(0, 180 - ago))),
        last_contact=NOW - timedelta(days=ago),
        contact_days=draw(st.integers(1, 100)),
        mood_recent=draw(_moods),
        mood_before=draw(_moods),
        mood_last=draw(_moods),
        same_matter=draw(st.integers(0, 20)),
        unresolved=draw(st.integers(0, 20)),
        last_unresolved=draw(st.booleans()),
    )


def values(history: History, now: datetime = NOW) -> dict[FactorName, float]:
    return {factor.name: factor.value for factor in predict(history, now).factors}


def test_weights_make_one() -> None:
    assert sum(WEIGHTS.values()) == pytest.approx(1)
    assert set(WEIGHTS) == set(FactorName)


@given(histories())
def test_the_score_is_the_sum_of_what_its_factors_contribute(history: History) -> None:
    prediction = predict(history, NOW)

    assert 0 <= prediction.score <= 1
    assert prediction.score == pytest.approx(sum(f.contribution for f in prediction.factors))
    assert [factor.name for factor in prediction.factors] == list(FactorName)
    for factor in prediction.factors:
        assert 0 <= factor.value <= 1
        assert factor.contribution == pytest.approx(factor.value * factor.weight, abs=1e-4)
    assert prediction.level is level_of(prediction.score)


@given(histories(), st.data())
def test_what_gets_worse_never_lowers_the_score(history: History, data: st.DataObject) -> None:
    before = predict(history, NOW).score
    worse = [
        replace(history, same_matter=history.same_matter + data.draw(st.integers(0, 5))),
        replace(history, unresolved=history.unresolved + data.draw(st.integers(0, 5))),
        replace(history, last_unresolved=True),
    ]
    if history.mood_recent is not None:
        worse.append(replace(history, mood_recent=data.draw(st.floats(-1, history.mood_recent))))
    if history.mood_last is not None:
        worse.append(replace(history, mood_last=data.draw(st.floats(-1, history.mood_last))))
    if history.mood_before is not None:
        worse.append(replace(history, mood_before=data.draw(st.floats(history.mood_before, 1))))

    for one in worse:
        assert predict(one, NOW).score >= before, one
    later = NOW + timedelta(days=data.draw(st.integers(0, 100)))
    assert predict(history, later).score >= before


@pytest.mark.parametrize(
    ("history", "name", "value"),
    [
        (CALM, FactorName.SENTIMENT, 0),
        (replace(CALM, mood_recent=0.9), FactorName.SENTIMENT, 0),
        (replace(CALM, mood_recent=-0.5), FactorName.SENTIMENT, 0.5),
        (replace(CALM, mood_recent=-0.5), FactorName.TREND, 0),
        (replace(CALM, mood_recent=-0.5, mood_before=0.0), FactorName.TREND, 0.5),
        (replace(CALM, mood_recent=-0.5, mood_before=0.9), FactorName.TREND, 1),
        (replace(CALM, mood_recent=0.5, mood_before=0.1), FactorName.TREND, 0),
        (replace(CALM, same_matter=1), FactorName.REPEATS, 0),
        (replace(CALM, same_matter=2), FactorName.REPEATS, 0.3333),
        (replace(CALM, same_matter=9), FactorName.REPEATS, 1),
        (replace(CALM, unresolved=1), FactorName.UNRESOLVED, 0.5),
        (replace(CALM, unresolved=5), FactorName.UNRESOLVED, 1),
        # They wrote every 10 days, and have been silent for 10, 20 and 40 days.
        (replace(CALM, last_unresolved=True), FactorName.SILENCE, 0),
    ],
)
def test_factors(history: History, name: FactorName, value: float) -> None:
    assert values(history)[name] == value


@pytest.mark.parametrize(("days", "value"), [(0, 0), (10, 0.5), (30, 1), (300, 1)])
def test_silence_counts_from_the_usual_pause_on_after_a_bad_end(days: int, value: float) -> None:
    later = NOW + timedelta(days=days)

    assert values(replace(CALM, last_unresolved=True), later)[FactorName.SILENCE] == value
    assert values(replace(CALM, mood_last=-0.6), later)[FactorName.SILENCE] == value
    assert values(replace(CALM, mood_last=-0.5), later)[FactorName.SILENCE] == 0


def test_who_wrote_on_one_day_is_thought_to_write_once_in_thirty() -> None:
    once = replace(CALM, first_contact=CALM.last_contact, contact_days=1, last_unresolved=True)

    assert values(once, CALM.last_contact + timedelta(days=30))[FactorName.SILENCE] == 0
    assert values(once, CALM.last_contact + timedelta(days=60))[FactorName.SILENCE] == 0.5


def test_levels_begin_at_their_bounds() -> None:
    below = 0.0001
    assert [level_of(score) for score in (0, MEDIUM_FROM - below, MEDIUM_FROM)] == [
        ChurnLevel.LOW, ChurnLevel.LOW, ChurnLevel.MEDIUM
    ]  # fmt: skip
    assert [level_of(score) for score in (HIGH_FROM - below, HIGH_FROM, 1)] == [
        ChurnLevel.MEDIUM, ChurnLevel.HIGH, ChurnLevel.HIGH
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("at", "monday"),
    [
        (datetime(2026, 3, 2, 0, 0, tzinfo=UTC), date(2026, 3, 2)),
        (datetime(2026, 3, 8, 23, 59, 59, tzinfo=UTC), date(2026, 3, 2)),
        (datetime(2026, 1, 1, 12, 0, tzinfo=UTC), date(2025, 12, 29)),
        (datetime.fromisoformat("2026-03-09T01:00:00+02:00"), date(2026, 3, 2)),
    ],
)
def test_a_week_begins_on_monday_of_utc(at: datetime, monday: date) -> None:
    assert week_of(at) == monday
