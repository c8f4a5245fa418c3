"""Requests of the dashboard about insight and knowledge gaps."""

from typing import Annotated, Literal

from pydantic import Field

from api.schemas.analytics.report import MetricsQuery
from api.schemas.core.client_query import ClientQuery
from domain.analytics.gaps import GapSpan


class InsightQuery(MetricsQuery):
    """The query for a range of days."""

    compare: Annotated[
        Literal["previous"] | None,
        Field(description="`previous` adds the preceding range of the same length."),
    ] = None


class GapsQuery(ClientQuery):
    """The query for knowledge gaps."""

    days: Annotated[GapSpan, Field(description="Number of days to look back.")] = GapSpan.MONTH
    limit: Annotated[
        int, Field(ge=1, le=100, description="Maximum number of gaps; the largest are returned.")
    ] = 20
