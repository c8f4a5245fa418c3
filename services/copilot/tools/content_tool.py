"""The copilot tool that searches the agent's knowledge entries and templates."""

from collections.abc import Sequence
from typing import Final

from pydantic import Field

from domain.copilot.answer import CitedKind
from domain.copilot.tool import CopilotFacts, CopilotInput, ToolFindings
from domain.copilot.words import content_words, stem
from domain.tenants.actor import ANYONE
from services.copilot.copilot_service import CopilotService, ReadTool
from store.content.content_changes import ContentChanges
from store.content.knowledge_search import KnowledgeSearch

_BODY_CHARS: Final = 1_500
_MOST_TEMPLATES: Final = 5


class ContentWanted(CopilotInput):
    words: str = Field(
        min_length=1, max_length=500, description=("Question or words to search for.")
    )


class PassageFacts(CopilotFacts):
    knowledge_id: str
    title: str
    body: str
    language: str


class TemplateFacts(CopilotFacts):
    template_id: str
    name: str
    body: str
    language: str
    is_active: bool


class ContentFound(CopilotFacts):
    knowledge: tuple[PassageFacts, ...] = Field(
        description=("Knowledge entries, best match first, at most five.")
    )
    templates: tuple[TemplateFacts, ...] = Field(
        description=("Templates whose name or category contains one of the words.")
    )


async def _search(copilot: CopilotService, wanted: ContentWanted) -> ToolFindings[ContentFound]:
    async with (
        copilot.searches.turn(copilot.tenant),
        copilot.database.reading(copilot.tenant) as connection,
    ):
        passages = await KnowledgeSearch(connection, copilot.tenant).find(wanted.words)
        content = ContentChanges(connection, copilot.tenant)
        nearest = _nearest(await content.template_topics(), wanted.words)
        templates = await content.template_excerpts(nearest, _BODY_CHARS)
    facts = ContentFound(
        knowledge=tuple(
            PassageFacts(
                knowledge_id=one.id,
                title=one.title,
                body=one.body[:_BODY_CHARS],
                language=one.language,
            )
            for one in passages
        ),
        templates=tuple(
            TemplateFacts(
                template_id=one.id,
                name=one.name,
                body=one.body,
                language=one.language,
                is_active=one.is_active,
            )
            for one in templates
        ),
    )
    cited = [
        copilot.cite(CitedKind.KNOWLEDGE, one.knowledge_id, one.title) for one in facts.knowledge
    ] + [copilot.cite(CitedKind.TEMPLATE, one.template_id, one.name) for one in facts.templates]
    return ToolFindings(facts, tuple(cited))


def _nearest(topics: Sequence[tuple[str, str, str]], words: str) -> list[str]:
    """Return the ids of the templates whose name or category shares a word stem with `words`. The
    templates with the most shared stems come first, at most `_MOST_TEMPLATES`."""
    asked = set(map(stem, content_words(words)))
    shared = {
        template_id: len(asked & set(map(stem, content_words(f"{name} {category}"))))
        for template_id, name, category in topics
    }
    named = [one for one, count in shared.items() if count]
    return sorted(named, key=lambda one: -shared[one])[:_MOST_TEMPLATES]


SEARCH_CONTENT: Final = ReadTool(
    "search_content",
    "Search the merchant's knowledge entries and answer templates.",
    ANYONE,
    ("GET", "/api/dashboard/knowledge"),
    ContentWanted,
    _search,
)
