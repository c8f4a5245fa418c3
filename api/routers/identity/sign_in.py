"""/api/auth: sign-up, sign-in with an emailed code, and sign-out."""

from collections.abc import Sequence
from typing import Annotated, Final

from fastapi import APIRouter, BackgroundTasks, Depends, Request, Response

from api.dashboard.session import check_origin, take_cookie, visit_of
from api.http.client_address import client_network
from api.openapi import LIMIT_HEADERS, RETRY_AFTER, UNAUTHENTICATED, Described
from api.resources import Resources, ResourcesDep
from api.route import DescribedRoute, JsonBody, Part
from api.schemas.core.error import ErrorBody
from api.schemas.identity.sign_in import (
    EnterCodeBody,
    RefreshBody,
    SignOutBody,
    SignupAnswer,
    SignupBody,
    Tokens,
    VerifyAnswer,
)
from api.sign_in import count_address, enter_code, our_keys, send_code, tokens_of
from domain.identity.code import LIFETIME as CODE_LIFETIME
from domain.identity.errors import InvalidRefreshToken
from domain.identity.session import Session, SessionKind
from domain.intake.rate_limit import LimitScope
from services.identity.sessions import end_session, end_sessions, find_session, renew_session

router = APIRouter(route_class=DescribedRoute, prefix="/api/auth")


class AnyoneFrom(Part):
    """A dependency for visitors who are not signed in. Counts by address, and disables caching.
    Raises TooManyRequests, and RouteNotFound with an external identity provider."""

    def __init__(self, scope: LimitScope) -> None:
        self._scope = scope

    async def __call__(self, request: Request) -> None:
        request.state.headers = [(b"cache-control", b"no-store")]
        our_keys(request.app.state.resources)
        await count_address(request, self._scope)


_SIGNUP: Final = Depends(AnyoneFrom(LimitScope.SIGNUP))
_VERIFICATION: Final = Depends(AnyoneFrom(LimitScope.VERIFICATION))
# The dashboard's rate limit applies to this route because a program may refresh the tokens of many
# users from one address.
_RENEWAL: Final = Depends(AnyoneFrom(LimitScope.DASHBOARD))


def _answers(*statuses: int, good: Sequence[int]) -> dict[int | str, Described]:
    described: Described = {"headers": LIMIT_HEADERS}
    errors = (400, 404, 408, 413, 415, *statuses)
    return {
        **dict.fromkeys(good, described),
        **{status: {"model": ErrorBody, **described} for status in errors},
        **{status: {"model": ErrorBody} for status in (405, 500)},
        **({401: UNAUTHENTICATED} if 401 in statuses else {}),
        429: {"model": ErrorBody, "headers": {**LIMIT_HEADERS, **RETRY_AFTER}},
    }


@router.post(
    "/signup",
    operation_id="auth.send_code",
    summary="Send a sign-in code by email",
    status_code=202,
    responses=_answers(good=[202]),
    dependencies=[_SIGNUP],
)
async def signup(
    request: Request,
    later: BackgroundTasks,
    body: Annotated[SignupBody, Depends(JsonBody(SignupBody))],
) -> SignupAnswer:
    """The response is the same for known and unknown addresses. An unknown address receives a code
    if the request contains a shop name or the address has been invited. Otherwise it receives an
    email stating that there is no account."""
    await send_code(request, body.email, body.brand_name, later)
    return SignupAnswer(expires_in=round(CODE_LIFETIME.total_seconds()))


@router.post(
    "/verify",
    operation_id="auth.sign_in",
    summary="Sign in with a code",
    responses=_answers(401, good=[200]),
    dependencies=[_VERIFICATION],
)
async def verify(
    request: Request,
    body: Annotated[EnterCodeBody, Depends(JsonBody(EnterCodeBody))],
    resources: ResourcesDep,
) -> VerifyAnswer:
    """A code can be used once. It expires after ten minutes or five attempts. For a new shop, this
    call creates the account. An invitation stays open until the user accepts or declines it."""
    done = await enter_code(request, body.email, body.code, SessionKind.REFRESH)
    return VerifyAnswer(
        **tokens_of(resources, done.opened).model_dump(),
        user_id=done.opened.session.user_id,
        client_id=done.client_id,
        created=done.created,
        invited=done.invited,
    )


@router.post(
    "/refresh",
    operation_id="auth.refresh",
    summary="Refresh a session token",
    responses=_answers(401, good=[200]),
    dependencies=[_RENEWAL],
)
async def refresh(
    body: Annotated[RefreshBody, Depends(JsonBody(RefreshBody))], resources: ResourcesDep
) -> Tokens:
    """Each use replaces the refresh token. For 30 seconds, a request with the replaced token still
    returns the same response. Using a replaced token later ends the session because two parties
    then hold the token."""
    async with resources.work.everywhere() as work:
        renewed = await renew_session(work, body.refresh_token, resources.sealer)
    if renewed is None:
        raise InvalidRefreshToken
    return tokens_of(resources, renewed)


@router.post(
    "/sign-out",
    operation_id="auth.sign_out",
    summary="End the current session or all of the user's sessions",
    status_code=204,
    responses=_answers(401, 403, good=[204]),
    dependencies=[_RENEWAL],
)
async def sign_out(
    request: Request,
    response: Response,
    body: Annotated[SignOutBody, Depends(JsonBody(SignOutBody, optional=True))],
    resources: ResourcesDep,
) -> None:
    """Browsers are signed out and refresh tokens are revoked immediately. A session token (JWT)
    that was already issued stays valid until it expires, at most an hour later."""
    session = await _session(request, body.refresh_token)
    network = client_network(request)
    async with resources.work.everywhere() as work:
        if body.everywhere:
            await end_sessions(work, session.user_id, network=network)
        else:
            await end_session(work, session.user_id, session.id, network=network)
    if session.kind is SessionKind.BROWSER:
        take_cookie(request, response)


async def _session(request: Request, refresh_token: str | None) -> Session:
    """Return the session to end, identified by its refresh token or by the browser's cookie. Raises
    InvalidRefreshToken, CrossSiteRequest."""
    resources: Resources = request.app.state.resources
    if refresh_token is not None:
        async with resources.database.reading_across() as connection:
            found = await find_session(
                connection, SessionKind.REFRESH, refresh_token, resources.now()
            )
    else:
        visit = await visit_of(request)
        if visit is not None:
            check_origin(request)
        found = visit.session if visit is not None else None
    if found is None:
        raise InvalidRefreshToken
    return found
