"""The sentiment of a conversation, and the critical zone in which a person should soon look at it.

The zone is entered at one score and left at a better one, so that a wavering customer causes only
one notification.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from enum import StrEnum
from itertools import count, groupby
from operator import itemgetter
from typing import Final

from domain.intake.event import UnifiedEvent

CRITICAL_AT: Final = -0.6
"""A score at or below this value enters the critical zone."""

LEFT_ABOVE: Final = -0.4


def has_mood(event: UnifiedEvent) -> bool:
    """Return whether a person wrote the message, so that it has a sentiment. Automatic mails and
    events without text have none."""
    return event.reply_allowed and bool(event.words.strip())


class Zone(StrEnum):
    CALM = "calm"
    CRITICAL = "critical"


@dataclass(frozen=True, slots=True)
class Scored:
    """A message of a conversation. `zone`: None until it is computed from the order of messages.
    `told`: the message caused the notification that the conversation entered the critical zone."""

    event_id: str
    score: float
    zone: Zone | None = None
    told: bool = False


def after(previous: Zone, score: float) -> tuple[Zone, bool]:
    """Return the zone after a message of this score (-1 to 1), and whether this message entered
    it."""
    stays = previous is Zone.CRITICAL and score <= LEFT_ABOVE
    zone = Zone.CRITICAL if stays or score <= CRITICAL_AT else Zone.CALM
    return zone, zone is not previous and zone is Zone.CRITICAL


def zones(messages: Iterable[Scored]) -> list[Zone]:
    """Return the zone after each message of a conversation.

    The messages start at the conversation's beginning or after a calm message.
    """
    found = []
    zone = Zone.CALM
    for message in messages:
        zone, _ = after(zone, message.score)
        found.append(zone)
    return found


def untold(messages: Sequence[Scored]) -> list[int]:
    """Return the indexes of the messages that entered the critical zone and still need a
    notification.

    `messages`: as for `zones`, in the order in which they were written. Two messages may be
    processed concurrently, and the earlier one may finish last. The earlier message can then enter
    the zone before a message that was already notified, or split one stay in the zone in two. Each
    stay is notified once.
    """
    found = []
    for zone, stay in groupby(zip(zones(messages), count(), messages, strict=False), itemgetter(0)):
        members = list(stay)
        if zone is Zone.CRITICAL and not any(message.told for _, _, message in members):
            found.append(members[0][1])
    return found
