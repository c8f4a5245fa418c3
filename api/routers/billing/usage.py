"""GET /api/billing/usage: a client's usage in the current month."""

from fastapi import APIRouter

from api.access import UsageOfDep
from api.resources import ResourcesDep
from api.route import DescribedRoute
from api.schemas.billing.usage import UsageRecord, usage_record
from domain.core.period import period_of
from store.billing.usage import UsageRepository

router = APIRouter(route_class=DescribedRoute)


@router.get(
    "/api/billing/usage",
    operation_id="usage.get",
    summary="Get a client's usage in the current calendar month",
)
async def usage(asked: UsageOfDep, resources: ResourcesDep) -> UsageRecord:
    """Each user can send 60 requests in 60 s. If the client does not exist, internal admins get a
    404 response, and other callers get 403."""
    async with resources.database.reading(asked.tenant) as connection:
        found = await UsageRepository(connection, asked.tenant).in_month(period_of(asked.now))
    return usage_record(found, asked.now)
