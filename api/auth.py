"""Authenticate the caller, and select the client that the caller acts for. Only this module creates
a request's TenantId. Routes use it through `api/access.py`."""

import hmac
from collections.abc import Set
from dataclasses import dataclass
from typing import Final

from starlette.datastructures import Headers
from starlette.requests import Request

from api.http.client_address import client_network
from api.resources import Resources
from domain.core.ids import TenantId, parse_ulid
from domain.tenants.actor import ANYONE, Actor
from domain.tenants.api_key import KEY_PREFIXES, KeyMaterial, key_material
from domain.tenants.client import Role
from domain.tenants.errors import AccessDenied, ClientNotFound, NoClient, Unauthenticated
from domain.tenants.scopes import Scope, require_scope
from domain.tenants.user import User
from services.core.shared_reads import SharedReads
from store.core.database import Database
from store.tenants.keys import ActiveKey, KeyRepository
from store.tenants.members import MemberRepository

_SECRET_HEADERS: Final = ("x-engine-secret", "x-internal-secret")
_MAX_TOKEN: Final = 8 * 1024


@dataclass(frozen=True, slots=True)
class InternalWorker:
    """A caller with the engine secret, who may act for every client."""


Caller = InternalWorker | ActiveKey | User


async def authenticate_gateway(headers: Headers, resources: Resources) -> Caller:
    """Return the gateway's caller by the engine secret's headers, else by the bearer token. Raises
    Unauthenticated."""
    if any(_is_engine_secret(headers.getlist(name), resources) for name in _SECRET_HEADERS):
        return InternalWorker()
    return await authenticate(headers, resources)


async def authenticate(headers: Headers, resources: Resources) -> ActiveKey | User:
    """Return the API key, or the session token's user, that the bearer token identifies. Raises
    Unauthenticated."""
    token = _bearer_token(headers)
    if token.startswith(KEY_PREFIXES):
        return await key_holder(token, resources)
    return await _signed_in(token, resources)


def may_vouch(caller: Caller) -> bool:
    """Return True if the gateway accepts the caller's claim that a customer's address is verified.

    This takes the engine secret, or an `ak_` key that managers have allowed to do so. MCP keys and
    sessions are not sufficient.
    """
    match caller:
        case InternalWorker():
            return True
        case ActiveKey(vouches=vouches):
            return vouches
        case User():
            return False


def check_scope(caller: Caller, needed: Scope) -> None:
    """Raise InsufficientScope if the caller's API key lacks the scope. Callers without an API key
    have no scopes and always pass."""
    if isinstance(caller, ActiveKey):
        require_scope(caller.scopes, needed)


def note_use(request: Request, caller: Caller) -> None:
    """Record an API key's use and the caller's IP network. The list of API keys shows both."""
    if isinstance(caller, ActiveKey):
        resources: Resources = request.app.state.resources
        resources.key_uses.note(caller.id, client_network(request), resources.now())


async def authenticate_user(headers: Headers, resources: Resources) -> User:
    """Return the user of a session token. API keys are rejected. Raises Unauthenticated."""
    return await _signed_in(_bearer_token(headers), resources)


async def _signed_in(token: str, resources: Resources) -> User:
    if resources.sessions is None:
        raise Unauthenticated
    return await resources.sessions.verify(token)


async def key_holder(token: str, resources: Resources) -> ActiveKey:
    """Return the API key that matches the token. Raises Unauthenticated."""
    material = key_material(token)
    if material is None:
        raise Unauthenticated
    key = await resources.keys.get(material)
    if key is None:
        raise Unauthenticated
    return key


def key_reads(database: Database) -> SharedReads[KeyMaterial, ActiveKey | None]:
    """Return a reader that looks up presented API keys without caching them. Concurrent requests
    with the same key share one database read, so they do not exhaust the connection pool."""

    async def read(material: KeyMaterial) -> ActiveKey | None:
        async with database.unscoped() as connection:
            return await KeyRepository(connection).find_active(material)

    return SharedReads(read)


async def still_authenticated(caller: Caller, keys: KeyRepository) -> None:
    """Check the API key again after the body has arrived because it may have been revoked
    meanwhile. Raises Unauthenticated."""
    if isinstance(caller, ActiveKey) and not await keys.is_active(caller.id):
        raise Unauthenticated


async def authorize(
    caller: Caller, client_id: str, resources: Resources, *, session_roles: Set[Role] = ANYONE
) -> tuple[TenantId, Actor]:
    """Return the tenant that the caller may act for, and the caller's actor.

    `session_roles` are required of session tokens only. Raises AccessDenied and RoleRequired. For a
    malformed id, raises ClientNotFound for callers with access to all clients. AccessDenied does
    not reveal whether a client exists.
    """
    wanted = parse_ulid(client_id)
    if wanted is None:
        raise ClientNotFound(client_id) if _may_act_for_all(caller) else AccessDenied
    actor = await _actor_for(caller, wanted, resources)
    if actor is None:
        raise AccessDenied
    if isinstance(caller, User):
        actor.require(session_roles)
    return TenantId(wanted), actor


def _may_act_for_all(caller: Caller) -> bool:
    return isinstance(caller, InternalWorker) or (isinstance(caller, User) and caller.is_admin)


async def _actor_for(caller: Caller, client_id: str, resources: Resources) -> Actor | None:
    """Return the actor for the caller, or None if the caller may not act for this client."""
    match caller:
        case InternalWorker():
            return Actor.system("engine")
        case ActiveKey(id=key_id, client_id=own):
            return Actor.key(key_id) if client_id == own else None
        case User(id=user_id, is_admin=True):
            return Actor.person(user_id, None)
        case User(id=user_id):
            async with resources.database.reading_across() as connection:
                role = await MemberRepository(connection).role(user_id, client_id)
            # An actor without a role has an internal admin's permissions.
            return Actor.person(user_id, role) if role is not None else None


async def tenant_of(caller: ActiveKey | User, resources: Resources) -> TenantId:
    """Return the caller's own tenant, for a request that does not specify a client. Raises NoClient
    if the caller has none."""
    if isinstance(caller, ActiveKey):
        return TenantId(caller.client_id)
    async with resources.database.reading_across() as connection:
        own = await MemberRepository(connection).client_of(caller.id)
    if own is None:
        raise NoClient
    return TenantId(own)


def limiter_key(caller: ActiveKey | User) -> str:
    """Return the rate limit key for the caller's requests."""
    match caller:
        case ActiveKey(id=key_id):
            return f"key:{key_id}"
        case User(id=user_id):
            return f"user:{user_id}"


def body_key(caller: Caller, peer: str) -> str:
    """Return the key for counting concurrent request bodies. Bodies from an internal worker are
    counted by the worker's address because the client is not known until the body has been read.
    """
    return f"engine@{peer}" if isinstance(caller, InternalWorker) else limiter_key(caller)


def _is_engine_secret(presented: list[str], resources: Resources) -> bool:
    secret = resources.settings.identity.engine_secret
    if len(presented) != 1 or not presented[0] or secret is None:
        return False
    # Starlette decodes header values as latin-1, so encoding them restores the bytes that were
    # sent.
    return hmac.compare_digest(presented[0].encode("latin-1"), secret.get_secret_value().encode())


def _bearer_token(headers: Headers) -> str:
    """Return the token from the `Authorization: Bearer` header. Raises Unauthenticated if the
    header is missing or the token is too long."""
    given = headers.getlist("authorization")
    if len(given) != 1:
        raise Unauthenticated
    scheme, _, token = given[0].partition(" ")
    if scheme.lower() != "bearer" or not 0 < len(token) <= _MAX_TOKEN:
        raise Unauthenticated
    return token
