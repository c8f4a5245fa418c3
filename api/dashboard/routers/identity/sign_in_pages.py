"""/app/sign-in, /app/sign-up and /app/verify: sign-in with an emailed code."""

import math
from collections.abc import Mapping
from typing import Final

from fastapi import APIRouter, BackgroundTasks, Depends, Request
from starlette.responses import RedirectResponse, Response

from api.dashboard.forms import read_form
from api.dashboard.next_page import HOME, next_page
from api.dashboard.session import (
    SIGN_IN,
    check_form,
    check_origin,
    let_in,
    take_cookie,
    visit_of,
)
from api.http.client_address import client_network
from api.resources import Resources, ResourcesDep
from api.sign_in import count_address, enter_code, our_keys, send_code
from domain.core.errors import DomainError
from domain.identity.errors import (
    InvalidAddress,
    InvalidBrandName,
    InvalidCode,
    TooManyAccounts,
)
from domain.identity.session import SessionKind
from domain.intake.errors import TooManyRequests
from domain.intake.rate_limit import LimitScope
from services.identity.sessions import end_session
from services.identity.sign_in import Entered

SIGN_UP: Final = "/app/sign-up"
VERIFY: Final = "/app/verify"
SIGNED_OUT: Final = "/app/signed-out"
INVITATIONS: Final = "/app/invitations"

_CODE_FORM: Final = "identity/verify.html"
_AGAIN: Final = "again"
"""The field of a request for another code, sent from the form for the code."""

_STATUS: Final[dict[type[DomainError], int]] = {
    InvalidAddress: 400,
    InvalidBrandName: 400,
    InvalidCode: 401,
    TooManyAccounts: 429,
    TooManyRequests: 429,
}
_REFUSALS: Final = tuple(_STATUS)


async def _ours(request: Request) -> None:
    """Raise RouteNotFound if an external identity provider handles sign-in."""
    our_keys(request.app.state.resources)


router = APIRouter(include_in_schema=False)
_OURS: Final = [Depends(_ours)]


@router.get(SIGN_IN)
async def sign_in_page(request: Request) -> Response:
    return await _first_page(request, "identity/sign_in.html")


@router.get(SIGN_UP)
async def sign_up_page(request: Request) -> Response:
    return await _first_page(request, "identity/sign_up.html")


@router.post(SIGN_IN, dependencies=_OURS)
async def ask_for_code(request: Request, later: BackgroundTasks) -> Response:
    """Send a sign-in code, and show the form for the code. The page is the same for known and
    unknown addresses."""
    return await _send(request, "identity/sign_in.html", later, is_new=False)


@router.post(SIGN_UP, dependencies=_OURS)
async def open_account(request: Request, later: BackgroundTasks) -> Response:
    """Send a sign-in code to a user who opens an account with a shop's name. Users who already have
    an account sign in to that account."""
    return await _send(request, "identity/sign_up.html", later, is_new=True)


@router.get(VERIFY, dependencies=_OURS)
async def verify_page(request: Request) -> Response:
    return _form(request, _CODE_FORM, {"next": request.query_params.get("next", "")})


@router.post(VERIFY, dependencies=_OURS)
async def verify(request: Request) -> Response:
    check_origin(request)
    form: Mapping[str, str] = {}
    try:
        await count_address(request, LimitScope.VERIFICATION)
        form = await read_form(request)
        email, code = form.get("email", ""), form.get("code", "")
        done = await enter_code(request, email, code, SessionKind.BROWSER)
    except _REFUSALS as error:
        return _form(request, _CODE_FORM, form or await read_form(request), error)
    return await let_in(request, done.opened.secret, first_page(done, next_page(form.get("next"))))


@router.post("/app/sign-out")
async def sign_out(request: Request, resources: ResourcesDep) -> Response:
    visit = await visit_of(request)
    # The session has expired, so there is nothing to end. The redirect omits `next` because a
    # return to this route after sign-in would sign the user out.
    if visit is None:
        return RedirectResponse(SIGN_IN, status_code=303)
    await check_form(request, visit, await read_form(request))
    async with resources.work.everywhere() as work:
        await end_session(work, visit.user.id, visit.session.id, network=client_network(request))
    after = SIGN_IN if resources.provider is None else SIGNED_OUT
    answer = RedirectResponse(after, status_code=303)
    take_cookie(request, answer)
    return answer


def first_page(entered: Entered, wanted: str) -> str:
    """Return the path of the page to show after sign-in. The page with open invitations takes
    precedence over the overview."""
    return INVITATIONS if entered.invited and wanted == HOME else wanted


async def _first_page(request: Request, template: str) -> Response:
    resources: Resources = request.app.state.resources
    if resources.provider is None:
        our_keys(resources)
    wanted = next_page(request.query_params.get("next"))
    if await visit_of(request) is not None:
        return RedirectResponse(wanted, status_code=303)
    if resources.provider is not None:
        return resources.pages.render(request, "identity/provider.html", next=wanted)
    return _form(request, template, request.query_params)


async def _send(
    request: Request, template: str, later: BackgroundTasks, *, is_new: bool
) -> Response:
    """Send the sign-in code requested with the form in `template`. `is_new`: whether the code may
    open an account. If a request for another code is refused, the form for the code stays, because
    the earlier code may still work."""
    check_origin(request)
    form: Mapping[str, str] = {}
    try:
        await count_address(request, LimitScope.SIGNUP)
        form = await read_form(request)
        brand = form.get("brand_name", "").strip() if is_new else None
        await send_code(request, form.get("email", ""), brand, later)
    except _REFUSALS as error:
        form = form or await read_form(request)
        return _form(request, _CODE_FORM if _AGAIN in form else template, form, error)
    return _form(request, _CODE_FORM, form)


def _form(
    request: Request, template: str, given: Mapping[str, str], error: DomainError | None = None
) -> Response:
    """Return the page with its form, prefilled with the previous input except the code."""
    resources: Resources = request.app.state.resources
    page = resources.pages.render(
        request,
        template,
        status=200 if error is None else _STATUS[type(error)],
        error=error.code if error else None,
        next=next_page(given.get("next")),
        email=given.get("email", "").strip(),
        brand_name=given.get("brand_name", "").strip(),
        sent_again=error is None and _AGAIN in given,
    )
    if error is not None and error.retry_after_s is not None:
        page.headers["retry-after"] = str(max(1, math.ceil(error.retry_after_s)))
    return page
