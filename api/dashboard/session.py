"""The browser's session: its cookie, and proof that a form was sent by our own page."""

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

# How exactly it is known when a session was last used: not each request writes.
_SEEN_EVERY: Final = timedelta(minutes=1)
_LOOPBACK: Final = ("127.0.0.1", "::1", "localhost")


@dataclass(frozen=True, slots=True)
class Visit:
    """Somebody who is signed in with a browser. `csrf`: what our pages' forms send along."""

    session: Session
    user: User
    csrf: str = field(repr=False)


async def visit_of(request: Request) -> Visit | None:
    """Whose browser it is; None where nobody is signed in."""
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
    """Whether a page asks for news by itself: that is no use of the session, and takes nothing
    that is shown once."""
    return request.method == "GET" and "hx-request" in request.headers


def cookie_name(request: Request) -> str:
    """`__Host-` ties the cookie to this host and to TLS; loopback has none."""
    return "session" if is_plain_loopback(request) else "__Host-session"


async def let_in(request: Request, secret: str, page: str) -> Response:
    """To a page of ours, with a session that is new: what the browser held before is worth nothing
    afterwards."""
    resources: Resources = request.app.state.resources
    before = await visit_of(request)
    if before is not None:
        with suppress(SessionNotFound):  # it has just ended by itself
            async with resources.work.everywhere() as work:
                network = client_network(request)
                await end_session(work, before.user.id, before.session.id, network=network)
    answer = RedirectResponse(page, status_code=303)
    give_cookie(request, answer, secret)
    return answer


def give_cookie(request: Request, response: Response, secret: str) -> None:
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
    response.delete_cookie(
        cookie_name(request),
        path="/",
        secure=not is_plain_loopback(request),
        httponly=True,
        samesite="lax",
    )


def sign_in_first(request: Request) -> Response:
    """To the sign-in page, and back to this one."""
    return RedirectResponse(sign_in_address(request), status_code=303)


def sign_in_address(request: Request) -> str:
    """The sign-in page that leads back to this one."""
    return sign_in_at(request.url.path + (f"?{request.url.query}" if request.url.query else ""))


def sign_in_at(page: str) -> str:
    """The sign-in page that leads to a page of ours."""
    return f"{SIGN_IN}?next={quote(page, safe='')}"


def is_led_here(request: Request) -> bool:
    """Whether another site's page made the browser come, as it may not to what has an effect."""
    return request.headers.get("sec-fetch-site", "none") not in ("same-origin", "none")


def check_origin(request: Request) -> None:
    """Raises CrossSiteRequest where another origin's page sent the form.

    Every browser of today says where a form comes from; one that says nothing is refused.
    """
    site = request.headers.get("sec-fetch-site")
    if site is not None:
        same = site == "same-origin"
    else:
        # Without the scheme: before us a proxy may have ended TLS.
        same = urlsplit(request.headers.get("origin", "")).netloc == request.url.netloc
    if not same:
        raise CrossSiteRequest


def check_form(request: Request, visit: Visit, form: Mapping[str, str]) -> None:
    """The same for the form of somebody who is signed in, which carries the session's token too.

    Raises CrossSiteRequest.
    """
    check_origin(request)
    if not hmac.compare_digest(form.get(CSRF, "").encode(), visit.csrf.encode()):
        raise CrossSiteRequest


def _csrf_of(secret: str) -> str:
    digest = hmac.digest(secret.encode(), b"csrf", "sha256")
    return urlsafe_b64encode(digest).rstrip(b"=").decode()


def is_plain_loopback(request: Request) -> bool:
    """Whether cookies cannot be held to TLS. Never where PUBLIC_URL says that people come by TLS: a
    proxy on this machine may ask for `127.0.0.1`, whatever it was asked for."""
    resources: Resources = request.app.state.resources
    if resources.settings.server.origin.startswith("https:"):
        return False
    return request.url.scheme == "http" and request.url.hostname in _LOOPBACK
