"""The overview: waiting reviews, problems, and the first steps that a new client has yet to
take."""

from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from typing import Final

from domain.core.money import Money

COUNTED_TO: Final = 1_000
"""Maximum count of reviews; pages then show "1,000+"."""


class FirstStep(StrEnum):
    """The steps of a new client before its agent answers without people, in order."""

    KNOWLEDGE = "knowledge"
    SHOP = "shop"
    CASE = "case"
    DOOR = "door"
    """The client has a key for its systems, or a site that may show the widget."""
    ANSWERED = "answered"


@dataclass(frozen=True, slots=True)
class Trouble:
    """A problem. `kind`: webhook_off, webhook_failing, connection, connection_forbidden or poll.
    `record_id`: the record with the problem. `name`: a webhook's label, or a connection's provider.
    `failures`: the number of consecutive failures. `reason`: the error code of the last failure;
    empty if it is not stored."""

    kind: str
    record_id: str
    name: str
    failures: int = 0
    reason: str = ""


@dataclass(frozen=True, slots=True)
class Overview:
    """The content of the overview. `waiting`: the number of open reviews, at most one more than
    COUNTED_TO. `oldest`: when the oldest of these reviews was opened. `at_stake`: the money that
    their plans would move, by currency. `done`: the first steps that the client has taken."""

    waiting: int
    oldest: datetime | None
    at_stake: tuple[Money, ...]
    troubles: tuple[Trouble, ...]
    done: frozenset[FirstStep]

    @property
    def first_steps(self) -> tuple[tuple[FirstStep, bool], ...]:
        """The steps, each with True if the client has taken it; empty once all are taken."""
        if len(self.done) == len(FirstStep):
            return ()
        return tuple((step, step in self.done) for step in FirstStep)
