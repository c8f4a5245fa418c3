"""The overview page: pending reviews, problems, and the first steps that a new client has not
completed yet."""

from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum

from domain.core.money import Money


class FirstStep(StrEnum):
    """The steps that a new client completes before its agent answers without humans, in order."""

    KNOWLEDGE = "knowledge"
    SHOP = "shop"
    CASE = "case"
    DOOR = "door"
    """The client has an API key for its systems, or a website that may show the widget."""
    ANSWERED = "answered"


@dataclass(frozen=True, slots=True)
class Trouble:
    """A problem shown on the overview page. `kind`: webhook_off, webhook_failing, connection,
    connection_forbidden or poll. `record_id`: the id of the record with the problem. `name`: a
    webhook's label, or a connection's provider. `failures`: the number of consecutive failures.
    `reason`: the error code of the last failure. Empty if it is not stored."""

    kind: str
    record_id: str
    name: str
    failures: int = 0
    reason: str = ""


@dataclass(frozen=True, slots=True)
class Overview:
    """The content of the overview page. `waiting`: the number of open reviews, or a limit of them.
    `oldest`: when the oldest counted review was opened. `at_stake`: the amount that the plans
    under the counted reviews would move, by currency. `done`: the first steps that the client has
    completed."""

    waiting: int
    oldest: datetime | None
    at_stake: tuple[Money, ...]
    troubles: tuple[Trouble, ...]
    done: frozenset[FirstStep]

    @property
    def first_steps(self) -> tuple[tuple[FirstStep, bool], ...]:
        """Return the first steps in order, each with a flag that is True if the client has
        completed it. Return nothing if all steps are completed."""
        if len(self.done) == len(FirstStep):
            return ()
        return tuple((step, step in self.done) for step in FirstStep)
