"""Who calls, and for which client. The only place that mints a TenantId from a request."""

import hmac
from dataclasses import dataclass
from typing import Final

from starlette.datastructures import Headers

from api.services import Services
from domain.api_key import key_material
from domain.errors import AccessDenied, ClientNotFound, Unauthenticated
from domain.ids import TenantId, parse_ulid
from store.key_repository import ActiveKey, KeyRepository

_SECRET_HEADERS: Final = ("x-engine-secret", "x-internal-secret")
_MAX_TOKEN: Final = 8 * 1024


@dataclass(frozen=True, slots=True)
class InternalWorker:
    """Holds the engine secret: may act for every client."""


Caller = InternalWorker | ActiveKey


async def authenticate_gateway(headers: Headers, services: Services) -> Caller:
    """The gateway's caller by the first scheme that fits.

    The order is x-engine-secret, x-internal-secret, Bearer; one that does not fit falls through to
    the next. Raises Unauthenticated.
    """
    if any(_is_engine_secret(headers.get(name), services) for name in _SECRET_HEADERS):
        return InternalWorker()
    return await authenticate(headers, services)


async def authenticate(headers: Headers, services: Services) -> ActiveKey:
    """The caller by the Bearer token. Raises Unauthenticated."""
    material = key_material(_bearer_token(headers))
    if material is None:
        raise Unauthenticated
    async with services.database.unscoped() as connection:
        key = await KeyRepository(connection).find_active(material)
    if key is None:
        raise Unauthenticated
    return key


def limiter_key(caller: ActiveKey) -> str:
    """By whom short-term limits are counted."""
    return f"key:{caller.id}"


async def still_authenticated(caller: Caller, keys: KeyRepository) -> None:
    """Look once more, in the transaction that admits: a key may have been revoked meanwhile.

    Raises Unauthenticated.
    """
    if isinstance(caller, ActiveKey) and not await keys.is_active(caller.id):
        raise Unauthenticated


async def authorize(caller: Caller, client_id: str, _services: Services) -> TenantId:
    """The tenant a caller may act for. Raises AccessDenied, and ClientNotFound for no ULID.

    A key's holder gets the same answer for another client as for one that does not exist.
    """
    wanted = parse_ulid(client_id)
    if isinstance(caller, InternalWorker):
        if wanted is None:
            raise ClientNotFound(client_id)
        return TenantId(wanted)
    if wanted != caller.client_id:
        raise AccessDenied
    return TenantId(wanted)


def _is_engine_secret(presented: str | None, services: Services) -> bool:
    secret = services.settings.engine_secret
    if not presented or secret is None or not secret.get_secret_value():
        return False
    return hmac.compare_digest(presented.encode(), secret.get_secret_value().encode())


def _bearer_token(headers: Headers) -> str:
    given = headers.getlist("authorization")
    if len(given) != 1 or len(given[0]) > _MAX_TOKEN:
        return ""
    scheme, _, token = given[0].partition(" ")
    return token if scheme.lower() == "bearer" else ""
