"""The overview: waiting reviews, problems, and the first steps that a new client has left."""

from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from typing import Final

from domain.core.money import Money

COUNTED_TO: Final = 1_000
"""More are not counted: pages then say "1,000+"."""


class FirstStep(StrEnum):
    """The steps of a new client before its agent answers without people, in this order."""

    KNOWLEDGE = "knowledge"
    SHOP = "shop"
    CASE = "case"
    DOOR = "door"
    """A key for its systems, or a site that may show the widget."""
    ANSWERED = "answered"


@dataclass(frozen=True, slots=True)
class Trouble:
    """`kind`: webhook_off, webhook_failing, connection, connection_forbidden or poll. `record_id`:
    the record that it is about. `name`: a webhook's label, or a connection's provider. `failures`:
    in a row. `reason`: the error code of the last one; empty if it is not stored."""

    kind: str
    record_id: str
    name: str
    failures: int = 0
    reason: str = ""


@dataclass(frozen=True, slots=True)
class Overview:
    """`waiting`: open reviews, at most one more than COUNTED_TO. `oldest`: when the first of them
    was opened. `at_stake`: the money that they would move, by currency. `done`: the first steps
    that were taken."""

    waiting: int
    oldest: datetime | None
    at_stake: tuple[Money, ...]
    troubles: tuple[Trouble, ...]
    done: frozenset[FirstStep]

    @property
    def first_steps(self) -> tuple[tuple[FirstStep, bool], ...]:
        """The steps, each with True if it was taken; empty once all were."""
        if len(self.done) == len(FirstStep):
            return ()
        return tuple((step, step in self.done) for step in FirstStep)
