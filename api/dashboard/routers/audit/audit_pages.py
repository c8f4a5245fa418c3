"""/app/audit: the audit log with the actor of each change, and the log's integrity check."""

from dataclasses import replace
from functools import partial
from typing import Annotated, Final, Literal

from fastapi import APIRouter, Depends
from pydantic import Field
from starlette.responses import Response

from api.dashboard.audit_objects import audited_actor, audited_objects
from api.dashboard.page import OnPage, Page
from api.dashboard.people import people_of
from api.schemas.audit.audit_page import AuditQuery
from api.schemas.core.client_query import cursor_after
from domain.tenants.actor import MANAGERS, ActorKind
from services.audit.verification import verify_chains
from store.audit.audit_log import AuditLog
from store.audit.object_names import ObjectNames

_LIST: Final = "/app/audit"


class AuditPageQuery(AuditQuery):
    """The filters of the page, and its order. `action` is the key of an action's text."""

    action: Annotated[str | None, Field(pattern="^[a-z_]{1,100}$")] = None
    kind: ActorKind | None = None
    order: Literal["newest", "oldest"] = "newest"


router = APIRouter(include_in_schema=False)
ManagersPage = Annotated[Page, Depends(OnPage(MANAGERS))]


@router.get(_LIST)
async def entries(page: ManagersPage) -> Response:
    query = page.query(AuditPageQuery)
    async with page.resources.database.reading(page.tenant) as connection:
        found = await AuditLog(connection, page.tenant).page(
            limit=query.limit + 1,
            before=None if query.cursor is None else int(query.cursor),
            which=replace(query.which(), action=query.action, kind=query.kind),
            oldest_first=query.order == "oldest",
        )
        ids = [value for link in found for value in (link.entry.actor, *link.entry.ids.values())]
        names = await ObjectNames(connection, page.tenant).read(ids)
    people = await people_of(page)
    return page.render(
        "audit/entries.html",
        entries=[link.entry for link in found[: query.limit]],
        cursor=cursor_after(found, query.limit, lambda last: str(last.entry.seq)),
        asked=query,
        people=people,
        kinds=tuple(ActorKind),
        actor=partial(audited_actor, people=people, names=names),
        objects=partial(audited_objects, people=people, names=names),
    )


@router.get(f"{_LIST}/chain")
async def chain(page: ManagersPage) -> Response:
    """Verify the integrity of the entire log, and show the result. The verification is on a
    separate page because it is slow."""
    walked = [one async for one in verify_chains(page.resources.database, page.tenant)]
    return page.render("audit/chain.html", chain=walked[0])
