"""Who may use the dashboard's routes, and for which client."""

from typing import Final

import structlog
from starlette.requests import Request

from api.auth import authenticate, authorize, limiter_key, tenant_of
from api.services import Services
from domain.client import Role
from domain.errors import AccessDenied, ClientIdRepeated, Unauthenticated
from domain.ids import TenantId
from domain.rate_limit import Scope
from domain.user import User
from store.client_repository import ClientRepository
from store.member_repository import MemberRepository

EVERY_ROLE: Final = frozenset(Role)


async def dashboard_tenant(
    request: Request, services: Services, *, roles: frozenset[Role]
) -> tuple[TenantId, User]:
    """The client that the request is about, and the user who asks: by session token only.

    `client_id` of the query names the client, else it is the user's own. Internal admins may act
    for each, members in one of `roles` for theirs. 120 requests in 60 s a user. Raises
    Unauthenticated, TooManyRequests, ClientIdRepeated, NoClient, AccessDenied, ClientNotFound.
    """
    user = await authenticate(request.headers, services)
    if not isinstance(user, User):
        raise Unauthenticated  # a leaked key opens no dashboard
    await services.limiter.check_request(
        request, Scope.DASHBOARD, limiter_key(user), services.now()
    )
    given = request.query_params.getlist("client_id")
    if len(given) > 1:
        raise ClientIdRepeated
    if given:
        tenant = await authorize(user, given[0], services)
    else:
        tenant = await tenant_of(user, services)
    async with services.database.service() as connection:
        if user.is_admin:
            await ClientRepository(connection).brand_name(tenant)
        elif await MemberRepository(connection).role(user.id, tenant) not in roles:
            raise AccessDenied
    structlog.contextvars.bind_contextvars(client_id=tenant)
    return tenant, user
