"""/app/invitations and /app/no-client: pages to join a client or to create one."""

from fastapi import APIRouter, Request
from starlette.responses import RedirectResponse, Response

from api.dashboard.flash import Flash, give_flash
from api.dashboard.forms import read_form
from api.dashboard.next_page import HOME
from api.dashboard.page import NO_CLIENT
from api.dashboard.routers.identity.sign_in_pages import INVITATIONS
from api.dashboard.session import Visit, check_form, sign_in_first, visit_of
from api.http.client_address import client_network
from api.resources import Resources, ResourcesDep
from api.sign_in import count_address, noting_held_back, opening_limits
from domain.core.errors import InvalidBody
from domain.core.ids import parse_ulid
from domain.identity.brand import brand_name
from domain.identity.errors import InvalidBrandName, InvitationNotFound
from domain.intake.rate_limit import LimitScope
from domain.tenants.actor import Actor
from services.identity.accounts import Opening, open_own_client
from services.identity.answers import accept_invitation, decline_invitation
from store.identity.invitations import client_of, invitations_of
from store.identity.people import address_of, clients_of

router = APIRouter(include_in_schema=False)


@router.get(INVITATIONS)
async def invitations(request: Request, resources: ResourcesDep) -> Response:
    visit = await visit_of(request)
    if visit is None:
        return sign_in_first(request)
    async with resources.database.reading_across() as connection:
        email = await address_of(connection, visit.user.id)
        found = () if email is None else await invitations_of(connection, email, resources.now())
        mine = await clients_of(connection, visit.user.id)
    return resources.pages.render(
        request,
        "identity/invitations.html",
        email=email or visit.user.id,
        invitations=found,
        clients=mine,
        csrf=visit.csrf,
    )


@router.post(INVITATIONS)
async def answer(request: Request, resources: ResourcesDep) -> Response:
    """Accept or decline the invitation that the form names."""
    visit = await visit_of(request)
    if visit is None:
        return sign_in_first(request)
    form = await read_form(request)
    await check_form(request, visit, form)
    invitation_id = parse_ulid(form.get("invitation_id", ""))
    if invitation_id is None:
        raise InvitationNotFound("")
    if form.get("do") not in ("accept", "decline"):
        raise InvalidBody("champ « do »")
    tenant = await resources.database.find_client(client_of, invitation_id)
    actor = Actor.person(visit.user.id, None, network=client_network(request))
    async with resources.work.spanning(tenant) as work:
        if form["do"] == "accept":
            await accept_invitation(work, actor, visit.user.id, invitation_id)
        else:
            await decline_invitation(work, actor, visit.user.id, invitation_id)
    return await _after(request, resources, visit, accepted=form["do"] == "accept", tenant=tenant)


async def _after(
    request: Request, resources: Resources, visit: Visit, *, accepted: bool, tenant: str
) -> Response:
    """Return a redirect: to the overview if the invitation was accepted, otherwise to the
    invitations. The overview still shows the previously selected client."""
    async with resources.database.reading_across() as connection:
        joined = [one for one in await clients_of(connection, visit.user.id) if one.id == tenant]
    if not accepted or not joined:
        return RedirectResponse(INVITATIONS, status_code=303)
    response = RedirectResponse(HOME, status_code=303)
    facts = {"who": joined[0].brand_name}
    give_flash(request, response, Flash(kind="done", key="identity.joined", facts=facts))
    return response


@router.get(NO_CLIENT)
async def no_client(request: Request, resources: ResourcesDep) -> Response:
    visit = await visit_of(request)
    if visit is None:
        return sign_in_first(request)
    async with resources.database.reading_across() as connection:
        if await clients_of(connection, visit.user.id):
            return RedirectResponse(HOME, status_code=303)
    return await _no_client_page(request, visit)


@router.post(NO_CLIENT)
async def open_client(request: Request, resources: ResourcesDep) -> Response:
    """Create a client for the user. Raises TooManyAccounts, AddressNotVerified."""
    visit = await visit_of(request)
    if visit is None:
        return sign_in_first(request)
    await count_address(request, LimitScope.SIGNUP)
    form = await read_form(request)
    await check_form(request, visit, form)
    typed = form.get("brand_name", "").strip()
    try:
        brand = brand_name(typed)
    except InvalidBrandName as error:
        return await _no_client_page(request, visit, typed, error.code)
    opening = Opening(brand, client_network(request), opening_limits(resources))
    with noting_held_back():
        async with resources.work.everywhere() as work:
            await open_own_client(work, visit.user.id, opening)
    return RedirectResponse(HOME, status_code=303)


async def _no_client_page(
    request: Request, visit: Visit, typed: str = "", error: str | None = None
) -> Response:
    resources: Resources = request.app.state.resources
    async with resources.database.reading_across() as connection:
        email = await address_of(connection, visit.user.id)
        found = () if email is None else await invitations_of(connection, email, resources.now())
    return resources.pages.render(
        request,
        "identity/no_client.html",
        status=400 if error else 200,
        email=email or visit.user.id,
        may_open=email is not None,
        invitations=found,
        brand_name=typed,
        error=error,
        csrf=visit.csrf,
    )
