"""Temporal contracts of the monthly reset."""

from datetime import datetime

from domain.core.contracts import Contract


class MonthlyResetInput(Contract):
    """`at`: the moment to reset for, if no schedule gives it."""

    at: datetime | None = None


class OpenPeriodInput(Contract):
    """`at`: the scheduled time, at which changes of plan are due."""

    at: datetime


class OpenPeriodResult(Contract):
    """`opened`: counters that were opened. `changed`: waiting changes of plan that were made.
    `failed`: clients with an error, each of them logged."""

    opened: int = 0
    changed: int = 0
    failed: int = 0


class ReconcileInput(Contract):
    period: str


class ReconcileResult(Contract):
    """`compared`: clients that were compared. `drifting`: those that do not add up; more than 0
    needs attention. `failed`: clients that could not be compared, each of them logged."""

    compared: int = 0
    drifting: int = 0
    failed: int = 0


class MonthlyResetResult(Contract):
    period: str
    opened: int
    changed: int
    drifting: int
