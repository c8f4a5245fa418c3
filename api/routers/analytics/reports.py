"""GET /api/dashboard/metrics and /api/dashboard/churn: what is reckoned of a client's records."""

from fastapi import APIRouter, Request
from starlette.responses import Response

from api.dashboard_access import readable_tenant, signed_in
from api.http.json_body import json_response
from api.http.query import parse_query
from api.openapi import SESSION, dashboard_answers, query_parameters
from api.resources import ResourcesDep
from api.schemas.analytics.report import ChurnPage, ChurnQuery, MetricsAnswer, MetricsQuery
from store.analytics.churn import ChurnRepository
from store.analytics.metrics import MetricsRepository

router = APIRouter()


@router.get(
    "/api/dashboard/metrics",
    summary="What a client's days came to",
    responses=dashboard_answers(MetricsAnswer),
    openapi_extra={"parameters": query_parameters(MetricsQuery), "security": SESSION},
)
async def metrics(request: Request, resources: ResourcesDep) -> Response:
    """For every member of the client, by session token."""
    user = await signed_in(request, resources)
    query = parse_query(MetricsQuery, request.query_params)
    first, last = query.days(resources.now())
    tenant = await readable_tenant(user, query.client_id, resources)
    async with resources.database.tenant(tenant) as connection:
        found = await MetricsRepository(connection, tenant).between(first, last)
    return json_response(MetricsAnswer(days=found).model_dump(mode="json"))


@router.get(
    "/api/dashboard/churn",
    summary="Which customers are likely to leave",
    responses=dashboard_answers(ChurnPage),
    openapi_extra={"parameters": query_parameters(ChurnQuery), "security": SESSION},
)
async def churn(request: Request, resources: ResourcesDep) -> Response:
    """For every member of the client, by session token."""
    user = await signed_in(request, resources)
    query = parse_query(ChurnQuery, request.query_params)
    tenant = await readable_tenant(user, query.client_id, resources)
    async with resources.database.tenant(tenant) as connection:
        # One more than is shown tells whether there is a next page.
        found = await ChurnRepository(connection, tenant).latest(
            limit=query.limit + 1, level=query.level, after=query.cursor
        )
    shown = found[: query.limit]
    more = len(found) > query.limit
    page = ChurnPage(predictions=shown, next_cursor=shown[-1].id if more else None)
    return json_response(page.model_dump(mode="json"))
