"""Temporal inputs and results for daily metrics and weekly churn predictions, under the rules of
`domain/core/contracts.py`."""

from datetime import date, datetime

from domain.core.contracts import Contract


class ComputeMetricsInput(Contract):
    """The input for computing daily metrics: the days from `first` to `last`. `client_id`: the
    client, or an empty string for all clients."""

    first: date
    last: date
    client_id: str = ""


class ComputeMetricsResult(Contract):
    """The outcome of computing daily metrics. All fields are numbers of days, summed over all
    clients.

    `computed`: days that were computed. `changed`: days whose new values differ from the stored
    values. `left`: days that stay unchanged because retention has started to remove their records.
    `failed`: days that could not be computed. The service logs each failed day.
    """

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
    """The input of the daily metrics workflow. `at`: the reference time. The workflow computes
    metrics for the UTC day before the day of `at`. A workflow started by its schedule ignores
    `at`."""

    at: datetime | None = None


class DailyMetricsResult(Contract):
    """The outcome of the daily metrics workflow. `day`: the latest day whose metrics were
    computed."""

    day: date
    computed: int
    changed: int
    failed: int


class BackfillMetricsInput(Contract):
    """The input for recomputing daily metrics. The fields are those of ComputeMetricsInput."""

    first: date
    last: date
    client_id: str = ""


class BackfillProgress(Contract):
    """The progress of a recomputation. `days`: the total number of calendar days. `days_done`: the
    number of days already computed."""

    days: int
    days_done: int


class PredictChurnInput(Contract):
    """The input of the churn prediction. `at`: the reference time of the prediction. Later records
    are ignored. `client_id`: the client, or an empty string for all clients."""

    at: datetime
    client_id: str = ""


class PredictChurnResult(Contract):
    """The outcome of the churn prediction. `predicted`: the number of customers whose churn was
    predicted. `high`: the number of customers at the high level. `failed`: the number of customers
    whose prediction failed. The service logs their clients."""

    predicted: int = 0
    high: int = 0
    failed: int = 0


class WeeklyChurnInput(Contract):
    """The input of the weekly churn workflow. `at`: the reference time of the prediction. A
    workflow started by its schedule ignores `at`. `client_id`: the client, or an empty string for
    all clients."""

    at: datetime | None = None
    client_id: str = ""


class WeeklyChurnResult(Contract):
    """The outcome of the weekly churn workflow. `week`: the Monday of the week."""

    week: date
    predicted: int
    high: int
    failed: int
