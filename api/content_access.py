"""What the routes of a client's settings, templates, knowledge and integrations share.

Every role of the client reads, owners and admins change. The client is named in the query, by
default it is the caller's own; what of another client is asked for does not exist.
"""

from typing import Final

import structlog
from fastapi import Request

from api.dashboard_access import MANAGERS, SignedInMember, member_for, readable_tenant, signed_in
from api.http.query import parse_query
from api.openapi import query_parameters
from api.resources import Resources
from api.schemas.core.client_query import ClientQuery, PageQuery
from domain.content.errors import ContentNotFound
from domain.core.ids import TenantId, parse_ulid

CLIENT: Final = query_parameters(ClientQuery)
PAGE: Final = query_parameters(PageQuery)

_log = structlog.get_logger(__name__)


async def reader(request: Request, resources: Resources) -> TenantId:
    """Raises Unauthenticated, TooManyRequests, InvalidQuery, AccessDenied, NoClient."""
    user = await signed_in(request, resources)
    query = parse_query(ClientQuery, request.query_params)
    return await readable_tenant(user, query.client_id, resources)


async def page_reader(request: Request, resources: Resources) -> tuple[TenantId, PageQuery]:
    """The same for a list. Raises the same."""
    user = await signed_in(request, resources)
    query = parse_query(PageQuery, request.query_params)
    return await readable_tenant(user, query.client_id, resources), query


async def manager(request: Request, resources: Resources) -> SignedInMember:
    """An owner or admin of the client. Raises RoleRequired too."""
    user = await signed_in(request, resources)
    query = parse_query(ClientQuery, request.query_params)
    member = await member_for(user, query.client_id, resources)
    member.require(MANAGERS)
    return member


def content_id(request: Request, name: str) -> str:
    """The template or entry that a path names. Raises ContentNotFound."""
    found = parse_ulid(request.path_params[name])
    if found is None:
        raise ContentNotFound
    return found


def note(member: SignedInMember, what: str, **ids: str) -> None:
    """Log what somebody changed, never what they wrote. The client is in the context already."""
    _log.info(what, user_id=member.user_id, **ids)
