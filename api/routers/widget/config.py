"""GET /api/widget/config: the widget's configuration, and a token for a new session."""

from fastapi import APIRouter
from starlette.responses import Response

from api.http.json_body import json_response
from api.resources import ResourcesDep
from api.route import DescribedRoute
from api.schemas.widget.config import WidgetConfig
from api.widget_access import WidgetPageDep
from domain.tenants.disclosure import disclosures
from domain.widget.looks import looks
from domain.widget.widget_session import session_token
from store.tenants.client_settings import SettingsRepository
from store.tenants.clients import ClientRepository

router = APIRouter(route_class=DescribedRoute)


@router.get(
    "/api/widget/config",
    operation_id="widget.config",
    summary="Get the widget's configuration",
    response_model=WidgetConfig,
)
async def config(page: WidgetPageDep, resources: ResourcesDep) -> Response:
    """The call stores nothing. Opening a page therefore does not create a session."""
    async with resources.database.reading(page.tenant) as connection:
        settings = await SettingsRepository(connection, page.tenant).read()
        brand_name = await ClientRepository(connection).brand_name(page.tenant)
    shown = looks(settings.branding, brand_name)
    answer = WidgetConfig(
        display_name=shown.display_name,
        color=shown.color,
        on_color=shown.on_color,
        logo_url=shown.logo_url,
        ask_rating=settings.ask_rating,
        disclosure=disclosures(settings.disclosure_status, settings.disclosure),
        session_id=session_token(resources.sealer, page.tenant, resources.new_id()),
    )
    return json_response(answer.model_dump())
