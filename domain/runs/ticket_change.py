"""A change to several tickets of the inbox at once."""

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum

from domain.runs.errors import InvalidTriage
from domain.runs.triage import MAX_AT_ONCE, ConversationStatus, TriageChange


class TicketAction(StrEnum):
    """An action on several tickets. `claim` and `release` apply to the ticket's open review or, if
    there is none, to its assignee. `reject` requires an open review."""

    ASSIGN = "assign"
    CLAIM = "claim"
    RELEASE = "release"
    SNOOZE = "snooze"
    CLOSE = "close"
    REOPEN = "reopen"
    REJECT = "reject"


@dataclass(frozen=True, slots=True)
class TicketChange:
    """An action with its values. `assignee` is a member's id, or "" for none. `until` ends a
    `snooze`. `note` explains a `reject` to teammates."""

    action: TicketAction
    assignee: str | None = None
    until: datetime | None = None
    note: str | None = None

    def check(self) -> None:
        """Raise InvalidTriage if a value is missing, or belongs to another action."""
        given = {"assignee": self.assignee, "snoozed_until": self.until, "note": self.note}
        needed = {TicketAction.ASSIGN: "assignee", TicketAction.SNOOZE: "snoozed_until"}
        for name, value in given.items():
            is_needed = needed.get(self.action) == name
            is_allowed = is_needed or (name == "note" and self.action is TicketAction.REJECT)
            if (is_needed and value is None) or (value is not None and not is_allowed):
                raise InvalidTriage(
                    f"{name}: {'required' if is_needed else 'not allowed'} for {self.action}",
                    f"champ « {name} » : {'requis' if is_needed else 'exclu'} pour {self.action}",
                )

    def triage(self, actor: str) -> TriageChange | None:
        """Return the change to the conversations of the tickets, or None for `reject`. For `claim`
        and `release`, the change applies only to tickets without an open review."""
        changes = {
            TicketAction.ASSIGN: TriageChange(assignee=self.assignee),
            TicketAction.CLAIM: TriageChange(assignee=actor),
            TicketAction.RELEASE: TriageChange(assignee=""),
            TicketAction.SNOOZE: TriageChange(ConversationStatus.SNOOZED, self.until),
            TicketAction.CLOSE: TriageChange(ConversationStatus.CLOSED),
            TicketAction.REOPEN: TriageChange(ConversationStatus.OPEN),
        }
        return changes.get(self.action)

    @property
    def concerns_reviews(self) -> bool:
        """Return True if the action applies to the review of a ticket that has one."""
        return self.action in (TicketAction.CLAIM, TicketAction.RELEASE, TicketAction.REJECT)


@dataclass(frozen=True, slots=True)
class TicketSelection:
    """Selected tickets: each is named by its open review or by its conversation. The ids are in
    ascending order, without duplicates."""

    review_ids: tuple[str, ...]
    conversation_ids: tuple[str, ...]

    @classmethod
    def of(cls, review_ids: Iterable[str], conversation_ids: Iterable[str]) -> "TicketSelection":
        """Return the selection. Raises InvalidTriage for no ticket and for more than
        MAX_AT_ONCE."""
        reviews, talks = tuple(sorted(set(review_ids))), tuple(sorted(set(conversation_ids)))
        if not 0 < len(reviews) + len(talks) <= MAX_AT_ONCE:
            raise InvalidTriage(
                f"review_ids, conversation_ids: 1 to {MAX_AT_ONCE} tickets",
                f"champs « review_ids » et « conversation_ids » : de 1 à {MAX_AT_ONCE} tickets",
            )
        return cls(reviews, talks)

    @property
    def size(self) -> int:
        return len(self.review_ids) + len(self.conversation_ids)


@dataclass(frozen=True, slots=True)
class ChangedTickets:
    """The number of changed tickets, and how many of them still need the team's decision."""

    changed: int
    to_decide: int
