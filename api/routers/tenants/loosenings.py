"""/api/dashboard/loosenings: changes that give the agent more permissions and therefore need a
second manager's approval."""

from typing import Annotated, Final

from fastapi import APIRouter, Depends

from api.access import ManagerDep, PageDep
from api.resources import ResourcesDep
from api.route import DescribedRoute, JsonBody, PathId, errors
from api.schemas.core.client_query import cursor_after
from api.schemas.tenants.loosenings import (
    ApproveLooseningBody,
    CancelLooseningBody,
    LooseningOut,
    LooseningPage,
)
from domain.tenants.errors import LooseningNotFound
from services.playbooks.loosening_approvals import approve_loosening
from services.tenants.loosenings import cancel_loosening
from store.tenants.loosenings import LooseningRepository

router = APIRouter(route_class=DescribedRoute)

_LOOSENINGS: Final = "/api/dashboard/loosenings"
_ONE: Final = f"{_LOOSENINGS}/{{loosening_id}}"
LooseningId = Annotated[str, Depends(PathId("loosening_id", "loosening", LooseningNotFound))]


@router.get(
    _LOOSENINGS,
    operation_id="loosenings.list",
    summary="List changes that loosen protections, newest first",
)
async def loosenings(page: PageDep, resources: ResourcesDep) -> LooseningPage:
    """Any member of the client may call this operation. The list contains pending and decided
    changes."""
    async with resources.database.reading(page.tenant) as connection:
        found = await LooseningRepository(connection, page.tenant).page(
            before=page.query.cursor, limit=page.query.limit + 1
        )
    return LooseningPage(
        loosenings=[LooseningOut.of(one) for one in found[: page.query.limit]],
        next_cursor=cursor_after(found, page.query.limit, lambda last: last.id),
    )


@router.post(
    f"{_ONE}/approve",
    operation_id="loosenings.approve",
    summary="Approve a change that loosens a protection",
    responses=errors(409),
)
async def approve(
    member: ManagerDep,
    loosening_id: LooseningId,
    _: Annotated[ApproveLooseningBody, Depends(JsonBody(ApproveLooseningBody, optional=True))],
    resources: ResourcesDep,
) -> LooseningOut:
    """The change takes effect immediately. The manager who requested the change cannot approve it.
    The approving manager needs a verified address and 24 hours of membership."""
    async with resources.work.of(member.tenant) as work:
        return LooseningOut.of(
            await approve_loosening(work, member.actor, loosening_id, resources.model)
        )


@router.post(
    f"{_ONE}/cancel",
    operation_id="loosenings.cancel",
    summary="Cancel a change that loosens a protection",
    responses=errors(409),
)
async def cancel(
    member: ManagerDep,
    loosening_id: LooseningId,
    _: Annotated[CancelLooseningBody, Depends(JsonBody(CancelLooseningBody, optional=True))],
    resources: ResourcesDep,
) -> LooseningOut:
    """Any manager may cancel a change, including the manager who requested it."""
    async with resources.work.of(member.tenant) as work:
        return LooseningOut.of(await cancel_loosening(work, member.actor, loosening_id))
