"""/app: what waits, and how the agent does."""

from fastapi import APIRouter
from starlette.responses import Response

from api.dashboard.next_page import HOME
from api.dashboard.page import AnyonesPage

router = APIRouter(include_in_schema=False)


@router.get(HOME)
async def overview(page: AnyonesPage) -> Response:
    return page.render("dashboard/overview.html")
