"""/authorize: a signed-in user lets an OAuth client act for one of the user's clients, or refuses.

The form posts to the same URL, so the request stays in the query. Nothing is stored, fetched or
revealed before the sign-in, and the redirect URI is ignored.

An error redirects at once to a loopback address. To an Internet address, the user must follow a
link (decision 0042).
"""

import secrets
from collections.abc import Callable, Coroutine, Mapping
from dataclasses import dataclass
from typing import Any, Final

from fastapi import APIRouter, Request
from fastapi.routing import APIRoute
from starlette.datastructures import QueryParams
from starlette.responses import RedirectResponse, Response

from api.dashboard.forms import read_form
from api.dashboard.session import Visit, check_form, sign_in_first, visit_of
from api.http.client_address import client_network
from api.resources import Resources, ResourcesDep
from api.routers.identity.oauth_metadata import AUTHORIZE, resource
from domain.core.ids import TenantId, parse_ulid
from domain.identity.errors import OAuthError, OAuthRefused
from domain.identity.grant import CODE_BYTES, AccessRequest, access_request
from domain.identity.oauth_client import OAuthClient, is_document
from domain.identity.redirect_uri import RedirectUri, is_registered, redirect_uri
from domain.intake.rate_limit import LimitScope
from domain.tenants.actor import MANAGERS
from domain.tenants.errors import AccessDenied, RoleRequired
from services.identity.authorization import Consent, give_consent
from store.identity.oauth_clients import OAuthClientRepository
from store.identity.people import address_of, clients_of

_ALLOW: Final = "allow"
_SCOPE: Final = "scope:"
"""Prefix of the form field names of the scope checkboxes."""


class _PageRoute(APIRoute):
    """A route that shows an OAuth error to the user if the OAuth client or its redirect URI cannot
    be verified."""

    def get_route_handler(self) -> Callable[[Request], Coroutine[Any, Any, Response]]:
        inner = super().get_route_handler()

        async def handle(request: Request) -> Response:
            try:
                return await inner(request)
            except OAuthRefused as refused:
                return _page(request, "refused", 400, error=refused)

        return handle


router = APIRouter(route_class=_PageRoute)


@dataclass(frozen=True, slots=True)
class _Asked:
    """A verified authorization request. `redirect_uri` is registered for this OAuth client."""

    client: OAuthClient
    redirect_uri: RedirectUri
    state: str | None
    issuer: str

    def answered(self, **answer: str) -> str:
        """Return the redirect URI with the response parameters. Every response contains the issuer,
        so that it cannot be confused with a response from another server (RFC 9207)."""
        return self.redirect_uri.with_answer(**answer, state=self.state, iss=self.issuer)


@dataclass(frozen=True, slots=True)
class _Answered:
    """The user's input in a form that is shown again with an error. `problem`: the error text's
    catalogue key."""

    problem: str
    client_id: str | None
    kept: frozenset[str]


@router.get(AUTHORIZE, include_in_schema=False)
async def ask(request: Request, resources: ResourcesDep) -> Response:
    visit = await _visit(request, resources)
    if visit is None:
        return sign_in_first(request)
    asked = await _asked(request, resources, visit)
    access = _access(request, resources)
    if isinstance(access, OAuthRefused):
        return _sent_back(request, asked, access)
    return await _consent_page(request, resources, visit, asked, access)


@router.post(AUTHORIZE, include_in_schema=False)
async def decide(request: Request, resources: ResourcesDep) -> Response:
    """Handle the user's decision on the consent form. Raises CrossSiteRequest if the form comes
    from another site."""
    visit = await _visit(request, resources)
    if visit is None:
        return sign_in_first(request)
    form = await read_form(request)
    await check_form(request, visit, form)
    asked = await _asked(request, resources, visit)
    access = _access(request, resources)
    if form.get("decision") != _ALLOW:
        return _redirect(asked.answered(error=OAuthError.ACCESS_DENIED))
    if isinstance(access, OAuthRefused):
        return _sent_back(request, asked, access)
    kept = frozenset(name.removeprefix(_SCOPE) for name in form if name.startswith(_SCOPE))
    chosen = parse_ulid(form.get("client", ""))
    if chosen is None or kept.isdisjoint(access.scopes):
        answered = _Answered("no_client" if chosen is None else "nothing_kept", chosen, kept)
        return await _consent_page(request, resources, visit, asked, access, answered)
    tenant = TenantId(chosen)
    try:
        async with resources.work.spanning(tenant) as work:
            code = await give_consent(
                work,
                visit.user.id,
                Consent(asked.client, asked.redirect_uri, access, kept),
                secrets.token_bytes(CODE_BYTES),
                network=client_network(request),
            )
    except (AccessDenied, RoleRequired):
        return _page(request, "not_allowed", 403)
    return _redirect(asked.answered(code=code))


async def _visit(request: Request, resources: Resources) -> Visit | None:
    """Return the browser's session, or None if the browser is not signed in. Raises
    TooManyRequests."""
    await resources.limiter.check_address(request, LimitScope.AUTHORIZATION, resources.now())
    return await visit_of(request)


async def _asked(request: Request, resources: Resources, visit: Visit) -> _Asked:
    """Return the verified OAuth client and its redirect URI. Raises OAuthRefused if they cannot be
    verified."""
    query = _query(request)
    client = await _client(query.get("client_id", ""), resources, visit)
    presented = redirect_uri(query.get("redirect_uri", ""))
    if not is_registered(presented, client.redirect_uris):
        raise OAuthRefused(OAuthError.INVALID_REDIRECT_URI, "the redirect URI is not the client's")
    return _Asked(client, presented, query.get("state"), resources.settings.server.origin)


async def _client(client_id: str, resources: Resources, visit: Visit) -> OAuthClient:
    if is_document(client_id):
        return await resources.client_documents.find(client_id, asked_by=visit.user.id)
    async with resources.database.reading_across() as reading:
        found = await OAuthClientRepository(reading).find(client_id)
    if found is None:
        raise OAuthRefused(OAuthError.INVALID_CLIENT, "the client is not known here")
    return found


def _query(request: Request) -> Mapping[str, str]:
    """Return the query parameters. Raises OAuthRefused (invalid_request) for a repeated parameter
    (RFC 6749, 3.1), because two parsers might pick different values."""
    query: QueryParams = request.query_params
    pairs = [(name, value) for name, value in query.multi_items() if value]
    if len(dict(pairs)) != len(pairs) or any("\0" in value for _, value in pairs):
        raise OAuthRefused(OAuthError.INVALID_REQUEST, "a parameter comes twice")
    return dict(pairs)


def _access(request: Request, resources: Resources) -> AccessRequest | OAuthRefused:
    try:
        return access_request(_query(request), resource(resources.settings))
    except OAuthRefused as refused:
        return refused


async def _consent_page(
    request: Request,
    resources: Resources,
    visit: Visit,
    asked: _Asked,
    access: AccessRequest,
    answered: _Answered | None = None,
) -> Response:
    """Return the consent form, without a selected scope. If the user belongs to several clients, no
    client is selected either."""
    async with resources.database.reading_across() as reading:
        mine = await clients_of(reading, visit.user.id)
        email = await address_of(reading, visit.user.id)
    choices = [one for one in mine if one.role in MANAGERS]
    if not choices:
        return _page(request, "not_allowed" if mine else "no_client", 403)
    return resources.pages.render(
        request,
        "identity/consent.html",
        status=200 if answered is None else 400,
        form_action=f"'self' {asked.redirect_uri.form_source}",
        csrf=visit.csrf,
        email=email or visit.user.id,
        client=asked.client,
        document=is_document(asked.client.id),
        target=asked.redirect_uri,
        choices=choices,
        scopes=access.scopes,
        action=f"{AUTHORIZE}?{request.url.query}",
        problem=answered and answered.problem,
        chosen=answered and answered.client_id,
        kept=answered.kept if answered else frozenset(),
    )


def _sent_back(request: Request, asked: _Asked, refused: OAuthRefused) -> Response:
    """Return the error to the OAuth client, through a redirect or a page with a link.

    Anyone can register a failing OAuth client, so no link to our service may redirect to an
    Internet address. After the sign-in form, whose Content-Security-Policy forbids it, there is
    never a redirect.
    """
    back = asked.answered(error=refused.error, error_description=refused.description)
    from_our_form = request.headers.get("sec-fetch-site") == "same-origin"
    if asked.redirect_uri.is_loopback and not from_our_form:
        return _redirect(back)
    place = asked.redirect_uri.shown
    return _page(request, "refused", 400, error=refused, back=back, place=place)


def _page(
    request: Request,
    kind: str,
    status: int,
    *,
    error: OAuthRefused | None = None,
    back: str | None = None,
    place: str | None = None,
) -> Response:
    """Return a page that explains why the user cannot consent. `back` links to the OAuth client,
    and `place` is its displayed URL."""
    resources: Resources = request.app.state.resources
    return resources.pages.render(
        request,
        "identity/no_consent.html",
        status=status,
        form_action="'none'",
        kind=kind,
        error=error,
        back=back,
        place=place,
    )


def _redirect(to: str) -> Response:
    return RedirectResponse(to, status_code=303, headers={"Cache-Control": "no-store"})
