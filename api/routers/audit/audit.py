"""GET /api/dashboard/audit: the audit log, with the actor and network of each change."""

from typing import Annotated, Final

from fastapi import APIRouter, Depends

from api.access import Asked, QueryInClient
from api.resources import ResourcesDep
from api.route import DescribedRoute
from api.schemas.audit.audit_page import AuditPage, AuditQuery, AuditRecord
from api.schemas.core.client_query import cursor_after
from domain.tenants.actor import MANAGERS
from store.audit.audit_log import AuditLog

router = APIRouter(route_class=DescribedRoute)

_AUDIT: Final = "/api/dashboard/audit"


@router.get(
    _AUDIT, operation_id="audit.list", summary=("List a client's audit log entries, newest first")
)
async def list_entries(
    asked: Annotated[Asked[AuditQuery], Depends(QueryInClient(AuditQuery, MANAGERS))],
    resources: ResourcesDep,
) -> AuditPage:
    """This operation requires the owner or admin role, and a session token."""
    query = asked.query
    async with resources.database.reading(asked.tenant) as connection:
        # Fetch one extra row to detect whether there is a next page.
        found = await AuditLog(connection, asked.tenant).page(
            limit=query.limit + 1,
            before=None if query.cursor is None else int(query.cursor),
            which=query.which(),
        )
    return AuditPage(
        entries=[AuditRecord.of(link) for link in found[: query.limit]],
        next_cursor=cursor_after(found, query.limit, lambda last: str(last.entry.seq)),
    )
