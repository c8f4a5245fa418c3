"""GET /api/billing/usage: what a client has used of its month."""

import structlog
from fastapi import APIRouter, Request
from starlette.datastructures import QueryParams
from starlette.responses import Response

from api.auth import authenticate, authorize, limiter_key
from api.http.json_body import json_response
from api.openapi import LIMIT_HEADERS, RETRY_AFTER, UNAUTHENTICATED
from api.schemas.billing.usage import UsageRecord, usage_record
from api.schemas.core.error import ErrorBody
from api.services import ServicesDep
from domain.core.period import period_of
from domain.intake.rate_limit import LimitScope
from domain.tenants.errors import ClientIdMissing, ClientIdRepeated
from store.billing.usage import UsageRepository

router = APIRouter()


@router.get(
    "/api/billing/usage",
    summary="The current calendar month's consumption of one client",
    responses={
        200: {"model": UsageRecord, "headers": LIMIT_HEADERS},
        **{status: {"model": ErrorBody} for status in (405, 500)},
        401: UNAUTHENTICATED,
        **{status: {"model": ErrorBody, "headers": LIMIT_HEADERS} for status in (400, 403, 404)},
        429: {"model": ErrorBody, "headers": {**LIMIT_HEADERS, **RETRY_AFTER}},
    },
    openapi_extra={
        "parameters": [
            {
                "name": "client_id",
                "in": "query",
                "required": True,
                "description": "ULID of the client.",
                "schema": {"type": "string", "pattern": r"\S"},
                "example": "01J9ZQ4Z8N3V5X7B2C4D6E8F0G",
            }
        ],
        "security": [{"bearer": []}],
    },
)
async def usage(request: Request, services: ServicesDep) -> Response:
    """60 requests in 60 s a user. Only admins of the service can see a 404."""
    now = services.now()
    caller = await authenticate(request.headers, services)
    await services.limiter.check_request(request, LimitScope.USAGE, limiter_key(caller), now)
    tenant, _ = await authorize(caller, _client_id(request.query_params), services)
    structlog.contextvars.bind_contextvars(client_id=tenant)
    period = period_of(now)
    async with services.database.tenant(tenant) as connection:
        found = await UsageRepository(connection, tenant).in_month(period)
    return json_response(usage_record(found, period, now))


def _client_id(query: QueryParams) -> str:
    """Raises ClientIdMissing, ClientIdRepeated."""
    given = query.getlist("client_id")
    if len(given) > 1:
        raise ClientIdRepeated
    if not given or not given[0].strip():
        raise ClientIdMissing
    return given[0]
