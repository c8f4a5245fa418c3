"""The automation stop, by a client's managers for their client, or by operators for all clients.

During a stop, the agent neither answers nor acts without a human. Members can still approve drafts
and reply (docs/decisions/0087).
"""

from collections.abc import Callable
from datetime import datetime

from pydantic import BaseModel, ConfigDict, Field

from domain.core.json_time import rfc3339
from domain.tenants.loosening import LoosenedRule


class AutomationStop(BaseModel):
    """A stop of one client's automation. `by` is the actor who stopped it."""

    model_config = ConfigDict(frozen=True)

    at: datetime
    by: str


class AutomationState(BaseModel):
    """The stops that currently apply to one client's automation."""

    model_config = ConfigDict(frozen=True)

    stopped: AutomationStop | None = Field(
        default=None, description="Stop requested by the client itself; null if there is none."
    )
    installation_stopped: datetime | None = Field(
        default=None,
        description=(
            "Time at which the operators stopped automation for all clients; null if it is not "
            "stopped."
        ),
    )

    @property
    def is_stopped(self) -> bool:
        return self.stopped is not None or self.installation_stopped is not None


def resumed(
    actor: str,
) -> Callable[[AutomationState, AutomationState], tuple[LoosenedRule, ...]]:
    """Return a function that returns the rules loosened between two automation states by `actor`.

    Resuming loosens a rule only if another member stopped the automation.
    """

    def compare(before: AutomationState, after: AutomationState) -> tuple[LoosenedRule, ...]:
        stop = before.stopped
        if stop is None or after.stopped is not None or stop.by == actor:
            return ()
        # Include the time of the stop, so that an approval of this change cannot end a later stop.
        before_it = f"stopped {rfc3339(stop.at)}"
        return (LoosenedRule(place="automation", before=before_it, after="running"),)

    return compare
