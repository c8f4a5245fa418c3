"""Temporal inputs and results for daily metrics and weekly churn predictions, under the rules of
`domain/core/contracts.py`."""

from datetime import date, datetime

from domain.core.contracts import Contract


class ComputeMetricsInput(Contract):
    """The input for computing daily metrics: the days from `first` to `last`. `client_id` is the
    client, or an empty string for all clients."""

    first: date
    last: date
    client_id: str = ""


class ComputeMetricsResult(Contract):
    """The outcome of computing daily metrics, as numbers of days over all clients.

    `changed`: days whose stored values were replaced. `left`: days kept because retention has
    started to remove their records. `failed`: days that could not be computed, each of them logged.
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
    """The input of the daily metrics workflow, which computes the UTC day before `at`. A scheduled
    run ignores `at`."""

    at: datetime | None = None


class DailyMetricsResult(Contract):
    """The outcome of the daily metrics workflow. `day`: the latest day whose metrics were
    computed."""

    day: date
    computed: int
    changed: int
    failed: int


class BackfillMetricsInput(Contract):
    """The input for recomputing daily metrics. The fields are as in ComputeMetricsInput."""

    first: date
    last: date
    client_id: str = ""


class BackfillProgress(Contract):
    """The progress of a metrics backfill, in calendar days."""

    days: int
    days_done: int


class PredictChurnInput(Contract):
    """The input of the churn prediction. Records after `at` are ignored. An empty `client_id`
    selects all clients."""

    at: datetime
    client_id: str = ""


class PredictChurnResult(Contract):
    """The number of customers with a prediction, with a high prediction, and with a failed
    prediction. Failures are logged."""

    predicted: int = 0
    high: int = 0
    failed: int = 0


class WeeklyChurnInput(Contract):
    """The input of the weekly churn workflow. A scheduled run ignores `at`. An empty `client_id`
    selects all clients."""

    at: datetime | None = None
    client_id: str = ""


class WeeklyChurnResult(Contract):
    """The outcome of the weekly churn workflow. `week` is the Monday of the week."""

    week: date
    predicted: int
    high: int
    failed: int
