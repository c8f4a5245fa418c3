"""The copilot tool that reads the knowledge entries that the agent cites most."""

from datetime import timedelta
from typing import Final

from pydantic import Field

from domain.copilot.answer import CitedKind
from domain.copilot.tool import CopilotFacts, CopilotInput, ToolFindings
from domain.tenants.actor import ANYONE
from services.copilot.copilot_service import CopilotService, ReadTool
from store.analytics.content_uses import ContentUses

USED_DAYS: Final = 30
"""The period for which citations are counted, in days, as on the knowledge page."""


class UsesWanted(CopilotInput):
    limit: int = Field(default=5, ge=1, le=20)


class EntryUses(CopilotFacts):
    knowledge_id: str
    title: str
    uses: int


class UsesFound(CopilotFacts):
    entries: tuple[EntryUses, ...] = Field(description="Cited entries, most citations first.")


async def _read(copilot: CopilotService, wanted: UsesWanted) -> ToolFindings[UsesFound]:
    since = copilot.now - timedelta(days=USED_DAYS)
    async with copilot.database.reading(copilot.tenant) as connection:
        found = await ContentUses(connection, copilot.tenant).most_used(since, limit=wanted.limit)
    return ToolFindings(
        UsesFound(
            entries=tuple(
                EntryUses(knowledge_id=one.id, title=one.title, uses=one.uses) for one in found
            )
        ),
        (
            copilot.cite(CitedKind.ARTICLES, "knowledge", ""),
            *(copilot.cite(CitedKind.KNOWLEDGE, one.id, one.title) for one in found),
        ),
    )


READ_CONTENT_USES: Final = ReadTool(
    "read_content_uses",
    "The knowledge entries that the agent's answers cited most in the last 30 days.",
    ANYONE,
    ("GET", "/api/dashboard/knowledge"),
    UsesWanted,
    _read,
)
