"""Temporal payloads of daily metrics and weekly predictions, under the rules of
`domain/contracts.py`."""

from datetime import date, datetime

from domain.core.contracts import Contract


class ComputeMetricsInput(Contract):
    """The range of days to compute, from `first` to `last`. `client_id`: empty for all clients."""

    first: date
    last: date
    client_id: str = ""


class ComputeMetricsResult(Contract):
    """Numbers of client days. `computed`: days that were computed. `changed`: days that differ from
    the stored values. `left`: days left unchanged because retention has started to remove their
    records. `failed`: days that could not be computed; each is logged."""

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
    """`at`: fallback when the workflow is unscheduled; the day before this time is computed."""

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
    """`days`, `days_done`: the number of calendar days in total, and of those already computed."""

    days: int
    days_done: int


class PredictChurnInput(Contract):
    """`at`: the time for which to predict; later records are ignored. `client_id`: empty for all
    clients."""

    at: datetime
    client_id: str = ""


class PredictChurnResult(Contract):
    """`predicted`: the number of customers with a prediction. `high`: the number at the high level.
    `failed`: the number without a prediction because of an error; their clients are logged."""

    predicted: int = 0
    high: int = 0
    failed: int = 0


class WeeklyChurnInput(Contract):
    """`at`: fallback when the workflow is unscheduled; the time for which to predict. `client_id`:
    empty for all clients."""

    at: datetime | None = None
    client_id: str = ""


class WeeklyChurnResult(Contract):
    """`week`: the Monday of the week."""

    week: date
    predicted: int
    high: int
    failed: int
