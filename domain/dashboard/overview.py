"""The overview page: pending reviews, problems, and a new client's remaining onboarding steps."""

from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum

from domain.core.money import Money


class FirstStep(StrEnum):
    """The onboarding steps that a new client completes before its agent answers without humans, in
    order."""

    KNOWLEDGE = "knowledge"
    ANSWERED = "answered"
    SHOP = "shop"
    CASE = "case"
    DOOR = "door"
    """Completed once the client has an API key for its systems, or a website that may show the
    widget."""


def next_step(done: frozenset[FirstStep]) -> FirstStep | None:
    """Return the first onboarding step that is not completed, or None if all steps are
    completed."""
    return next((step for step in FirstStep if step not in done), None)


@dataclass(frozen=True, slots=True)
class Trouble:
    """A problem shown on the overview page. `kind` is webhook_off, webhook_failing, connection,
    connection_forbidden or poll. `name` is a webhook's label or a connection's provider. `reason`
    is the last error code, or empty."""

    kind: str
    record_id: str
    name: str
    failures: int = 0
    reason: str = ""


@dataclass(frozen=True, slots=True)
class Overview:
    """The content of the overview page.

    - `waiting`: the number of open reviews, up to a limit, with the `oldest` of them.
    - `at_stake`: the amount that their plans would move, by currency.
    - `done`: the completed onboarding steps.
    - `model_alarms`: the faults of language models that need a person's action.
    """

    waiting: int
    oldest: datetime | None
    at_stake: tuple[Money, ...]
    troubles: tuple[Trouble, ...]
    done: frozenset[FirstStep]
    model_alarms: tuple[str, ...] = ()

    @property
    def first_steps(self) -> tuple[tuple[FirstStep, bool], ...]:
        """Return the onboarding steps in order, each with True if the client has completed the
        step. The result is empty if all steps are completed."""
        if len(self.done) == len(FirstStep):
            return ()
        return tuple((step, step in self.done) for step in FirstStep)
