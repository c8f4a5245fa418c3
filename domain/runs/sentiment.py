"""The sentiment of a conversation: the zone in which somebody should look at it soon.

The zone is entered at one score and left at a better one, so that a customer who wavers between
them is told of once.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from enum import StrEnum
from itertools import count, groupby
from operator import itemgetter
from typing import Final

from domain.intake.event import UnifiedEvent

CRITICAL_AT: Final = -0.6
"""The zone is entered by this score and by those below it."""

LEFT_ABOVE: Final = -0.4


def has_mood(event: UnifiedEvent) -> bool:
    """Whether somebody wrote the message: a program, or an event without words, has no mood."""
    return event.reply_allowed and bool(event.words.strip())


class Zone(StrEnum):
    CALM = "calm"
    CRITICAL = "critical"


@dataclass(frozen=True, slots=True)
class Scored:
    """A message of a conversation. `zone`: None before it was placed among the others. `told`:
    with it the conversation was said to enter the critical zone."""

    event_id: str
    score: float
    zone: Zone | None = None
    told: bool = False


def after(previous: Zone, score: float) -> tuple[Zone, bool]:
    """The zone after a message of this score (-1 to 1), and whether it was entered just now."""
    stays = previous is Zone.CRITICAL and score <= LEFT_ABOVE
    zone = Zone.CRITICAL if stays or score <= CRITICAL_AT else Zone.CALM
    return zone, zone is not previous and zone is Zone.CRITICAL


def zones(messages: Iterable[Scored]) -> list[Zone]:
    """The zone after each of a conversation's messages, from its beginning or a calm one on."""
    found = []
    zone = Zone.CALM
    for message in messages:
        zone, _ = after(zone, message.score)
        found.append(zone)
    return found


def untold(messages: Sequence[Scored]) -> list[int]:
    """The places of the messages that entered the zone and must be told of now.

    `messages` as for `zones`, in the order in which they were written: two may be thought about at
    once, and the earlier one end last. It can then enter the zone before a message that was told
    of, or cut a stay in two. Each stay in the zone is told once, by whichever message.
    """
    found = []
    for zone, stay in groupby(zip(zones(messages), count(), messages, strict=False), itemgetter(0)):
        members = list(stay)
        if zone is Zone.CRITICAL and not any(message.told for _, _, message in members):
            found.append(members[0][1])
    return found
