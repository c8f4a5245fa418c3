"""/app/loosenings: changes that give the agent more permissions and therefore need a second
manager's approval."""

from typing import Annotated, Final

from fastapi import APIRouter, Depends
from starlette.responses import Response

from api.dashboard.loosened_rows import loosened_rows, money_in
from api.dashboard.page import AnyonesPage
from api.dashboard.people import people_of
from api.dashboard.post import Post, Posted
from api.route import PathId
from api.schemas.core.client_query import PageQuery, cursor_after
from domain.tenants.actor import MANAGERS
from domain.tenants.errors import LooseningNotFound
from services.playbooks.loosening_approvals import approve_loosening
from services.tenants.loosenings import cancel_loosening
from store.tenants.loosenings import LooseningRepository

LOOSENINGS: Final = "/app/loosenings"
_ONE: Final = f"{LOOSENINGS}/{{loosening_id}}"

router = APIRouter(include_in_schema=False)
LooseningPost = Annotated[
    Post, Depends(Posted(MANAGERS, PathId("loosening_id", "loosening", LooseningNotFound)))
]


@router.get(LOOSENINGS)
async def loosenings(page: AnyonesPage) -> Response:
    query = page.query(PageQuery)
    async with page.resources.database.reading(page.tenant) as connection:
        found = await LooseningRepository(connection, page.tenant).page(
            before=query.cursor, limit=query.limit + 1
        )
    return page.render(
        "tenants/loosenings.html",
        loosenings=found[: query.limit],
        rows_of=loosened_rows,
        money_in=money_in,
        people=await people_of(page) if found else {},
        user_id=page.visit.user.id,
        cursor=cursor_after(found, query.limit, lambda last: last.id),
        may_decide=page.may(MANAGERS),
    )


@router.post(f"{_ONE}/approve")
async def approve(post: LooseningPost) -> Response:
    page = post.page
    async with post.working(LOOSENINGS) as work:
        await approve_loosening(work, page.actor, page.record_id, page.resources.model)
    return post.done(LOOSENINGS, "loosenings.approved")


@router.post(f"{_ONE}/cancel")
async def cancel(post: LooseningPost) -> Response:
    async with post.working(LOOSENINGS) as work:
        await cancel_loosening(work, post.page.actor, post.page.record_id)
    return post.done(LOOSENINGS, "loosenings.cancelled")
