"""The action plan: what the agent wants done, and what came of each step."""

from enum import StrEnum
from typing import Final

from pydantic import BaseModel, ConfigDict


class ActionKind(StrEnum):
    """The actions the executor's registry knows.

    `reply` answers the customer in the caller's own channel: the text is the gateway's response
    and nothing leaves this service. `reply_by_email` sends it through SMTP.
    """

    REPLY = "reply"
    REPLY_BY_EMAIL = "reply_by_email"


IN_PLACE: Final = frozenset({ActionKind.REPLY})
"""Actions whose whole effect is the gateway's answer: recording them is doing them."""


class PlannedAction(BaseModel):
    """One step of a plan, before it ran."""

    model_config = ConfigDict(frozen=True)

    kind: ActionKind


class StepState(StrEnum):
    """`unknown`: the other side may or may not have done it; only a human may repeat it."""

    DONE = "done"
    FAILED = "failed"
    SKIPPED = "skipped"
    UNKNOWN = "unknown"


class StepOutcome(BaseModel):
    """One step of a plan, after it ran. `detail` is a stable code, never customer text."""

    model_config = ConfigDict(frozen=True)

    kind: ActionKind
    state: StepState
    detail: str = ""
