"""/app/enter: the page that the embedded stack's single-use sign-in link opens."""

import secrets
from typing import Final

from fastapi import APIRouter, Request
from starlette.responses import Response

from api.dashboard.next_page import HOME
from api.dashboard.session import check_origin, let_in
from api.resources import ResourcesDep
from api.sign_in import count_address, visitor_of
from domain.identity.errors import SignInLinkGone
from domain.identity.session import SECRET_BYTES
from domain.identity.sign_in_link import LINK_PATH, token_digest
from domain.intake.rate_limit import LimitScope
from services.identity.sign_in_links import enter_by_link
from store.identity.sign_in_links import SignInLinks

_LINK: Final = f"{LINK_PATH}/{{token}}"

router = APIRouter(include_in_schema=False)


@router.get(_LINK)
async def link(request: Request, token: str, resources: ResourcesDep) -> Response:
    """Show a page with a sign-in button. Opening the page does not sign the user in. Raises
    SignInLinkGone if the link is no longer valid."""
    async with resources.database.reading_across() as connection:
        if not await SignInLinks(connection).is_open(token_digest(token), resources.now()):
            raise SignInLinkGone
    return resources.pages.render(request, "identity/enter.html")


@router.post(_LINK)
async def enter(request: Request, token: str, resources: ResourcesDep) -> Response:
    """Sign in with the link, which works only once. Raises CrossSiteRequest, TooManyRequests,
    SignInLinkGone."""
    check_origin(request)
    await count_address(request, LimitScope.VERIFICATION)
    random = secrets.token_bytes(SECRET_BYTES)
    async with resources.work.everywhere() as work:
        opened = await enter_by_link(work, token, visitor_of(request), random)
    return await let_in(request, opened.secret, HOME)
