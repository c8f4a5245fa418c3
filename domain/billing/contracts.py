"""Temporal inputs and results for the monthly ticket reset."""

from datetime import datetime

from domain.core.contracts import Contract


class MonthlyResetInput(Contract):
    """The input of the monthly reset. `at`: the reference time of the reset. A reset started by its
    schedule ignores `at`."""

    at: datetime | None = None


class OpenPeriodInput(Contract):
    """The input for opening a month's counters. `at`: the scheduled time. Plan changes that are due
    by this time are applied."""

    at: datetime


class OpenPeriodResult(Contract):
    """The outcome of opening a month's counters. `opened`: the number of counters that were opened.
    `changed`: the number of pending plan changes that were applied. `failed`: the number of clients
    for which an error occurred. The service logs each error."""

    opened: int = 0
    changed: int = 0
    failed: int = 0


class ReconcileInput(Contract):
    period: str


class ReconcileResult(Contract):
    """The outcome of comparing client counters with the clients' tickets. `compared`: the number of
    clients that were compared. `drifting`: the number of clients whose counters do not match. A
    value above 0 requires attention. `failed`: the number of clients that could not be compared.
    The service logs each of these clients."""

    compared: int = 0
    drifting: int = 0
    failed: int = 0


class MonthlyResetResult(Contract):
    period: str
    opened: int
    changed: int
    drifting: int
