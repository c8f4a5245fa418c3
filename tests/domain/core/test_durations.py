"""Durations are rounded to the displayed unit."""

import pytest

from domain.core.durations import whole

DAY = 86_400


@pytest.mark.parametrize(
    ("seconds", "unit", "units"),
    [
        *((0, 60, 0), (29.9, 60, 0), (30, 60, 1), (90, 60, 2)),
        *((3 * DAY - 1, DAY, 3), (2.5 * DAY - 1, DAY, 2), (2.5 * DAY, DAY, 3)),
    ],
)
def test_half_a_unit_is_rounded_up(seconds: float, unit: int, units: int) -> None:
    assert whole(seconds, unit) == units
