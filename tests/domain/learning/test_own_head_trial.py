"""The rules for the fit and the use of a client's own head."""

from datetime import UTC, datetime, timedelta
from math import sqrt

import pytest
from hypothesis import given
from hypothesis import strategies as st

from domain.learning.own_head_trial import (
    LONGEST,
    MIN_LESSONS,
    HeldBackCount,
    OwnHeadRecord,
    OwnHeadState,
    adopted,
    is_due,
)

NOW = datetime(2026, 11, 27, 3, 10, tzinfo=UTC)
counts = st.integers(0, 500)


def record(
    tickets: int, *, state: OwnHeadState = OwnHeadState.USED, age: timedelta = timedelta(days=1)
) -> OwnHeadRecord:
    return OwnHeadRecord(id="1", created_at=NOW - age, state=state, model="m", tickets=tickets)


def decided(before: int, since: int = 0) -> list[datetime]:
    return [NOW - timedelta(days=9)] * before + [NOW] * since


@given(counts, counts, counts, counts)
def test_a_head_is_used_only_where_it_is_clearly_better(
    won: int, lost: int, both: int, neither: int
) -> None:
    held_back = HeldBackCount(
        tickets=won + lost + both + neither, won=won, lost=lost, both_right=both
    )

    state = adopted(held_back)

    assert (state is OwnHeadState.TOO_FEW) == (held_back.tickets < MIN_LESSONS)
    if state is OwnHeadState.USED:
        assert held_back.own_accuracy > held_back.shared_accuracy
        assert won - lost >= 2 * sqrt(won + lost) > 0
        more = held_back.model_copy(update={"won": won + 1, "tickets": held_back.tickets + 1})
        assert adopted(more) is OwnHeadState.USED


@pytest.mark.parametrize(
    ("latest", "when", "due"),
    [
        (None, [], False),
        (None, decided(1), True),
        (record(200), decided(200), False),
        (record(200), decided(200, 9), False),
        (record(200), decided(200, 10), True),
        (record(200), decided(190), True),  # ten were removed
        (record(1_000), decided(960, 40), False),  # forty replaced the oldest forty
        (record(1_000), decided(950, 50), True),
        (record(200, age=LONGEST), decided(200), True),
        (record(200).model_copy(update={"model": "other"}), decided(200), True),
        (record(40, state=OwnHeadState.TOO_FEW), decided(40), False),
        (record(40, state=OwnHeadState.TOO_FEW), decided(40, 1), True),
        (record(200), decided(50), True),
    ],
)
def test_a_version_lasts_until_its_tickets_are_others(
    latest: OwnHeadRecord | None, when: list[datetime], due: bool
) -> None:
    assert is_due(latest, when, "m", NOW) is due
