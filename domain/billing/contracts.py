"""Temporal payloads of the monthly reset."""

from datetime import datetime

from domain.core.contracts import Contract


class MonthlyResetInput(Contract):
    """`at`: fallback when the workflow is unscheduled; the time for which to reset."""

    at: datetime | None = None


class OpenPeriodInput(Contract):
    """`at`: the scheduled time; plan changes due by then are applied."""

    at: datetime


class OpenPeriodResult(Contract):
    """`opened`: the number of counters that were opened. `changed`: the number of pending plan
    changes that were applied. `failed`: the number of clients with an error; each is logged."""

    opened: int = 0
    changed: int = 0
    failed: int = 0


class ReconcileInput(Contract):
    period: str


class ReconcileResult(Contract):
    """`compared`: the number of clients that were compared. `drifting`: the number of clients whose
    counters do not match; more than 0 needs attention. `failed`: the number of clients that could
    not be compared; each is logged."""

    compared: int = 0
    drifting: int = 0
    failed: int = 0


class MonthlyResetResult(Contract):
    period: str
    opened: int
    changed: int
    drifting: int
