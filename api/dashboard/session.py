"""The browser's session: its cookie, and the check that one of our own pages sent a form."""

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
from api.http.client_address import client_network
from api.resources import Resources
from domain.identity.errors import CrossSiteRequest, SessionNotFound
from domain.identity.session import LONGEST, Session, SessionKind
from domain.tenants.user import User
from services.identity.sessions import end_session, find_session, see_session

SIGN_IN: Final = "/app/sign-in"
CSRF: Final = "csrf"

# Precision of the time of a session's last use. It avoids a database write on every request.
_SEEN_EVERY: Final = timedelta(minutes=1)
_LOOPBACK: Final = ("127.0.0.1", "::1", "localhost")


@dataclass(frozen=True, slots=True)
class Visit:
    """A user who is signed in with a browser. `csrf`: the token that forms on our pages contain."""

    session: Session
    user: User
    csrf: str = field(repr=False)


async def visit_of(request: Request) -> Visit | None:
    """Return the browser's session, or None if it is signed out."""
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
    admins = comma_separated(resources.settings.identity.admin_user_ids or "")
    return Visit(session, User(session.user_id, session.user_id in admins), _csrf_of(secret))


def is_poll(request: Request) -> bool:
    """Return whether the request is a page's background poll. A poll does not extend the session,
    and does not consume one-time messages."""
    return request.method == "GET" and "hx-request" in request.headers


def cookie_name(request: Request) -> str:
    """Return the name of the session cookie. The prefix `__Host-` ties the cookie to this host and
    to TLS; loopback connections use no TLS."""
    return "session" if is_plain_loopback(request) else "__Host-session"


async def let_in(request: Request, secret: str, page: str) -> Response:
    """Return a redirect to a page of this service, with the cookie of a new session. Ends the
    browser's previous session."""
    resources: Resources = request.app.state.resources
    before = await visit_of(request)
    if before is not None:
        with suppress(SessionNotFound):  # the browser's previous session has just expired
            async with resources.work.everywhere() as work:
                network = client_network(request)
                await end_session(work, before.user.id, before.session.id, network=network)
    answer = RedirectResponse(page, status_code=303)
    give_cookie(request, answer, secret)
    return answer


def give_cookie(request: Request, response: Response, secret: str) -> None:
    """Set the session cookie. `secret`: the session's secret."""
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
    """Return a redirect to the sign-in page, which leads back to the requested page."""
    return RedirectResponse(sign_in_address(request), status_code=303)


def sign_in_address(request: Request) -> str:
    """Return the URL of the sign-in page that leads back to this page."""
    return sign_in_at(request.url.path + (f"?{request.url.query}" if request.url.query else ""))


def sign_in_at(page: str) -> str:
    """Return the URL of the sign-in page, which leads to the given page of this service."""
    return f"{SIGN_IN}?next={quote(page, safe='')}"


def is_led_here(request: Request) -> bool:
    """Return whether a page of another site caused the request. Routes with side effects reject
    such requests."""
    return request.headers.get("sec-fetch-site", "none") not in ("same-origin", "none")


def check_origin(request: Request) -> None:
    """Raise CrossSiteRequest if a page of another origin sent the form. Every current browser sends
    the origin with a form, so a request without an origin is rejected."""
    site = request.headers.get("sec-fetch-site")
    if site is not None:
        same = site == "same-origin"
    else:
        # Compare without the scheme, because a proxy in front of us may terminate TLS.
        same = urlsplit(request.headers.get("origin", "")).netloc == request.url.netloc
    if not same:
        raise CrossSiteRequest


def check_form(request: Request, visit: Visit, form: Mapping[str, str]) -> None:
    """Check the origin of a signed-in user's form as `check_origin` does, and check the session's
    CSRF token in the form. Raises CrossSiteRequest."""
    check_origin(request)
    if not hmac.compare_digest(form.get(CSRF, "").encode(), visit.csrf.encode()):
        raise CrossSiteRequest


def _csrf_of(secret: str) -> str:
    digest = hmac.digest(secret.encode(), b"csrf", "sha256")
    return urlsafe_b64encode(digest).rstrip(b"=").decode()


def is_plain_loopback(request: Request) -> bool:
    """Return whether the request uses plain HTTP on loopback, so that cookies cannot be limited to
    TLS. Always false if PUBLIC_URL is an https URL, because a proxy on this machine may send
    requests to `127.0.0.1` on behalf of any host."""
    resources: Resources = request.app.state.resources
    if resources.settings.server.origin.startswith("https:"):
        return False
    return request.url.scheme == "http" and request.url.hostname in _LOOPBACK
