"""The working time that the agent saves the team."""

from typing import Final

MINUTES_PER_TICKET: Final = 6
"""Assumed working time of a human agent for one ticket, in minutes."""


def hours_saved(resolved_alone: int) -> float:
    """Return the hours that human agents would have spent on this many tickets. `resolved_alone` is
    the number of tickets that were resolved without a human."""
    return resolved_alone * MINUTES_PER_TICKET / 60
