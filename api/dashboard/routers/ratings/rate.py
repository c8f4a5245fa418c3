"""/app/rate/{token}: the page where a customer rates an answer. A GET request stores no rating,
because mail scanners follow every link in an email."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

from fastapi import APIRouter, Request
from starlette.responses import Response

from api.dashboard.forms import read_form
from api.resources import Resources, ResourcesDep
from api.sign_in import count_address
from domain.core.errors import InvalidInput
from domain.core.ids import TenantId
from domain.intake.rate_limit import LimitScope
from domain.ratings.errors import RatingLinkExpired, RatingLinkUnknown
from domain.ratings.rating import MAX_COMMENT, GivenRating, checked_rating
from domain.ratings.rating_link import RATING_PATH, rated_run
from domain.tenants.errors import ClientNotFound
from services.ratings.ratings import rate_by_link
from store.ratings.ratings import RatingRepository
from store.tenants.client_settings import SettingsRepository
from store.tenants.clients import ClientRepository

_RATE: Final = f"{RATING_PATH}/{{token}}"

router = APIRouter(include_in_schema=False)


@dataclass(frozen=True, slots=True)
class _Linked:
    """The answer that a rating link refers to, with the shop's display name and the run's
    language."""

    tenant: TenantId
    run_id: str
    shop: str
    language: str


@router.get(_RATE)
async def rate_page(request: Request, token: str, resources: ResourcesDep) -> Response:
    await count_address(request, LimitScope.RATING)
    try:
        linked = await _linked(resources, token)
    except (RatingLinkUnknown, RatingLinkExpired) as error:
        return _gone(request, error)
    return _form(request, linked)


@router.post(_RATE)
async def rate(request: Request, token: str, resources: ResourcesDep) -> Response:
    """Store a rating. The request's origin is not checked, because the token in the URL authorizes
    the request. A form on another site would also need the token."""
    await count_address(request, LimitScope.RATING)
    try:
        linked = await _linked(resources, token)
        form = await read_form(request)
        try:
            given = _given(form)
        except InvalidInput:
            return _form(request, linked, wrong=True, comment=form.get("comment", ""))
        async with resources.work.of(linked.tenant) as work:
            kept = await rate_by_link(work, linked.run_id, given)
    except (RatingLinkUnknown, RatingLinkExpired) as error:
        return _gone(request, error)
    return resources.pages.render(
        request,
        "ratings/rated.html",
        language=linked.language,
        shop=linked.shop,
        score=kept.score,
        path=request.url.path,
    )


async def _linked(resources: Resources, token: str) -> _Linked:
    """Return the answer that the link refers to. Raises RatingLinkUnknown, RatingLinkExpired."""
    run = rated_run(resources.sealer, token, resources.now())
    # The client id can be trusted because the token's signature covers it.
    tenant = TenantId(run.client_id)
    async with resources.database.reading(tenant) as connection:
        language = await RatingRepository(connection, tenant).language(run.run_id)
        settings = await SettingsRepository(connection, tenant).read()
        try:
            brand_name = await ClientRepository(connection).brand_name(tenant)
        except ClientNotFound:
            raise RatingLinkUnknown from None
    if language is None:
        raise RatingLinkUnknown
    return _Linked(tenant, run.run_id, settings.branding.display_name or brand_name, language)


def _given(form: Mapping[str, str]) -> GivenRating:
    """Return the rating from the form. Raises InvalidInput if the form contains no valid rating."""
    score = form.get("score", "")
    if len(score) != 1 or not score.isascii() or not score.isdigit():
        raise InvalidInput("score: one digit expected")
    return checked_rating(int(score), form.get("comment"))


def _form(request: Request, linked: _Linked, *, wrong: bool = False, comment: str = "") -> Response:
    resources: Resources = request.app.state.resources
    return resources.pages.render(
        request,
        "ratings/rate.html",
        status=400 if wrong else 200,
        language=linked.language,
        shop=linked.shop,
        wrong=wrong,
        comment=comment[:MAX_COMMENT],
        max_comment=MAX_COMMENT,
    )


def _gone(request: Request, error: RatingLinkUnknown | RatingLinkExpired) -> Response:
    resources: Resources = request.app.state.resources
    expired = isinstance(error, RatingLinkExpired)
    return resources.pages.render(
        request, "ratings/rate_gone.html", status=410 if expired else 404, expired=expired
    )
