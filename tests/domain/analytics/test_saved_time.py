"""Hours that the agent saves."""

from domain.analytics.saved_time import MINUTES_PER_TICKET, hours_saved


def test_hours_follow_from_the_minutes_of_a_ticket() -> None:
    assert hours_saved(0) == 0
    assert hours_saved(60) == MINUTES_PER_TICKET
