"""Units of work that save content and count the cases whose results the change invalidates."""

from collections.abc import AsyncIterator
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from typing import Final

from fastapi import Request

from api.access import Member
from api.resources import Resources
from domain.core.ids import TenantId
from services.content.lost_outcomes import counting_lost
from services.core.unit_of_work import UnitOfWork

CASES_LOST: Final = "X-Cases-Lost"


def saving(
    request: Request, member: Member, resources: Resources
) -> AbstractAsyncContextManager[UnitOfWork]:
    """Return a unit of work for the member's client, like `saving_in`."""
    return saving_in(request, member.tenant, resources)


@asynccontextmanager
async def saving_in(
    request: Request, tenant: TenantId, resources: Resources
) -> AsyncIterator[UnitOfWork]:
    """Yield a unit of work that saves content. A response header states how many required cases
    must run again because the change invalidated their results. Required cases are the cases that a
    playbook must pass."""
    async with (
        resources.work.of(tenant) as work,
        counting_lost(work, resources.model) as lost,
    ):
        yield work
    lost_header = (CASES_LOST.lower().encode(), str(lost.count).encode())
    request.state.headers = [*request.state.headers, lost_header]
