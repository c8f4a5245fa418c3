"""/api/dashboard/keys: a client's API keys."""

import secrets
from typing import Annotated, Final

from fastapi import APIRouter, Depends
from starlette.responses import Response

from api.access import Asked, ChosenManagerDep, ManagerDep, QueryInClient
from api.resources import ResourcesDep
from api.route import DescribedRoute, JsonBody, PathId, errors
from api.schemas.core.client_query import PageQuery, cursor_after
from api.schemas.tenants.keys import Key, KeyBody, KeyPage, KeyWithText
from domain.tenants.actor import MANAGERS
from domain.tenants.api_key import KEY_BYTES
from domain.tenants.errors import KeyNotFound
from services.tenants.keys import create_key, rename_key, revoke_key
from store.tenants.keys import KeyRepository

router = APIRouter(route_class=DescribedRoute)

_KEYS: Final = "/api/dashboard/keys"
_KEY: Final = f"{_KEYS}/{{key_id}}"
KeyId = Annotated[str, Depends(PathId("key_id", "key", KeyNotFound))]
ManagersPage = Annotated[Asked[PageQuery], Depends(QueryInClient(PageQuery, MANAGERS))]


@router.get(_KEYS, operation_id="keys.list", summary="List a client's API keys, newest first")
async def keys(page: ManagersPage, resources: ResourcesDep) -> KeyPage:
    """This operation requires the owner or admin role, like all API key routes."""
    limit = page.query.limit
    async with resources.database.reading(page.tenant) as connection:
        found = await KeyRepository(connection).page(
            page.tenant, after=page.query.cursor, limit=limit + 1
        )
    return KeyPage(
        keys=tuple(map(Key.model_validate, found[:limit])),
        next_cursor=cursor_after(found, limit, lambda last: last.id),
    )


@router.post(
    _KEYS,
    operation_id="keys.create",
    summary="Create an API key",
    status_code=201,
    responses=errors(409),
)
async def create(
    member: ChosenManagerDep,
    body: Annotated[KeyBody, Depends(JsonBody(KeyBody))],
    resources: ResourcesDep,
) -> KeyWithText:
    """Only this response contains the key. A client can have at most 100 active keys."""
    random = secrets.token_bytes(KEY_BYTES)
    async with resources.work.of(member.tenant) as work:
        made = await create_key(work, member.actor, body.label, random)
    return KeyWithText(key=Key.model_validate(made.entry), key_value=made.text, text=made.text)


@router.get(_KEY, operation_id="keys.get", summary="Get an API key")
async def key(member: ManagerDep, key_id: KeyId, resources: ResourcesDep) -> Key:
    """The response never contains the complete key."""
    async with resources.database.reading(member.tenant) as connection:
        return Key.model_validate(await KeyRepository(connection).read(member.tenant, key_id))


@router.patch(_KEY, operation_id="keys.update", summary="Update an API key's label")
async def rename(
    member: ManagerDep,
    key_id: KeyId,
    body: Annotated[KeyBody, Depends(JsonBody(KeyBody))],
    resources: ResourcesDep,
) -> Key:
    """The label is the only attribute of a key that can be changed."""
    async with resources.work.of(member.tenant) as work:
        return Key.model_validate(await rename_key(work, member.actor, key_id, body.label))


@router.delete(_KEY, operation_id="keys.delete", summary="Revoke an API key", status_code=204)
async def revoke(member: ManagerDep, key_id: KeyId, resources: ResourcesDep) -> Response:
    """The key is revoked immediately and permanently, but remains in the list. Revoking it again
    has no effect."""
    async with resources.work.of(member.tenant) as work:
        await revoke_key(work, member.actor, key_id)
    return Response(status_code=204)
