"""/app/usage: this month's usage, and a forecast of the day on which the quota will be used up."""

from fastapi import APIRouter
from starlette.responses import Response

from api.dashboard.page import AnyonesPage
from api.schemas.billing.usage_history import usage_answer
from domain.billing.quota import UNLIMITED
from services.billing.standing import usage_standing

router = APIRouter(include_in_schema=False)


@router.get("/app/usage")
async def usage(page: AnyonesPage) -> Response:
    async with page.resources.database.reading(page.tenant) as connection:
        standing = await usage_standing(connection, page.tenant, page.now)
    answer = usage_answer(standing, page.now)
    return page.render(
        "billing/usage.html",
        current=answer.current,
        history=answer.history,
        forecast=answer.forecast,
        unlimited=answer.current.tickets_limit == UNLIMITED,
    )
