"""The sentiment of a conversation, and the critical zone, in which a human should look at it soon.

The zone has separate scores for entry and exit (hysteresis), so that a fluctuating score triggers
only one notification.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from enum import StrEnum
from itertools import count, groupby
from operator import itemgetter
from typing import Final

from domain.intake.event import UnifiedEvent

CRITICAL_AT: Final = -0.6
"""Maximum score at which a conversation enters the critical range."""

LEFT_ABOVE: Final = -0.4


def has_mood(event: UnifiedEvent) -> bool:
    """Return True if the message was written by a person and has text, so that it has a
    sentiment."""
    return event.reply_allowed and bool(event.words.strip())


class Zone(StrEnum):
    CALM = "calm"
    CRITICAL = "critical"


@dataclass(frozen=True, slots=True)
class Scored:
    """A scored message in a conversation. `zone` is None until it is computed from the order of the
    messages. `notified` means that a notification was sent for entering the critical zone."""

    event_id: str
    score: float
    zone: Zone | None = None
    notified: bool = False


def after(previous: Zone, score: float) -> tuple[Zone, bool]:
    """Return the zone after a message with this score (-1 to 1), and whether the message entered
    the critical zone."""
    stays = previous is Zone.CRITICAL and score <= LEFT_ABOVE
    zone = Zone.CRITICAL if stays or score <= CRITICAL_AT else Zone.CALM
    return zone, zone is not previous and zone is Zone.CRITICAL


def zones(messages: Iterable[Scored]) -> list[Zone]:
    """Return the zone after each message of a conversation.

    `messages`: in the order in which they were written, starting at the beginning of the
    conversation or after a calm message.
    """
    found = []
    zone = Zone.CALM
    for message in messages:
        zone, _ = after(zone, message.score)
        found.append(zone)
    return found


def unnotified(messages: Sequence[Scored]) -> list[int]:
    """Return the indexes of the messages that entered the critical zone and still need a
    notification.

    Each stay in the zone triggers one notification, even if messages are scored out of order. A
    late score can extend a notified stay, or split it into two.
    """
    found = []
    for zone, stay in groupby(zip(zones(messages), count(), messages, strict=False), itemgetter(0)):
        members = list(stay)
        if zone is Zone.CRITICAL and not any(message.notified for _, _, message in members):
            found.append(members[0][1])
    return found
