"""/app/keys: API keys, and AI clients that members have authorized."""

import secrets
from typing import Annotated, Final

from fastapi import APIRouter, Depends
from starlette.responses import Response

from api.dashboard.page import OnPage, Page
from api.dashboard.post import ConnectingPost, Post, Posted
from api.route import PathId
from api.schemas.core.client_query import PageQuery, cursor_after
from domain.tenants.actor import MANAGERS
from domain.tenants.api_key import KEY_BYTES, MAX_ACTIVE, is_unused
from domain.tenants.errors import KeyNotFound
from services.dashboard.forms import standing_in
from services.tenants.keys import create_key, rename_key, revoke_key
from store.tenants.keys import KeyEntry, KeyRepository, client_of
from store.tenants.members import MemberRepository

_LIST: Final = "/app/keys"
_NEW: Final = f"{_LIST}/new"
_CLIENTS: Final = f"{_LIST}/mcp"
_REVOKED: Final = f"{_LIST}/revoked"
_KEY: Final = f"{_LIST}/{{key_id}}"
_ID: Final = PathId("key_id", "key", KeyNotFound)

router = APIRouter(include_in_schema=False)
ManagersPage = Annotated[Page, Depends(OnPage(MANAGERS))]
KeyPage = Annotated[Page, Depends(OnPage(MANAGERS, _ID, client_of))]
KeyPost = Annotated[Post, Depends(Posted(MANAGERS, _ID, client_of))]


@router.get(_LIST)
async def keys(page: ManagersPage) -> Response:
    active = await _active(page)
    own = [key for key in active if key.oauth_client_id is None]
    unused = [key.id for key in own if is_unused(key.created_at, key.last_used_at, page.now)]
    return page.render(
        "tenants/keys.html",
        keys=own,
        unused=unused,
        people=await _people(page),
        client_id=page.tenant,
    )


@router.get(_CLIENTS)
async def ai_clients(page: ManagersPage) -> Response:
    active = await _active(page)
    return page.render(
        "tenants/ai_clients.html",
        keys=[key for key in active if key.oauth_client_id is not None],
        people=await _people(page),
        address=f"{page.resources.settings.server.origin}/api/mcp",
    )


@router.get(_REVOKED)
async def revoked(page: ManagersPage) -> Response:
    query = page.query(PageQuery)
    async with page.resources.database.reading(page.tenant) as connection:
        found = await KeyRepository(connection).page(
            page.tenant, after=query.cursor, limit=query.limit + 1, revoked=True
        )
    return page.render(
        "tenants/revoked_keys.html",
        keys=found[: query.limit],
        cursor=cursor_after(found, query.limit, lambda last: last.id),
    )


@router.get(_NEW)
async def new(page: ManagersPage) -> Response:
    return page.render("tenants/new_key.html", typed=await page.typed(_LIST, {"label": ""}))


@router.post(_LIST)
async def create(post: ConnectingPost) -> Response:
    """Create a key. Only the resulting page shows the key."""
    random = secrets.token_bytes(KEY_BYTES)
    async with post.working() as work:
        made = await create_key(work, post.page.actor, post.text("label"), random)
    return post.page.render(
        "tenants/made_key.html",
        key=made.entry,
        text=made.text,
        gateway=f"{post.page.resources.settings.server.origin}/api/engine/gateway",
        client_id=post.page.tenant,
    )


@router.get(_KEY)
async def key(page: KeyPage) -> Response:
    async with page.resources.database.reading(page.tenant) as connection:
        found = await KeyRepository(connection).read(page.tenant, page.record_id)
    form = f"{_LIST}/{found.id}"
    return page.render(
        "tenants/key.html",
        key=found,
        people=await _people(page),
        form=form,
        typed=await page.typed(form, {"label": found.label}),
    )


@router.post(_KEY)
async def rename(post: KeyPost) -> Response:
    async with post.working(post.form) as work:
        await rename_key(work, post.page.actor, post.page.record_id, post.text("label"))
    return post.done(post.form, "tenants.key_renamed")


@router.post(f"{_KEY}/revoke")
async def revoke(post: KeyPost) -> Response:
    page = post.page
    async with post.working(_LIST) as work:
        there = await KeyRepository(standing_in(work)).read(page.tenant, page.record_id)
        post.check_confirmed(there.label)
        await revoke_key(work, page.actor, page.record_id)
    return post.done(
        _CLIENTS if there.oauth_client_id else _LIST, "tenants.key_revoked", label=there.label
    )


async def _active(page: Page) -> tuple[KeyEntry, ...]:
    async with page.resources.database.reading(page.tenant) as connection:
        return await KeyRepository(connection).page(
            page.tenant, after=None, limit=2 * MAX_ACTIVE, revoked=False
        )


async def _people(page: Page) -> dict[str, str]:
    """Return the members' email addresses by user id. The page uses them to name the creator of
    each key."""
    async with page.resources.database.reading_across() as connection:
        members = await MemberRepository(connection).all(page.tenant)
    return {member.user_id: member.email for member in members}
