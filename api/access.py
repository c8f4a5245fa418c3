"""Route dependencies that authenticate and authorize callers.

FastAPI resolves parameters in order. If the caller is the first parameter, unauthorized requests
are rejected before their bodies are read. A membership is resolved again once the body has arrived,
because it may have ended meanwhile (`resolved_with_body`).

Routes below `/api/dashboard` accept only session tokens, so a leaked API key cannot decide reviews
or change settings.
"""

from collections.abc import Set
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Annotated, Final, Generic, TypeVar

import structlog
from fastapi import Depends, Request

from api.auth import (
    Caller,
    InternalWorker,
    authenticate,
    authenticate_gateway,
    authenticate_user,
    authorize,
    body_key,
    check_scope,
    limiter_key,
    note_use,
    tenant_of,
)
from api.http.client_address import client_network
from api.http.query import parse_query
from api.openapi import BEARER, CLIENT_ID, EVERY_SCHEME, SESSION, query_parameters
from api.resources import Resources
from api.route import Part, PathId, resolved_with_body
from api.schemas.core.client_query import ClientQuery, PageQuery
from domain.core.ids import TenantId
from domain.intake.rate_limit import LimitScope
from domain.tenants.actor import ANYONE, MANAGERS, OWNERS, REVIEWERS, Actor
from domain.tenants.client import Role
from domain.tenants.errors import AccessDenied, ClientIdMissing, ClientIdRepeated
from domain.tenants.scopes import Scope
from domain.tenants.user import User
from store.core.database import WhoseRecord
from store.identity.people import clients_of
from store.tenants.clients import ClientRepository
from store.tenants.keys import ActiveKey
from store.tenants.members import MemberRepository

Q = TypeVar("Q", bound=ClientQuery)

_NEVER_CACHED: Final = (b"cache-control", b"no-store")


@dataclass(frozen=True, slots=True)
class Member:
    """A user acting on behalf of one client."""

    tenant: TenantId
    actor: Actor


async def signed_in(
    request: Request, resources: Resources, counted_as: LimitScope = LimitScope.DASHBOARD
) -> User:
    """Return the signed-in user. Counts the request, and disables caching of the response. Raises
    Unauthenticated, TooManyRequests."""
    request.state.headers = [_NEVER_CACHED]
    user = await authenticate_user(request.headers, resources)
    request.state.caller = limiter_key(user)
    await resources.limiter.check_request(
        request, counted_as, request.state.caller, resources.now()
    )
    return user


async def member_of(
    user: User, client_id: str, resources: Resources, network: str
) -> Member | None:
    """Return the user's membership in an existing client, or None if the user is not a member.
    `network` is the request's IP network."""
    role = None
    if not user.is_admin:
        async with resources.database.reading_across() as connection:
            role = await MemberRepository(connection).role(user.id, client_id)
        if role is None:
            return None
    structlog.contextvars.bind_contextvars(client_id=client_id)
    return Member(TenantId(client_id), Actor.person(user.id, role, network=network))


async def member_for(
    user: User, client_id: str | None, resources: Resources, network: str
) -> Member:
    """Return the user's membership in the client that the request specifies, or else in the default
    client.

    `network` is the request's IP network. Raises AccessDenied and NoClient. For an unknown client,
    raises ClientNotFound for internal admins, and AccessDenied for others.
    """
    if client_id is None:
        own = await member_of(user, await tenant_of(user, resources), resources, network)
        if own is None:
            raise AccessDenied
        return own
    tenant, actor = await authorize(user, client_id, resources)
    if user.is_admin:
        async with resources.database.reading_across() as connection:
            await ClientRepository(connection).brand_name(tenant)
    structlog.contextvars.bind_contextvars(client_id=tenant)
    return Member(tenant, replace(actor, network=network))


async def check_chosen(user: User, client_id: str | None, resources: Resources) -> None:
    """Raise ClientIdMissing if a user who belongs to several clients does not specify one. Without
    this check, a connection could be added to the wrong client."""
    if client_id is not None:
        return
    async with resources.database.reading_across() as connection:
        if len(await clients_of(connection, user.id)) > 1:
            raise ClientIdMissing


class InClient(Part):
    """A dependency that returns the caller's membership in the client in the query, or else in the
    default client.

    Callers without one of the `roles` are rejected before they send a body. The use case checks the
    role again. If `chosen` is true, users of several clients must specify one.

    Raises Unauthenticated, TooManyRequests, InvalidQuery, ClientIdMissing, AccessDenied, NoClient
    and RoleRequired. For an unknown client, raises ClientNotFound for internal admins, and
    AccessDenied for others.
    """

    parameters = query_parameters(ClientQuery)
    security = SESSION

    def __init__(self, roles: Set[Role], *, chosen: bool = False) -> None:
        self._roles = roles
        self._chosen = chosen

    async def __call__(self, request: Request) -> Member:
        resources: Resources = request.app.state.resources
        user = await signed_in(request, resources)
        query = parse_query(ClientQuery, request.query_params)
        if self._chosen:
            await check_chosen(user, query.client_id, resources)
        return await _member_with_body(request, user, query.client_id, self._roles)


async def _member_with_body(
    request: Request, user: User, client_id: str | None, roles: Set[Role]
) -> Member:
    """Return the membership that the user has, with one of the `roles`, once the body has arrived.
    Raises the errors of `member_for` and of the body, and RoleRequired."""
    resources: Resources = request.app.state.resources

    async def resolve() -> Member:
        member = await member_for(user, client_id, resources, client_network(request))
        member.actor.require(roles)
        request.state.tenant = member.tenant
        resources.limiter.check_cpu(member.tenant)
        return member

    return await resolved_with_body(request, resolve)


@dataclass(frozen=True, slots=True)
class Asked(Generic[Q]):
    """A validated query about one client, with that client and the caller."""

    tenant: TenantId
    actor: Actor
    query: Q


class QueryInClient(Part, Generic[Q]):
    """A dependency like `InClient`, for lists and reports with additional query fields. Raises the
    same errors as `InClient`."""

    security = SESSION

    def __init__(self, model: type[Q], roles: Set[Role] = ANYONE) -> None:
        self._model = model
        self._roles = roles
        self.parameters = query_parameters(model)

    async def __call__(self, request: Request) -> Asked[Q]:
        resources: Resources = request.app.state.resources
        user = await signed_in(request, resources)
        query = parse_query(self._model, request.query_params)
        member = await _member_with_body(request, user, query.client_id, self._roles)
        return Asked(member.tenant, member.actor, query)


MemberDep = Annotated[Member, Depends(InClient(ANYONE))]
OwnerDep = Annotated[Member, Depends(InClient(OWNERS))]
ManagerDep = Annotated[Member, Depends(InClient(MANAGERS))]
ChosenManagerDep = Annotated[Member, Depends(InClient(MANAGERS, chosen=True))]
ReviewerDep = Annotated[Member, Depends(InClient(REVIEWERS))]
PageDep = Annotated[Asked[PageQuery], Depends(QueryInClient(PageQuery))]


@dataclass(frozen=True, slots=True)
class ClientNow:
    """A client and the time of the request. The clock is read once per request, so that a request
    at the end of a month uses the same month throughout."""

    tenant: TenantId
    now: datetime


class NamedClient(Part):
    """A dependency that returns the client that the query must specify, for an API key or a session
    token.

    `counted_as` is the rate limit. `needed` is the scope that an API key needs. Raises
    Unauthenticated, TooManyRequests, InsufficientScope, ClientIdMissing, ClientIdRepeated and
    AccessDenied. For a malformed id, raises ClientNotFound for internal admins, and AccessDenied
    for others.
    """

    parameters = (CLIENT_ID,)
    security = BEARER

    def __init__(self, counted_as: LimitScope, needed: Scope) -> None:
        self._counted_as = counted_as
        self._needed = needed

    async def __call__(self, request: Request) -> ClientNow:
        resources: Resources = request.app.state.resources
        now = resources.now()
        caller = await authenticate(request.headers, resources)
        note_use(request, caller)
        await resources.limiter.check_request(request, self._counted_as, limiter_key(caller), now)
        check_scope(caller, self._needed)
        given = request.query_params.getlist("client_id")
        if len(given) > 1:
            raise ClientIdRepeated
        if not given or not given[0].strip():
            raise ClientIdMissing
        tenant, _ = await authorize(caller, given[0], resources)
        structlog.contextvars.bind_contextvars(client_id=tenant)
        return ClientNow(tenant, now)


UsageOfDep = Annotated[ClientNow, Depends(NamedClient(LimitScope.USAGE, Scope.USAGE_READ))]


class GatewayCaller(Part):
    """A dependency that returns the gateway's caller, who may use any authentication scheme. Raises
    Unauthenticated, InsufficientScope, and TooManyRequests after many rejected events."""

    security = EVERY_SCHEME
    counted = False

    async def __call__(self, request: Request) -> Caller:
        resources: Resources = request.app.state.resources
        caller = await authenticate_gateway(request.headers, resources)
        note_use(request, caller)
        if not isinstance(caller, InternalWorker):
            resources.limiter.check_sender(request, _sender_of(caller))
        check_scope(caller, Scope.EVENTS_WRITE)
        request.state.caller = body_key(caller, request.client.host if request.client else "")
        return caller


def _sender_of(caller: ActiveKey | User) -> str:
    """Return the key to which rejected events are charged. A client's keys share one."""
    return f"gateway/{caller.client_id if isinstance(caller, ActiveKey) else limiter_key(caller)}"


GatewayCallerDep = Annotated[Caller, Depends(GatewayCaller())]


class SignedIn(Part):
    """A dependency that returns the signed-in user, for a route that takes the client from its body
    and then calls `member_for`. The session token alone grants no access to a client.

    `counted_as` is the rate limit. Raises Unauthenticated, TooManyRequests.
    """

    security = SESSION

    def __init__(self, counted_as: LimitScope = LimitScope.DASHBOARD) -> None:
        self._counted_as = counted_as

    async def __call__(self, request: Request) -> User:
        return await signed_in(request, request.app.state.resources, self._counted_as)


@dataclass(frozen=True, slots=True)
class MemberAt(Member):
    """A user acting on one of a client's records, such as a review."""

    record_id: str


class InClientOf(Part):
    """A dependency that returns the caller's membership in the client that owns the record in the
    path.

    `path_id` is the path parameter, and `client_of` returns the record's client. Raises
    Unauthenticated, TooManyRequests and RoleRequired. Raises `missing` if the record is unknown or
    belongs to another client.
    """

    security = SESSION

    def __init__(self, roles: Set[Role], path_id: PathId, client_of: WhoseRecord) -> None:
        self._roles = roles
        self._path_id = path_id
        self._client_of = client_of
        self.parameters = path_id.parameters

    async def __call__(self, request: Request) -> MemberAt:
        resources: Resources = request.app.state.resources
        user = await signed_in(request, resources)
        record_id = await self._path_id(request)
        client_id = await resources.database.find_client(self._client_of, record_id)

        async def resolve() -> MemberAt:
            member = await member_of(user, client_id, resources, client_network(request))
            if member is None:
                raise self._path_id.missing
            member.actor.require(self._roles)
            request.state.tenant = member.tenant
            resources.limiter.check_cpu(member.tenant)
            return MemberAt(member.tenant, member.actor, record_id)

        return await resolved_with_body(request, resolve)


UserDep = Annotated[User, Depends(SignedIn())]
