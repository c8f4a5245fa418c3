"""A conversation's triage by members: its status, assignee and tags."""

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from enum import StrEnum
from typing import Final

from pydantic import BaseModel, ConfigDict

from domain.runs.errors import InvalidTriage

MAX_TAGS: Final = 20
"""Maximum number of tags on a conversation."""

MAX_TAG: Final = 40
"""Maximum length of a tag, in characters."""

LONGEST_SNOOZE: Final = timedelta(days=365)
"""Maximum duration for which a conversation can be snoozed."""

MAX_AT_ONCE: Final = 100
"""Maximum number of conversations that one change can cover."""


class ConversationStatus(StrEnum):
    """The status of a conversation. A `snoozed` conversation reopens at a set time. The customer's
    next message reopens a snoozed or closed conversation."""

    OPEN = "open"
    SNOOZED = "snoozed"
    CLOSED = "closed"


class ConversationTriage(BaseModel):
    """The triage of a conversation. `snoozed_until` is set only for a snoozed one. `assignee` is a
    member's id, or None. `tags` are in alphabetical order."""

    model_config = ConfigDict(frozen=True)

    status: ConversationStatus = ConversationStatus.OPEN
    snoozed_until: datetime | None = None
    assignee: str | None = None
    tags: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class TriageChange:
    """A change to a conversation's triage. None leaves a value unchanged. Only the status `snoozed`
    takes and requires `snoozed_until`. An empty `assignee` removes it."""

    status: ConversationStatus | None = None
    snoozed_until: datetime | None = None
    assignee: str | None = None
    tags: tuple[str, ...] | None = None

    def applied_to(self, present: ConversationTriage, now: datetime) -> ConversationTriage:
        """Return the triage after the change. Raises InvalidTriage if the change is invalid."""
        self._check_snooze(now)
        change: dict[str, object] = {}
        if self.status is not None:
            # Convert after the check because extreme times do not exist in UTC.
            until = self.snoozed_until
            until = None if until is None else until.astimezone(UTC)
            change |= {"status": self.status, "snoozed_until": until}
        if self.assignee is not None:
            change["assignee"] = self.assignee or None
        if self.tags is not None:
            change["tags"] = checked_tags(self.tags)
        return present.model_copy(update=change)

    def _check_snooze(self, now: datetime) -> None:
        if (self.status is ConversationStatus.SNOOZED) != (self.snoozed_until is not None):
            raise InvalidTriage(
                "snoozed_until: needed for the status snoozed, and only for it",
                "champ « snoozed_until » : requis pour le statut snoozed, et pour lui seul",
            )
        until = self.snoozed_until
        if until is not None and not now < until <= now + LONGEST_SNOOZE:
            raise InvalidTriage(
                f"snoozed_until: a time in the future, within {LONGEST_SNOOZE.days} days",
                f"champ « snoozed_until » : une date à venir, sous {LONGEST_SNOOZE.days} jours",
            )


def checked_tags(tags: tuple[str, ...]) -> tuple[str, ...]:
    """Return the tags without surrounding white space and duplicates, in alphabetical order. Raises
    InvalidTriage for an empty tag, a tag that is too long, and too many tags."""
    trimmed = sorted({" ".join(tag.split()) for tag in tags})
    if len(trimmed) > MAX_TAGS or any(not 0 < len(tag) <= MAX_TAG for tag in trimmed):
        raise InvalidTriage(
            f"tags: {MAX_TAGS} at most, of 1 to {MAX_TAG} characters",
            f"champ « tags » : {MAX_TAGS} au plus, de 1 à {MAX_TAG} caractères",
        )
    return tuple(trimmed)


def checked_choice(conversation_ids: Iterable[str]) -> list[str]:
    """Return the ids of the conversations that a change covers, without duplicates and in ascending
    order. Raises InvalidTriage if there are none or more than MAX_AT_ONCE."""
    chosen = sorted(set(conversation_ids))
    if not 0 < len(chosen) <= MAX_AT_ONCE:
        raise InvalidTriage(
            f"conversation_ids: 1 to {MAX_AT_ONCE} conversations",
            f"champ « conversation_ids » : de 1 à {MAX_AT_ONCE} conversations",
        )
    return chosen
