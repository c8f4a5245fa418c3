"""Request and response models for the dashboard's metrics and churn routes."""

from datetime import date, datetime
from typing import Annotated, Final

from pydantic import BaseModel, Field

from api.schemas.core.client_query import ClientQuery
from api.schemas.core.day import Day
from domain.analytics.churn import ChurnLevel, ChurnPrediction
from domain.analytics.metrics import DayMetrics, day_before
from domain.core.errors import InvalidQuery
from domain.core.ids import ULID

_MAX_DAYS: Final = 366
_DEFAULT_DAYS: Final = 30


class MetricsQuery(ClientQuery):
    first: Annotated[
        Day | None,
        Field(
            alias="from",
            description=f"First day, UTC. By default, the range covers {_DEFAULT_DAYS} days. It "
            f"may have at most {_MAX_DAYS} days, and may not begin after `to`.",
        ),
    ] = None
    last: Annotated[
        Day | None,
        Field(alias="to", description=("Last day of the range, UTC; defaults to yesterday.")),
    ] = None

    def days(self, now: datetime) -> tuple[date, date]:
        """Return the first and last day of the range. Raises InvalidQuery if the range is
        invalid."""
        last = self.last or day_before(now)
        earliest = max(last.toordinal() - _DEFAULT_DAYS + 1, date.min.toordinal())
        first = self.first or date.fromordinal(earliest)
        if not 0 <= (last - first).days < _MAX_DAYS:
            raise InvalidQuery("from")
        return first, last


class MetricsAnswer(BaseModel):
    days: Annotated[
        list[DayMetrics],
        Field(
            description="Daily metrics, oldest first. Days without computed metrics are omitted."
        ),
    ]


class ChurnQuery(ClientQuery):
    level: ChurnLevel | None = None
    limit: Annotated[int, Field(ge=1, le=200)] = 50
    cursor: Annotated[
        str | None,
        Field(pattern=ULID, description="Value of `next_cursor` from the previous page."),
    ] = None


class ChurnPage(BaseModel):
    predictions: Annotated[
        list[ChurnPrediction],
        Field(
            description=(
                "Predictions for the latest week that has predictions, highest score first."
            )
        ),
    ]
    next_cursor: Annotated[
        str | None, Field(description="Cursor for the next page; null on the last page.")
    ]
