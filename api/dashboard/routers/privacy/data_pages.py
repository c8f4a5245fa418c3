"""/app/data: a client's stored data, its retention periods and its deletion."""

from collections.abc import Mapping
from typing import Annotated, Final

from fastapi import APIRouter, Depends
from starlette.responses import Response

from api.dashboard.page import OnPage, Page
from api.dashboard.people import people_of
from api.dashboard.post import ManagersPost, version_of
from api.dashboard.variant_form import whole_number
from api.routers.exports.export import export_answer
from api.schemas.core.client_query import ClientQuery
from api.schemas.tenants.settings import SettingsBody
from domain.core.errors import InvalidBody
from domain.exports.export import parse_format
from domain.intake.rate_limit import LimitScope
from domain.privacy.retention import MIN_DAYS, RecordClass, days_kept, kept_from
from domain.tenants.actor import MANAGERS, OWNERS
from services.dashboard.forms import standing_in
from services.tenants.client_settings import change_settings
from store.tenants.client_settings import SettingsRepository

_PATH: Final = "/app/data"
_RETENTION: Final = f"{_PATH}/retention"

router = APIRouter(include_in_schema=False)
ManagersPage = Annotated[Page, Depends(OnPage(MANAGERS))]


class ErasureQuery(ClientQuery):
    customer: str | None = None


@router.get(_PATH)
async def data(page: ManagersPage) -> Response:
    async with page.resources.database.reading(page.tenant) as connection:
        settings = await SettingsRepository(connection, page.tenant).read()
    days = _days(settings.retention)
    return page.render(
        "privacy/data.html",
        days=days,
        removed_before={one: kept_from(one, settings.retention, page.now) for one in days},
        least=MIN_DAYS,
        typed=await page.typed(_RETENTION, {one: str(kept or "") for one, kept in days.items()}),
        seen=version_of(settings),
        may_erase=page.may(OWNERS),
    )


@router.post(_RETENTION)
async def keep(post: ManagersPost) -> Response:
    page = post.page
    if not post.ticked("known"):
        raise InvalidBody("champ « known »")
    wanted = {
        one.value: whole_number(one, text) if (text := post.text(one).strip()) else None
        for one in RecordClass
    }
    change = post.body(SettingsBody, retention=wanted).change
    async with post.working(_PATH) as work:
        there = await SettingsRepository(standing_in(work), page.tenant).read()
        post.check_seen(version_of(there))
        await change_settings(work, page.actor, change)
    return post.done(_PATH, "privacy.retention")


@router.get(f"{_PATH}/export")
async def export(page: ManagersPage) -> Response:
    """Download all of the client's data, in the same file that `GET /api/client/export-data`
    returns."""
    request, resources = page.request, page.resources
    await resources.limiter.check_request(
        request, LimitScope.EXPORT, request.state.caller, page.now
    )
    form = parse_format(request.query_params.getlist("format"))
    return export_answer(page.tenant, page.actor, form, page.now, request, resources)


@router.get(f"{_PATH}/erasure")
async def erasure(page: Annotated[Page, Depends(OnPage(OWNERS))]) -> Response:
    """Show a text that the client can send to the operator to request erasure. Only the operator
    can erase a client (docs/erasure.md)."""
    query = page.query(ErasureQuery)
    return page.render(
        "privacy/erasure.html",
        customer=query.customer or "",
        is_written="customer" in page.request.query_params,
        support=page.resources.settings.mail.sender,
        people=await people_of(page),
    )


def _days(overrides: Mapping[str, int | None]) -> dict[RecordClass, int | None]:
    return {one: days_kept(one, overrides) for one in RecordClass}
