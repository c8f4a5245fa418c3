"""Temporal contracts of daily metrics and weekly predictions, under the rules of
`domain/contracts.py`."""

from datetime import date, datetime

from domain.core.contracts import Contract


class ComputeMetricsInput(Contract):
    """The days from `first` to `last`. `client_id`: empty for all clients."""

    first: date
    last: date
    client_id: str = ""


class ComputeMetricsResult(Contract):
    """Days of clients. `computed`: the number computed. `changed`: those that differ from the
    stored values. `left`: those unchanged because retention has started on them. `failed`: those
    that could not be computed; each is logged."""

    computed: int = 0
    changed: int = 0
    left: int = 0
    failed: int = 0

    def plus(self, other: "ComputeMetricsResult") -> "ComputeMetricsResult":
        return ComputeMetricsResult(
            computed=self.computed + other.computed,
            changed=self.changed + other.changed,
            left=self.left + other.left,
            failed=self.failed + other.failed,
        )


class DailyMetricsInput(Contract):
    """`at`: the day before this moment is computed, if no schedule gives the day."""

    at: datetime | None = None


class DailyMetricsResult(Contract):
    """`day`: the latest day that was computed."""

    day: date
    computed: int
    changed: int
    failed: int


class BackfillMetricsInput(Contract):
    """The same fields as ComputeMetricsInput."""

    first: date
    last: date
    client_id: str = ""


class BackfillProgress(Contract):
    """`days`, `days_done`: calendar days in total, and those done."""

    days: int
    days_done: int


class PredictChurnInput(Contract):
    """`at`: the moment to predict for; later records are ignored. `client_id`: empty for all
    clients."""

    at: datetime
    client_id: str = ""


class PredictChurnResult(Contract):
    """`predicted`: customers with a prediction. `high`: those at the high level. `failed`:
    customers without a prediction because of an error; their client is logged."""

    predicted: int = 0
    high: int = 0
    failed: int = 0


class WeeklyChurnInput(Contract):
    """`at`: the moment to predict for, if no schedule gives it. `client_id`: empty for all."""

    at: datetime | None = None
    client_id: str = ""


class WeeklyChurnResult(Contract):
    """`week`: the Monday of the week."""

    week: date
    predicted: int
    high: int
    failed: int
