"""Rounding of durations for display."""


def whole(seconds: float, unit: int) -> int:
    """Return the duration in whole units, rounded half up. A duration of 71 h 59 min is 3 days, not
    2. `unit`: the length of a unit, in seconds."""
    return int((seconds + unit / 2) // unit)
