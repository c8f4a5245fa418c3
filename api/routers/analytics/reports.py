"""GET /api/dashboard/metrics and /api/dashboard/churn: daily metrics and churn predictions computed
from a client's records."""

from typing import Annotated

from fastapi import APIRouter, Depends

from api.access import Asked, QueryInClient
from api.resources import ResourcesDep
from api.route import DescribedRoute
from api.schemas.analytics.report import ChurnPage, ChurnQuery, MetricsAnswer, MetricsQuery
from api.schemas.core.client_query import cursor_after
from store.analytics.churn import ChurnRepository
from store.analytics.metrics import MetricsRepository

router = APIRouter(route_class=DescribedRoute)


@router.get(
    "/api/dashboard/metrics", operation_id="metrics.list", summary="List a client's daily metrics"
)
async def metrics(
    asked: Annotated[Asked[MetricsQuery], Depends(QueryInClient(MetricsQuery))],
    resources: ResourcesDep,
) -> MetricsAnswer:
    """Any member of the client may call this operation with a session token."""
    first, last = asked.query.days(resources.now())
    async with resources.database.reading(asked.tenant) as connection:
        found = await MetricsRepository(connection, asked.tenant).between(first, last)
    return MetricsAnswer(days=found)


@router.get(
    "/api/dashboard/churn",
    operation_id="churn.list",
    summary=("List customers who are likely to leave"),
)
async def churn(
    asked: Annotated[Asked[ChurnQuery], Depends(QueryInClient(ChurnQuery))], resources: ResourcesDep
) -> ChurnPage:
    """Any member of the client may call this operation with a session token."""
    query = asked.query
    async with resources.database.reading(asked.tenant) as connection:
        found = await ChurnRepository(connection, asked.tenant).latest(
            limit=query.limit + 1, level=query.level, after=query.cursor
        )
    return ChurnPage(
        predictions=found[: query.limit],
        next_cursor=cursor_after(found, query.limit, lambda last: last.id),
    )
