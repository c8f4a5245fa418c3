"""Query models for the dashboard's insight and knowledge gap routes."""

from typing import Annotated, Literal

from pydantic import Field

from api.schemas.analytics.report import MetricsQuery
from api.schemas.core.client_query import ClientQuery
from domain.analytics.gaps import GapSpan


class InsightQuery(MetricsQuery):
    """Query parameters for the insight report: a range of days."""

    compare: Annotated[
        Literal["previous"] | None,
        Field(
            description=(
                "Set to `previous` to include the preceding range of equal length in the response."
            )
        ),
    ] = None


class GapsQuery(ClientQuery):
    days: Annotated[GapSpan, Field(description=("Number of past days to search for gaps."))] = (
        GapSpan.MONTH
    )
    limit: Annotated[
        int,
        Field(ge=1, le=100, description=("Maximum number of gaps, largest first.")),
    ] = 20
