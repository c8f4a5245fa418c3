"""Who may use /api/dashboard: signed-in people, each with what their role allows.

Session tokens only, so that a leaked key decides nothing.
"""

from collections.abc import Set
from dataclasses import dataclass
from typing import Final

import structlog
from starlette.requests import Request

from api.auth import authenticate_user, authorize, limiter_key, tenant_of
from api.resources import Resources
from domain.core.ids import TenantId
from domain.intake.rate_limit import LimitScope
from domain.tenants.client import Role
from domain.tenants.errors import AccessDenied, RoleRequired
from domain.tenants.user import User
from store.tenants.clients import ClientRepository
from store.tenants.members import MemberRepository

REVIEWERS: Final = frozenset({Role.OWNER, Role.ADMIN, Role.AGENT})
MANAGERS: Final = frozenset({Role.OWNER, Role.ADMIN})

_NEVER_CACHED: Final = (b"cache-control", b"no-store")


@dataclass(frozen=True, slots=True)
class SignedInMember:
    """A person at work for one client. `role` is None for an internal admin, who may do all."""

    user_id: str
    tenant: TenantId
    role: Role | None

    def may(self, roles: Set[Role]) -> bool:
        return self.role is None or self.role in roles

    def require(self, roles: Set[Role]) -> None:
        """Raises RoleRequired."""
        if not self.may(roles):
            raise RoleRequired


async def signed_in(request: Request, resources: Resources) -> User:
    """Who is signed in. Counts the request, and lets no cache keep its answer.

    Raises Unauthenticated, TooManyRequests.
    """
    request.state.headers = [_NEVER_CACHED]
    user = await authenticate_user(request.headers, resources)
    await resources.limiter.check_request(
        request, LimitScope.DASHBOARD, limiter_key(user), resources.now()
    )
    return user


async def readable_tenant(user: User, client_id: str | None, resources: Resources) -> TenantId:
    """The client that a person of whatever role wants to read of, by default their own.

    Raises AccessDenied, NoClient, and ClientNotFound to internal admins.
    """
    if client_id is None:
        tenant = await tenant_of(user, resources)
    else:
        tenant, _ = await authorize(user, client_id, resources)
        if user.is_admin:
            async with resources.database.service() as connection:
                await ClientRepository(connection).brand_name(tenant)
    structlog.contextvars.bind_contextvars(client_id=tenant)
    return tenant


async def member_for(user: User, client_id: str | None, resources: Resources) -> SignedInMember:
    """The user's part in the client that they name, by default their own.

    Raises AccessDenied, NoClient, and ClientNotFound to internal admins.
    """
    member = await member_of(user, await readable_tenant(user, client_id, resources), resources)
    if member is None:
        raise AccessDenied
    return member


async def member_of(user: User, client_id: str, resources: Resources) -> SignedInMember | None:
    """The user's part in a client that surely exists; None if it is not theirs."""
    role = None
    if not user.is_admin:
        async with resources.database.service() as connection:
            role = await MemberRepository(connection).role(user.id, client_id)
        if role is None:
            return None
    structlog.contextvars.bind_contextvars(client_id=client_id)
    return SignedInMember(user.id, TenantId(client_id), role)
