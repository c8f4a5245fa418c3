"""/app/no-client: for those who are signed in and belong to no client."""

from fastapi import APIRouter, Request
from starlette.responses import RedirectResponse, Response

from api.dashboard.next_page import HOME
from api.dashboard.page import NO_CLIENT
from api.dashboard.session import sign_in_first, visit_of
from api.resources import ResourcesDep
from store.identity.people import address_of, clients_of

router = APIRouter(include_in_schema=False)


@router.get(NO_CLIENT)
async def no_client(request: Request, resources: ResourcesDep) -> Response:
    visit = await visit_of(request)
    if visit is None:
        return sign_in_first(request)
    async with resources.database.reading_across() as connection:
        email = await address_of(connection, visit.user.id)
        if await clients_of(connection, visit.user.id):
            return RedirectResponse(HOME, status_code=303)
    return resources.pages.render(
        request, "dashboard/no_client.html", email=email or visit.user.id, csrf=visit.csrf
    )
