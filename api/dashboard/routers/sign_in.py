"""/app/sign-in and /app/verify: how a browser is let in."""

from typing import Final

from fastapi import APIRouter, Depends, Request
from starlette.responses import RedirectResponse, Response

from api.dashboard.forms import read_form
from api.dashboard.next_page import next_page
from api.dashboard.session import (
    SIGN_IN,
    check_form,
    check_origin,
    give_cookie,
    sign_in_first,
    take_cookie,
    visit_of,
)
from api.resources import Resources, ResourcesDep
from api.sign_in import count_address, enter_code, our_keys, send_code
from domain.core.errors import DomainError
from domain.identity.errors import InvalidAddress, InvalidBrandName, InvalidCode
from domain.identity.session import SessionKind
from domain.intake.errors import TooManyRequests
from domain.intake.rate_limit import LimitScope
from services.identity.sessions import end_session

VERIFY: Final = "/app/verify"

_STATUS: Final[dict[type[DomainError], int]] = {
    InvalidAddress: 400,
    InvalidBrandName: 400,
    InvalidCode: 401,
    TooManyRequests: 429,
}
_REFUSALS: Final = tuple(_STATUS)


async def _ours(request: Request) -> None:
    """Raises RouteNotFound where another identity provider signs people in."""
    our_keys(request.app.state.resources)


router = APIRouter(include_in_schema=False)
_OURS: Final = [Depends(_ours)]


@router.get(SIGN_IN, dependencies=_OURS)
async def sign_in_page(request: Request) -> Response:
    wanted = next_page(request.query_params.get("next"))
    if await visit_of(request) is not None:
        return RedirectResponse(wanted, status_code=303)
    return _sign_in(request, wanted)


@router.post(SIGN_IN, dependencies=_OURS)
async def ask_for_code(request: Request) -> Response:
    """The form of a code follows, whoever the address is of."""
    check_origin(request)
    form = await read_form(request)
    email, wanted = form.get("email", "").strip(), next_page(form.get("next"))
    brand = form.get("brand_name", "").strip()
    try:
        await count_address(request, LimitScope.SIGNUP)
        await send_code(request, email, brand or None)
    except _REFUSALS as error:
        return _sign_in(request, wanted, email=email, brand=brand, error=error)
    return _verify(request, wanted, email=email)


@router.get(VERIFY, dependencies=_OURS)
async def verify_page(request: Request) -> Response:
    return _verify(request, next_page(request.query_params.get("next")))


@router.post(VERIFY, dependencies=_OURS)
async def verify(request: Request, resources: ResourcesDep) -> Response:
    """A session that is always new: what the browser held before is worth nothing afterwards."""
    check_origin(request)
    form = await read_form(request)
    email, wanted = form.get("email", "").strip(), next_page(form.get("next"))
    try:
        await count_address(request, LimitScope.VERIFICATION)
        done = await enter_code(request, email, form.get("code", ""), SessionKind.BROWSER)
    except _REFUSALS as error:
        return _verify(request, wanted, email=email, error=error)
    before = await visit_of(request)
    if before is not None:
        async with resources.work.everywhere() as work:
            await end_session(work, before.user.id, before.session.id)
    answer = RedirectResponse(wanted, status_code=303)
    give_cookie(request, answer, done.opened.secret)
    return answer


@router.post("/app/sign-out")
async def sign_out(request: Request, resources: ResourcesDep) -> Response:
    visit = await visit_of(request)
    if visit is None:
        return sign_in_first(request)
    check_form(request, visit, await read_form(request))
    async with resources.work.everywhere() as work:
        await end_session(work, visit.user.id, visit.session.id)
    answer = RedirectResponse(SIGN_IN, status_code=303)
    take_cookie(request, answer)
    return answer


def _sign_in(
    request: Request,
    wanted: str,
    *,
    email: str = "",
    brand: str = "",
    error: DomainError | None = None,
) -> Response:
    return _form(request, "sign_in.html", error, next=wanted, email=email, brand_name=brand)


def _verify(
    request: Request, wanted: str, *, email: str = "", error: DomainError | None = None
) -> Response:
    return _form(request, "verify.html", error, next=wanted, email=email)


def _form(request: Request, template: str, error: DomainError | None, **facts: str) -> Response:
    resources: Resources = request.app.state.resources
    status = 200 if error is None else _STATUS[type(error)]
    page = resources.pages.render(
        request, template, status=status, error=error.code if error else None, **facts
    )
    if error is not None and error.retry_after_s is not None:
        page.headers["retry-after"] = str(max(1, round(error.retry_after_s)))
    return page
