"""Who may use a route: dependencies for a route's parameters.

They are solved in the order of the parameters, so a route that names its caller first reads no body
of somebody who may not send one. `/api/dashboard` takes session tokens only: a leaked key decides
nothing there.
"""

from collections.abc import Set
from dataclasses import dataclass
from typing import Annotated, Final

import structlog
from fastapi import Depends, Request

from api.auth import authenticate_user, authorize, limiter_key, tenant_of
from api.http.query import parse_query
from api.openapi import SESSION, query_parameters
from api.route import Part, PathId
from api.schemas.core.client_query import ClientQuery, PageQuery
from api.services import Services
from domain.core.ids import TenantId
from domain.intake.rate_limit import LimitScope
from domain.tenants.actor import ANYONE, MANAGERS, Actor
from domain.tenants.client import Role
from domain.tenants.errors import AccessDenied
from domain.tenants.user import User
from store.core.database import WhoseRecord
from store.tenants.clients import ClientRepository
from store.tenants.members import MemberRepository

_NEVER_CACHED: Final = (b"cache-control", b"no-store")


@dataclass(frozen=True, slots=True)
class Member:
    """A person at work for one client."""

    tenant: TenantId
    actor: Actor


async def signed_in(request: Request, services: Services) -> User:
    """Who is signed in. Counts the request, and lets no cache keep its answer.

    Raises Unauthenticated, TooManyRequests.
    """
    request.state.headers = [_NEVER_CACHED]
    user = await authenticate_user(request.headers, services)
    await services.limiter.check_request(
        request, LimitScope.DASHBOARD, limiter_key(user), services.now()
    )
    return user


async def member_of(user: User, client_id: str, services: Services) -> Member | None:
    """The user's part in a client that surely exists; None if it is not theirs."""
    role = None
    if not user.is_admin:
        async with services.database.reading_across() as connection:
            role = await MemberRepository(connection).role(user.id, client_id)
        if role is None:
            return None
    structlog.contextvars.bind_contextvars(client_id=client_id)
    return Member(TenantId(client_id), Actor.person(user.id, role))


async def member_for(user: User, client_id: str | None, services: Services) -> Member:
    """The user's part in the client that they name, by default their own.

    Raises AccessDenied, NoClient, and ClientNotFound to internal admins.
    """
    if client_id is None:
        tenant = await tenant_of(user, services)
    else:
        tenant = await authorize(user, client_id, services)
        if user.is_admin:
            async with services.database.reading_across() as connection:
                await ClientRepository(connection).brand_name(tenant)
    member = await member_of(user, tenant, services)
    if member is None:
        raise AccessDenied
    return member


class InClient(Part):
    """The caller's part in the client that the query names, by default the caller's own.

    `roles`: who may go on. The use case asks again; here it keeps the rest from sending a body.
    Raises Unauthenticated, TooManyRequests, InvalidQuery, AccessDenied, NoClient, RoleRequired, and
    ClientNotFound to internal admins.
    """

    parameters = query_parameters(ClientQuery)
    security = SESSION

    def __init__(self, roles: Set[Role]) -> None:
        self._roles = roles

    async def __call__(self, request: Request) -> Member:
        services: Services = request.app.state.services
        user = await signed_in(request, services)
        query = parse_query(ClientQuery, request.query_params)
        member = await member_for(user, query.client_id, services)
        member.actor.require(self._roles)
        return member


@dataclass(frozen=True, slots=True)
class PageOf:
    """A page that somebody asks for of their client's records."""

    tenant: TenantId
    query: PageQuery


class PageInClient(Part):
    """The same for a list. Raises the same."""

    parameters = query_parameters(PageQuery)
    security = SESSION

    async def __call__(self, request: Request) -> PageOf:
        services: Services = request.app.state.services
        user = await signed_in(request, services)
        query = parse_query(PageQuery, request.query_params)
        member = await member_for(user, query.client_id, services)
        return PageOf(member.tenant, query)


MemberDep = Annotated[Member, Depends(InClient(ANYONE))]
ManagerDep = Annotated[Member, Depends(InClient(MANAGERS))]
PageDep = Annotated[PageOf, Depends(PageInClient())]


class SignedIn(Part):
    """Who is signed in, where the body names the client. Raises Unauthenticated, TooManyRequests.

    The route then asks `member_for`.
    """

    security = SESSION

    async def __call__(self, request: Request) -> User:
        return await signed_in(request, request.app.state.services)


@dataclass(frozen=True, slots=True)
class MemberAt(Member):
    """The same at work on one record of the client."""

    record_id: str


class InClientOf(Part):
    """The caller's part in the client of the record that the path names.

    Raises Unauthenticated, TooManyRequests, RoleRequired, and `missing` for another client's record
    as well. `path_id`: where the path names it; `client_of`: whose it is.
    """

    security = SESSION

    def __init__(self, roles: Set[Role], path_id: PathId, client_of: WhoseRecord) -> None:
        self._roles = roles
        self._path_id = path_id
        self._client_of = client_of
        self.parameters = path_id.parameters

    async def __call__(self, request: Request) -> MemberAt:
        services: Services = request.app.state.services
        user = await signed_in(request, services)
        record_id = await self._path_id(request)
        client_id = await services.database.find_client(self._client_of, record_id)
        member = await member_of(user, client_id, services)
        if member is None:
            raise self._path_id.missing
        member.actor.require(self._roles)
        return MemberAt(member.tenant, member.actor, record_id)


UserDep = Annotated[User, Depends(SignedIn())]
