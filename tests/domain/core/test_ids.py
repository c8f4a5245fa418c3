"""Ids sorted by time."""

from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st
from ulid import ULID

from domain.core.ids import first_ulid

TIMES = st.datetimes(datetime(1970, 1, 2), datetime(9999, 1, 1), timezones=st.just(UTC))  # noqa: DTZ001


@given(TIMES)
def test_no_id_of_then_is_before_the_first(at: datetime) -> None:
    earlier = at - timedelta(milliseconds=2)
    assert str(ULID.from_datetime(earlier)) < first_ulid(at) <= str(ULID.from_datetime(at))


@pytest.mark.parametrize("at", [datetime(1926, 1, 1, tzinfo=UTC), datetime(1, 1, 1, tzinfo=UTC)])
def test_no_id_is_from_before_there_were_ids(at: datetime) -> None:
    assert first_ulid(at) == "0" * 26
