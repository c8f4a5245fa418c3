"""The waiting time of a message for a language model, before a human gets the message."""

from collections.abc import Mapping
from datetime import timedelta
from typing import Final

from domain.intake.event import Channel

FIRST_WAIT: Final = timedelta(minutes=1)
LONGEST_WAIT: Final = timedelta(minutes=30)
LONGEST_PATIENCE: Final = timedelta(hours=24)
"""Maximum total waiting time that can be configured. A run's lifetime includes it."""

ModelPatience = Mapping[Channel, timedelta]
"""The total waiting time by channel. Messages of other channels do not wait."""


def wait_before_retry(patience: timedelta, waited: timedelta, tries: int) -> timedelta:
    """Return the delay before the next model call, or zero to hand the message to a human now.

    `patience` limits the total wait. Each delay is twice the previous one, up to `LONGEST_WAIT`.
    """
    left = patience - waited
    if left <= timedelta(0):
        return timedelta(0)
    wait = FIRST_WAIT
    for _ in range(tries):
        wait = min(2 * wait, LONGEST_WAIT)
    return min(wait, left)
