"""Rounding of durations for display."""


def whole(seconds: float, unit: int) -> int:
    """Return the duration in whole units of `unit` seconds, rounded half up: 71 h 59 min is 3
    days."""
    return int((seconds + unit / 2) // unit)
