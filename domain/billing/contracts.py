"""What crosses Temporal when a month begins."""

from datetime import datetime

from domain.core.contracts import Contract


class MonthlyResetInput(Contract):
    """`at`: the moment to reset for, when no schedule gives it."""

    at: datetime | None = None


class OpenPeriodInput(Contract):
    """`at`: the scheduled time, by which changes of plan are due."""

    at: datetime


class OpenPeriodResult(Contract):
    """How many counters were opened, and how many waiting changes of plan were made. `failed`:
    clients that could not be done, each of them logged."""

    opened: int = 0
    changed: int = 0
    failed: int = 0


class ReconcileInput(Contract):
    period: str


class ReconcileResult(Contract):
    """How many clients were compared, and how many of them do not add up: 0, or somebody looks.
    `failed`: clients that could not be compared, each of them logged."""

    compared: int = 0
    drifting: int = 0
    failed: int = 0


class MonthlyResetResult(Contract):
    period: str
    opened: int
    changed: int
    drifting: int
