"""/app/integrations/ID/address: the endpoint to which a platform sends webhooks for a
connection."""

import secrets
from datetime import timedelta
from typing import Annotated, Final

from fastapi import APIRouter, Depends
from pydantic import SecretStr
from starlette.responses import RedirectResponse, Response

from api.dashboard.page import OnPage, Page
from api.dashboard.post import Post, Posted
from api.dashboard.routers.integrations.integration_view import ONE, ONE_ID, one_page
from api.dashboard.typed import SECRET
from api.schemas.inbound.inbound_endpoint import OpenEndpointBody
from domain.core.errors import InvalidBody
from domain.inbound.endpoint import OVERLAP, SECRET_BYTES, TOKEN_BYTES
from domain.tenants.actor import ANYONE, MANAGERS
from services.inbound.endpoints import (
    DrawnBytes,
    close_endpoint,
    open_endpoint,
    rotate_endpoint,
    set_endpoint_secret,
)
from store.integrations.integrations import client_of

_ADDRESS: Final = f"{ONE}/inbound"
_ROTATE: Final = f"{_ADDRESS}/rotate"
_FIELD: Final = f"{SECRET}secret"
_AT_ONCE: Final = timedelta(0)

router = APIRouter(include_in_schema=False)
AddressPage = Annotated[Page, Depends(OnPage(ANYONE, ONE_ID, client_of))]
AddressPost = Annotated[Post, Depends(Posted(MANAGERS, ONE_ID, client_of))]


@router.get(_ADDRESS)
@router.get(_ROTATE)
async def to_connection(page: AddressPage) -> Response:
    """Redirect to the connection's page. If the user reloads a page that showed a secret, the
    browser requests this route, so the secret is not shown again."""
    return RedirectResponse(ONE.format(integration_id=page.record_id), status_code=303)


@router.post(_ADDRESS)
async def open_one(post: AddressPost) -> Response:
    """Open an endpoint. Only the resulting page shows the endpoint's URL and the generated
    secret."""
    page = post.page
    given = post.text(_FIELD).strip()
    body = post.body(
        OpenEndpointBody,
        secret=SecretStr(given) if given else None,
        mapping=_mapping(post.text("mapping")),
    )
    async with (
        page.resources.documents.admitted(
            page.tenant
        ),  # Limits the number of mappings whose expressions are evaluated concurrently.
        post.working() as work,
    ):
        shown = await open_endpoint(
            work, page.actor, page.record_id, body.wanted, _drawn(), sealer=page.resources.sealer
        )
    return await one_page(page, shown)


@router.post(_ROTATE)
async def rotate(post: AddressPost) -> Response:
    page = post.page
    async with post.working() as work:
        shown = await rotate_endpoint(
            work,
            page.actor,
            page.record_id,
            _drawn(),
            sealer=page.resources.sealer,
            overlap=_AT_ONCE if post.ticked("at_once") else OVERLAP,
        )
    return await one_page(page, shown)


@router.post(f"{_ADDRESS}/secret")
async def put_secret(post: AddressPost) -> Response:
    page, one = post.page, ONE.format(integration_id=post.page.record_id)
    async with post.working(one) as work:
        await set_endpoint_secret(
            work,
            page.actor,
            page.record_id,
            post.text(_FIELD).strip(),
            sealer=page.resources.sealer,
        )
    return post.done(one, "integrations.secret_set")


@router.post(f"{_ADDRESS}/close")
async def close(post: AddressPost) -> Response:
    one = ONE.format(integration_id=post.page.record_id)
    async with post.working(one) as work:
        await close_endpoint(work, post.page.actor, post.page.record_id)
    return post.done(one, "integrations.closed")


def _drawn() -> DrawnBytes:
    return DrawnBytes(secrets.token_bytes(TOKEN_BYTES), secrets.token_bytes(SECRET_BYTES))


def _mapping(text: str) -> dict[str, str] | None:
    """Return the mapping from lines in the format "field = expression". Raises InvalidBody if a
    line has another format."""
    pairs = [line.partition("=") for line in text.split("\n") if line.strip()]
    if not all(equals for _, equals, _ in pairs):
        raise InvalidBody("champ « mapping »")
    return {name.strip(): expression.strip() for name, _, expression in pairs} or None
