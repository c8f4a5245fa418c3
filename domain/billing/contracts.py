"""Temporal inputs and results for the monthly ticket reset."""

from datetime import datetime

from domain.core.contracts import Contract


class MonthlyResetInput(Contract):
    """The input of the monthly reset. A scheduled reset ignores `at`."""

    at: datetime | None = None


class OpenPeriodInput(Contract):
    """The input for opening a month's counters. Plan changes due by `at`, the scheduled time, are
    applied."""

    at: datetime


class OpenPeriodResult(Contract):
    """The outcome of opening a month's counters. `changed` counts the plan changes that were
    applied, and `failed` the clients with an error, which is logged."""

    opened: int = 0
    changed: int = 0
    failed: int = 0


class ReconcileInput(Contract):
    period: str


class ReconcileResult(Contract):
    """The outcome of comparing client counters with tickets. `drifting` counts the clients whose
    counters do not match, which needs attention. `failed` counts the clients that could not be
    compared. Both are logged."""

    compared: int = 0
    drifting: int = 0
    failed: int = 0


class MonthlyResetResult(Contract):
    period: str
    opened: int
    changed: int
    drifting: int
