"""The copilot tool that reads which knowledge entries the agent's answers cite most."""

from datetime import timedelta
from typing import Final

from pydantic import Field

from domain.content.content import KnowledgeEntry
from domain.copilot.answer import CitedKind
from domain.copilot.tool import CopilotFacts, CopilotInput, ToolFindings
from domain.tenants.actor import ANYONE
from services.copilot.copilot_service import CopilotService, ReadTool
from store.analytics.content_uses import ContentUses
from store.content.content_changes import ContentChanges

USED_DAYS: Final = 30
"""The length of the period in which citations are counted, as on the page of the knowledge."""


class UsesWanted(CopilotInput):
    limit: int = Field(default=5, ge=1, le=20)


class EntryUses(CopilotFacts):
    knowledge_id: str
    title: str
    uses: int


class UsesFound(CopilotFacts):
    entries: tuple[EntryUses, ...] = Field(description="Cited entries, most citations first.")
    unused: int = Field(description="Number of entries without a citation.")


async def _read(copilot: CopilotService, wanted: UsesWanted) -> ToolFindings[UsesFound]:
    async with copilot.database.reading(copilot.tenant) as connection:
        known = await ContentChanges(connection, copilot.tenant).all(KnowledgeEntry)
        uses = await ContentUses(connection, copilot.tenant).since(
            copilot.now - timedelta(days=USED_DAYS), "knowledge", [one.id for one in known]
        )
    cited = sorted(
        (one for one in known if one.id in uses), key=lambda one: (-uses[one.id], one.title)
    )
    shown = cited[: wanted.limit]
    return ToolFindings(
        UsesFound(
            entries=tuple(
                EntryUses(knowledge_id=one.id, title=one.title, uses=uses[one.id]) for one in shown
            ),
            unused=len(known) - len(cited),
        ),
        (
            copilot.cite(CitedKind.ARTICLES, "knowledge", ""),
            *(copilot.cite(CitedKind.KNOWLEDGE, one.id, one.title) for one in shown),
        ),
    )


READ_CONTENT_USES: Final = ReadTool(
    "read_content_uses",
    "The knowledge entries that the agent's answers of the last 30 days cite most.",
    ANYONE,
    ("GET", "/api/dashboard/knowledge"),
    UsesWanted,
    _read,
)
