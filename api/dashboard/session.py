"""The browser session: its cookie, and the check that a form was submitted from one of our
pages."""

import hmac
from base64 import urlsafe_b64encode
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from datetime import timedelta
from typing import Final
from urllib.parse import quote, urlsplit

from starlette.requests import Request
from starlette.responses import RedirectResponse, Response

from adapters.identity.session import comma_separated
from api.dashboard.redirect import PageRedirect
from api.http.client_address import client_network
from api.resources import Resources
from domain.identity.errors import CrossSiteRequest, SessionNotFound
from domain.identity.session import LONGEST, Session, SessionKind
from domain.tenants.user import User
from services.identity.sessions import end_session, find_session, see_session

SIGN_IN: Final = "/app/sign-in"
CSRF: Final = "csrf"

# Minimum interval between updates of a session's last use, to avoid a database write on every
# request.
_SEEN_EVERY: Final = timedelta(minutes=1)
_LOOPBACK: Final = ("127.0.0.1", "::1", "localhost")


@dataclass(frozen=True, slots=True)
class Visit:
    """A user signed in with a browser. `csrf` is the token included in forms on our pages."""

    session: Session
    user: User
    csrf: str = field(repr=False)


async def visit_of(request: Request) -> Visit | None:
    """Return the browser's session, or None if the browser is not signed in."""
    secret = request.cookies.get(cookie_name(request))
    if secret is None:
        return None
    resources: Resources = request.app.state.resources
    async with resources.database.reading_across() as connection:
        session = await find_session(connection, SessionKind.BROWSER, secret, resources.now())
    if session is None:
        return None
    if resources.now() - session.used_at >= _SEEN_EVERY and not is_poll(request):
        async with resources.work.everywhere() as work:
            await see_session(work, session)
    return Visit(session, user_of(session.user_id, resources), _csrf_of(secret))


def user_of(user_id: str, resources: Resources) -> User:
    """Return the user with this id. The settings determine whether the user is an internal
    admin."""
    admins = comma_separated(resources.settings.identity.admin_user_ids or "")
    return User(user_id, user_id in admins)


def is_poll(request: Request) -> bool:
    """Return True if the request is a page's background poll. A poll does not extend the session or
    consume one-time messages."""
    return request.method == "GET" and "hx-request" in request.headers


def cookie_name(request: Request) -> str:
    """Return the name of the session cookie. `__Host-` ties it to this host and to TLS, and is
    omitted on loopback connections."""
    return "session" if is_plain_loopback(request) else "__Host-session"


async def let_in(request: Request, secret: str, page: str) -> Response:
    """End the browser's previous session, and redirect to `page` with the new session's cookie."""
    resources: Resources = request.app.state.resources
    before = await visit_of(request)
    if before is not None:
        with suppress(SessionNotFound):  # The browser's previous session has just expired.
            async with resources.work.everywhere() as work:
                network = client_network(request)
                await end_session(work, before.user.id, before.session.id, network=network)
    answer = RedirectResponse(page, status_code=303)
    give_cookie(request, answer, secret)
    return answer


def give_cookie(request: Request, response: Response, secret: str) -> None:
    """Set the session cookie. `secret` is the session's secret."""
    response.set_cookie(
        cookie_name(request),
        secret,
        max_age=int(LONGEST[SessionKind.BROWSER].total_seconds()),
        path="/",
        secure=not is_plain_loopback(request),
        httponly=True,
        samesite="lax",
    )


def take_cookie(request: Request, response: Response) -> None:
    """Delete the session cookie."""
    response.delete_cookie(
        cookie_name(request),
        path="/",
        secure=not is_plain_loopback(request),
        httponly=True,
        samesite="lax",
    )


def sign_in_first(request: Request) -> Response:
    """Return a redirect to the sign-in page. After sign-in, the user returns to the requested
    page."""
    return RedirectResponse(sign_in_address(request), status_code=303)


def sign_in_address(request: Request) -> str:
    """Return the URL of the sign-in page that leads back to the current page."""
    return sign_in_at(request.url.path + (f"?{request.url.query}" if request.url.query else ""))


def sign_in_at(page: str) -> str:
    """Return the URL of the sign-in page that leads to the given page of this service."""
    return f"{SIGN_IN}?next={quote(page, safe='')}"


def is_led_here(request: Request) -> bool:
    """Return True if a page from another site caused the request. Routes with side effects reject
    such requests."""
    return request.headers.get("sec-fetch-site", "none") not in ("same-origin", "none")


def check_origin(request: Request) -> None:
    """Raise CrossSiteRequest if the form was submitted from a page of another origin. A request
    without an origin is rejected, because all current browsers send the origin with a form."""
    site = request.headers.get("sec-fetch-site")
    if site is not None:
        same = site == "same-origin"
    else:
        # The comparison omits the scheme because a reverse proxy may terminate TLS.
        same = urlsplit(request.headers.get("origin", "")).netloc == request.url.netloc
    if not same:
        raise CrossSiteRequest


async def check_form(request: Request, visit: Visit, form: Mapping[str, str]) -> None:
    """Check a signed-in user's form, once it has been read.

    Checks the origin as `check_origin` does, and compares the form's CSRF token with the session's
    token. Raises CrossSiteRequest if either check fails. Raises PageRedirect to the sign-in page if
    the session has ended since the request arrived.
    """
    check_origin(request)
    if not hmac.compare_digest(form.get(CSRF, "").encode(), visit.csrf.encode()):
        raise CrossSiteRequest
    if await visit_of(request) is None:
        raise PageRedirect(SIGN_IN)


def _csrf_of(secret: str) -> str:
    digest = hmac.digest(secret.encode(), b"csrf", "sha256")
    return urlsafe_b64encode(digest).rstrip(b"=").decode()


def is_plain_loopback(request: Request) -> bool:
    """Return True if the request uses plain HTTP on loopback, so that cookies cannot be restricted
    to TLS. Always return False if PUBLIC_URL is an https URL, because a local proxy may then
    forward requests from any host to `127.0.0.1`."""
    resources: Resources = request.app.state.resources
    if resources.settings.server.origin.startswith("https:"):
        return False
    return request.url.scheme == "http" and request.url.hostname in _LOOPBACK
