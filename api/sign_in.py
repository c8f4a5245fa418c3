"""Sign-in over HTTP, for API clients (`/api/auth`) and for browsers (`/app`)."""

import secrets
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Final

import structlog
from starlette.background import BackgroundTasks
from starlette.requests import Request

from adapters.identity.session_key import LIFETIME, SessionKeys
from api.dashboard.pages import language_of
from api.http.client_address import client_network, limited_address
from api.resources import Resources
from api.schemas.identity.sign_in import Tokens
from domain.core.errors import EngineUnavailable, RouteNotFound
from domain.core.plain_text import clean_line
from domain.identity.address import sign_in_address
from domain.identity.brand import brand_name
from domain.identity.code import CODES, code_text
from domain.identity.contracts import SendMailInput
from domain.identity.errors import InvalidAddress, InvalidCode, TooManyAccounts
from domain.identity.opening import OpeningLimits
from domain.identity.session import SECRET_BYTES, SessionKind
from domain.intake.errors import TooManyRequests
from domain.intake.rate_limit import LimitScope
from domain.tenants.user import User
from services.identity.sessions import OpenedSession, Visitor
from services.identity.sign_in import (
    CodePresented,
    CodeWanted,
    Entered,
    make_code,
    make_code_in_crowd,
    sign_in,
)

_MAX_AGENT: Final = 200

_log = structlog.get_logger(__name__)


def our_keys(resources: Resources) -> SessionKeys:
    """Return our session keys. Raises RouteNotFound if an external identity provider handles
    sign-in or if sign-in is disabled."""
    if resources.session_keys is None:
        raise RouteNotFound
    return resources.session_keys


async def count_address(request: Request, scope: LimitScope) -> None:
    """Count the request toward the limit of the caller's address. Raises TooManyRequests if the
    limit has been reached."""
    resources: Resources = request.app.state.resources
    request.state.caller = f"ip:{limited_address(request)}"
    await resources.limiter.check_address(request, scope, resources.now())


async def send_code(
    request: Request, email: str, brand: str | None, later: BackgroundTasks
) -> None:
    """Email a sign-in code, or a notice that the address has no account.

    The response and its time are the same in both cases, because the worker does the rest. If there
    are too many requests, the request is processed `later`, after the response. Raises
    InvalidAddress, InvalidBrandName, EngineUnavailable.
    """
    resources: Resources = request.app.state.resources
    wanted = CodeWanted(
        email=sign_in_address(email),
        brand_name=None if brand is None else brand_name(brand),
        language=language_of(request),
        network=client_network(request),
        code=code_text(secrets.randbelow(CODES)),
    )
    try:
        await resources.limiter.check(LimitScope.SIGNUP_ANYWHERE, "", resources.now())
    except TooManyRequests:
        _log.warning("too many sign-in codes are requested")
        later.add_task(_send_in_crowd, resources, wanted)
        return
    async with resources.work.everywhere() as work:
        code_id = await make_code(work, wanted, resources.sealer, opening_limits(resources))
    # The response is sent only after Temporal has accepted the email's workflow. From then on, the
    # email survives any crash.
    await resources.engine.mail(SendMailInput(kind="code", record_id=code_id))


async def _send_in_crowd(resources: Resources, wanted: CodeWanted) -> None:
    """Email a sign-in code to a known address. A failure is logged because the response has already
    been sent."""
    limits = opening_limits(resources)
    try:
        async with resources.work.everywhere() as work:
            code_id = await make_code_in_crowd(work, wanted, resources.sealer, limits)
        if code_id is not None:
            await resources.engine.mail(SendMailInput(kind="code", record_id=code_id))
    except EngineUnavailable:
        _log.warning("failed to send sign-in code", error_code=EngineUnavailable.code)


async def enter_code(request: Request, email: str, code: str, kind: SessionKind) -> Entered:
    """Sign in with an emailed code. Raises InvalidCode, TooManyAccounts, EngineUnavailable."""
    resources: Resources = request.app.state.resources
    try:
        address = sign_in_address(email)
    except InvalidAddress:
        raise InvalidCode from None
    random = secrets.token_bytes(SECRET_BYTES)
    presented = CodePresented(address, code, kind, visitor_of(request), random)
    with noting_held_back():
        async with resources.work.everywhere() as work:
            done = await sign_in(work, presented, resources.sealer, opening_limits(resources))
    if done is None:
        raise InvalidCode
    return done


def visitor_of(request: Request) -> Visitor:
    """Return the client's IP network and user agent."""
    agent = clean_line(request.headers.get("user-agent", ""), _MAX_AGENT)
    return Visitor(client_network(request), agent)


def tokens_of(resources: Resources, opened: OpenedSession) -> Tokens:
    """Return a session's tokens: a new session JWT, and the session's new refresh token."""
    # The token omits the internal admin role because the settings list the internal admins.
    user = User(opened.session.user_id, is_admin=False)
    return Tokens(
        token=our_keys(resources).sign(user, resources.now()),
        expires_in=round(LIFETIME.total_seconds()),
        refresh_token=opened.secret,
    )


def opening_limits(resources: Resources) -> OpeningLimits:
    """Return the limits on new accounts, from the settings."""
    return OpeningLimits(resources.settings.limits.accounts_an_hour)


@contextmanager
def noting_held_back() -> Iterator[None]:
    """Log an error if the limits for new accounts prevent the block from creating an account.
    Operators monitor this log line (docs/accounts.md)."""
    try:
        yield
    except TooManyAccounts:
        _log.error("sign-up rejected: too many new accounts")
        raise
