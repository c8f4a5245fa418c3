"""The copilot tool that reads the audit log: who changed what, and when."""

from datetime import datetime
from typing import Final

from pydantic import Field

from domain.copilot.answer import CitedKind
from domain.copilot.tool import CopilotFacts, CopilotInput, ToolFindings
from domain.tenants.actor import MANAGERS
from services.copilot.copilot_service import CopilotService, ReadTool
from store.audit.audit_log import AuditLog, EntryFilter
from store.tenants.members import MemberRepository


class AuditAsked(CopilotInput):
    what: str | None = Field(
        default=None, max_length=255, description=("Action to filter by, such as `key created`.")
    )
    limit: int = Field(default=10, ge=1, le=30)


class EntryFacts(CopilotFacts):
    at: datetime
    actor_kind: str
    actor: str = Field(
        description=("A member's email address, the id of another actor, or an operator's login.")
    )
    what: str
    ids: dict[str, str]


class AuditFound(CopilotFacts):
    entries: tuple[EntryFacts, ...] = Field(description="Audit entries, newest first.")


async def _list(copilot: CopilotService, wanted: AuditAsked) -> ToolFindings[AuditFound]:
    async with copilot.database.reading(copilot.tenant) as connection:
        found = await AuditLog(connection, copilot.tenant).page(
            limit=wanted.limit, before=None, which=EntryFilter(what=wanted.what)
        )
    # Users do not belong to a client, so the query filters by client.
    async with copilot.database.reading_across() as connection:
        members = await MemberRepository(connection).all(copilot.tenant)
    addresses = {one.user_id: one.email for one in members}
    return ToolFindings(
        AuditFound(
            entries=tuple(
                EntryFacts(
                    at=one.entry.at,
                    actor_kind=one.entry.actor_kind,
                    actor=addresses.get(one.entry.actor, one.entry.actor),
                    what=one.entry.what,
                    ids=dict(one.entry.ids),
                )
                for one in found
            )
        ),
        (copilot.cite(CitedKind.AUDIT, "audit", "Audit"),),
    )


READ_AUDIT: Final = ReadTool(
    "read_audit",
    "The audit log: who changed what, newest first.",
    MANAGERS,
    ("GET", "/api/dashboard/audit"),
    AuditAsked,
    _list,
)
