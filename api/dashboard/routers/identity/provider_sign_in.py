"""/app/oidc: sign-in with an external identity provider."""

import hmac
import secrets
from collections.abc import Mapping
from typing import Final
from urllib.parse import quote

from fastapi import APIRouter, Request
from starlette.responses import RedirectResponse, Response

from adapters.identity.oidc import OidcProvider
from api.dashboard.forms import read_form
from api.dashboard.next_page import next_page
from api.dashboard.routers.identity.sign_in_pages import SIGNED_OUT, first_page
from api.dashboard.sealed_cookie import AttemptStep, NewcomerStep, give_step, step_of, take_step
from api.dashboard.session import SIGN_IN, check_origin, is_led_here, let_in
from api.resources import Resources, ResourcesDep
from api.sign_in import count_address, noting_held_back, opening_limits, visitor_of
from domain.core.errors import RouteNotFound
from domain.identity.brand import brand_name
from domain.identity.errors import InvalidBrandName, ProviderUnreachable, SignInInterrupted
from domain.identity.provider import ATTEMPT_LASTS, ProvedPerson, SignInAttempt
from domain.identity.session import SECRET_BYTES
from domain.intake.rate_limit import LimitScope
from services.identity.sign_in import Entered, PersonProved, sign_in_person
from store.identity.people import address_of

START: Final = "/app/oidc/start"
CALLBACK: Final = "/app/oidc/callback"
SHOP: Final = "/app/oidc/shop"

# Error codes that indicate a temporary failure of the provider (RFC 6749, 4.1.2.1).
_NOT_NOW: Final = ("server_error", "temporarily_unavailable")

router = APIRouter(include_in_schema=False)


def _provider(resources: Resources) -> OidcProvider:
    """Return the external identity provider. Raises RouteNotFound if none is configured."""
    if resources.provider is None:
        raise RouteNotFound
    return resources.provider


@router.get(START)
async def start(request: Request, resources: ResourcesDep) -> Response:
    """Redirect to the identity provider. If another site linked to this URL, redirect to the
    sign-in page instead, so that users sign in only intentionally."""
    provider = _provider(resources)
    wanted = next_page(request.query_params.get("next"))
    if is_led_here(request):
        return RedirectResponse(f"{SIGN_IN}?next={quote(wanted, safe='')}", status_code=303)
    await count_address(request, LimitScope.DASHBOARD)
    attempt = SignInAttempt(*(secrets.token_urlsafe(32) for _ in range(3)))
    answer = RedirectResponse(await provider.sign_in_url(attempt), status_code=303)
    answer.headers["cache-control"] = "no-store"
    give_step(
        request,
        answer,
        AttemptStep(
            state=attempt.state,
            nonce=attempt.nonce,
            code_verifier=attempt.code_verifier,
            next=wanted,
            expires_at=resources.now() + ATTEMPT_LASTS,
        ),
    )
    return answer


@router.get(CALLBACK)
async def callback(request: Request, resources: ResourcesDep) -> Response:
    """Handle the redirect from the identity provider. Only the browser that started the sign-in can
    finish it, and only once. A cookie contains the state, and the response deletes the cookie."""
    provider = _provider(resources)
    await count_address(request, LimitScope.DASHBOARD)
    given = _once_each(request)
    step = step_of(request, AttemptStep)
    state = given.get("state", "").encode()
    if step is None or not hmac.compare_digest(state, step.state.encode()):
        raise SignInInterrupted
    await provider.check_issuer(given.get("iss"))
    if given.get("error") in _NOT_NOW:
        raise ProviderUnreachable
    if "error" in given or not given.get("code"):
        raise SignInInterrupted
    attempt = SignInAttempt(step.state, step.nonce, step.code_verifier)
    person = await provider.person(given["code"], attempt)
    done = await _signed_in(request, person, None)
    if done is not None:
        answer = await let_in(request, done.opened.secret, first_page(done, step.next))
        take_step(request, answer)
        return answer
    answer = RedirectResponse(SHOP, status_code=303)
    newcomer = NewcomerStep(
        subject=person.subject,
        email=person.email or "",
        next=step.next,
        expires_at=resources.now() + ATTEMPT_LASTS,
    )
    give_step(request, answer, newcomer)
    return answer


@router.get(SHOP)
async def shop(request: Request, resources: ResourcesDep) -> Response:
    _provider(resources)
    newcomer = step_of(request, NewcomerStep)
    if newcomer is None:
        return RedirectResponse(SIGN_IN, status_code=303)
    return _shop_form(request, newcomer)


@router.post(SHOP)
async def open_shop(request: Request, resources: ResourcesDep) -> Response:
    """Create an account for a user who has no invitation."""
    _provider(resources)
    check_origin(request)
    await count_address(request, LimitScope.SIGNUP)
    form = await read_form(request)
    newcomer = step_of(request, NewcomerStep)
    if newcomer is None:
        raise SignInInterrupted
    # If the user already has an account, redirect to the sign-in page. This route must only create
    # accounts.
    async with resources.database.reading_across() as connection:
        if await address_of(connection, newcomer.subject) is not None:
            return RedirectResponse(f"{SIGN_IN}?next={quote(newcomer.next, safe='')}", 303)
    typed = form.get("brand_name", "").strip()
    try:
        brand = brand_name(typed)
    except InvalidBrandName as error:
        return _shop_form(request, newcomer, typed, error.code)
    done = await _signed_in(request, ProvedPerson(newcomer.subject, newcomer.email), brand)
    if done is None:
        raise RuntimeError("who names a shop has an account")
    answer = await let_in(request, done.opened.secret, first_page(done, newcomer.next))
    take_step(request, answer)
    return answer


@router.get(SIGNED_OUT)
async def signed_out(request: Request, resources: ResourcesDep) -> Response:
    """Show the page after sign-out, with a link that ends the session at the identity provider. A
    form would not work, because Content-Security-Policy prevents our forms from redirecting to
    another site."""
    provider = _provider(resources)
    if is_led_here(request):
        return RedirectResponse(SIGN_IN, status_code=303)
    try:
        url = await provider.sign_out_url(resources.settings.server.origin + SIGN_IN)
    except ProviderUnreachable:
        url = None
    return resources.pages.render(request, "identity/signed_out.html", provider=url)


async def _signed_in(request: Request, person: ProvedPerson, brand: str | None) -> Entered | None:
    resources: Resources = request.app.state.resources
    proved = PersonProved(person, brand, visitor_of(request), secrets.token_bytes(SECRET_BYTES))
    with noting_held_back():
        async with resources.work.everywhere() as work:
            return await sign_in_person(work, proved, opening_limits(resources))


def _once_each(request: Request) -> Mapping[str, str]:
    """Return the query parameters. Raises SignInInterrupted if a parameter is repeated, because two
    parsers might pick different values."""
    pairs = request.query_params.multi_items()
    given = dict(pairs)
    if len(given) != len(pairs):
        raise SignInInterrupted
    return given


def _shop_form(
    request: Request, newcomer: NewcomerStep, typed: str = "", error: str | None = None
) -> Response:
    resources: Resources = request.app.state.resources
    return resources.pages.render(
        request,
        "identity/shop.html",
        status=400 if error else 200,
        email=newcomer.email,
        brand_name=typed,
        error=error,
    )
