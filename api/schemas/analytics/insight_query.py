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
        Field(description="`previous`: beside it the range of as many days before."),
    ] = None


class GapsQuery(ClientQuery):
    """The query for knowledge gaps."""

    days: Annotated[GapSpan, Field(description="How many days are looked back on.")] = GapSpan.MONTH
    limit: Annotated[int, Field(ge=1, le=100, description="How many of the largest gaps.")] = 20
