"""/app/unsubscribe/{token}: the page that turns off a member's email notifications. A GET request
changes nothing because mail scanners follow every link in an email."""

from typing import Final

from fastapi import APIRouter, Request
from starlette.responses import Response

from api.resources import Resources, ResourcesDep
from api.sign_in import count_address
from domain.core.ids import TenantId
from domain.intake.rate_limit import LimitScope
from domain.reviews.errors import UnsubscribeLinkUnknown
from domain.reviews.unsubscribe import UNSUBSCRIBE_PATH, subscriber_of
from services.reviews.notifications import turn_off_notifications

_UNSUBSCRIBE: Final = f"{UNSUBSCRIBE_PATH}/{{token}}"

router = APIRouter(include_in_schema=False)


@router.get(_UNSUBSCRIBE)
async def unsubscribe_page(request: Request, token: str, resources: ResourcesDep) -> Response:
    await count_address(request, LimitScope.UNSUBSCRIBE)
    try:
        subscriber_of(resources.sealer, token)
    except UnsubscribeLinkUnknown:
        return _gone(request)
    return resources.pages.render(
        request, "reviews/unsubscribe.html", is_done=False, path=request.url.path
    )


@router.post(_UNSUBSCRIBE)
async def unsubscribe(request: Request, token: str, resources: ResourcesDep) -> Response:
    """Turn off the member's emails. Mail programs send this request without a page (RFC 8058).

    The request needs no session, and its body and origin are not checked, because the token in the
    URL authorizes the request. The response is the same if the emails are already off, so it
    reveals nothing about the member.
    """
    await count_address(request, LimitScope.UNSUBSCRIBE)
    try:
        member = subscriber_of(resources.sealer, token)
    except UnsubscribeLinkUnknown:
        return _gone(request)
    # The client id can be trusted because the token's signature covers it.
    async with resources.work.of(TenantId(member.client_id)) as work:
        await turn_off_notifications(work, member.user_id)
    return resources.pages.render(
        request, "reviews/unsubscribe.html", is_done=True, path=request.url.path
    )


def _gone(request: Request) -> Response:
    resources: Resources = request.app.state.resources
    return resources.pages.render(request, "reviews/unsubscribe_gone.html", status=404)
