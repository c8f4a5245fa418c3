"""What crosses Temporal for the metrics of days and the predictions of weeks: as
`domain/contracts.py`, and under the same rules."""

from datetime import date, datetime

from domain.core.contracts import Contract


class ComputeMetricsInput(Contract):
    """The days from `first` to `last`. `client_id`: empty for all clients."""

    first: date
    last: date
    client_id: str = ""


class ComputeMetricsResult(Contract):
    """Days of clients: how many were computed, how many of them are other than what was kept, how
    many were left as they are because retention has begun on them, how many could not be computed
    (each is logged)."""

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
    """`at`: the moment whose day before is computed, when no schedule gives it."""

    at: datetime | None = None


class DailyMetricsResult(Contract):
    """`day`: the latest that was computed."""

    day: date
    computed: int
    changed: int
    failed: int


class BackfillMetricsInput(Contract):
    """As ComputeMetricsInput."""

    first: date
    last: date
    client_id: str = ""


class BackfillProgress(Contract):
    """How many days of the calendar are done."""

    days: int
    days_done: int


class PredictChurnInput(Contract):
    """`at`: the moment to predict for; what came later is not looked at. `client_id`: empty for all
    clients."""

    at: datetime
    client_id: str = ""


class PredictChurnResult(Contract):
    """How many customers were predicted of, how many of them stand high, and how many could not be
    done (their client is logged)."""

    predicted: int = 0
    high: int = 0
    failed: int = 0


class WeeklyChurnInput(Contract):
    """`at`: the moment to predict for, when no schedule gives it. `client_id`: empty for all."""

    at: datetime | None = None
    client_id: str = ""


class WeeklyChurnResult(Contract):
    """`week`: its Monday."""

    week: date
    predicted: int
    high: int
    failed: int
