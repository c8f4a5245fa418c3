"""Tools that read the agent's knowledge and templates, and that suggest new knowledge and
templates. Human reviewers accept or reject each suggestion."""

from collections.abc import Sequence
from datetime import datetime
from typing import Annotated, Final

from pydantic import Field

from api.mcp.results import Cursor, Limit, McpPage, McpPart, fitted, page_of, trusted
from api.mcp.tool import AtWork, CallEffect, McpTool, ToolInput, tool
from domain.agent.brain import Category, Language
from domain.agent.intent import Intent
from domain.content.content import (
    MAX_BODY,
    MAX_LINE,
    MAX_NOT_FOR,
    MAX_NOT_FOR_PHRASE,
    TemplateEntry,
)
from domain.content.suggestion import MAX_REASON, SuggestedEntry, SuggestedTemplate, Suggestion
from domain.tenants.scopes import Scope
from services.content.suggestions import suggest
from store.content.content_changes import ContentChanges
from store.content.knowledge_search import KnowledgeSearch

_SUGGESTS: Final = CallEffect(writes=True, repeatable=False)

_Line = Annotated[str, Field(min_length=1, max_length=MAX_LINE)]
_Body = Annotated[str, Field(min_length=1, max_length=MAX_BODY)]
_Reason = Annotated[
    str,
    Field(
        min_length=1,
        max_length=MAX_REASON,
        description="Reason for the suggestion, shown to the reviewer who accepts or rejects it.",
    ),
]


class KnowledgeWanted(ToolInput):
    query: str = Field(
        min_length=1, max_length=2_000, description=("Question or words to search for.")
    )


class McpPassage(McpPart):
    knowledge_id: str = Field(
        description="Id of the entry. The resource knowledge://{id} returns the complete entry."
    )
    title: str
    body: str
    language: Language
    rank: float = Field(description="Relevance within this search; a higher score is better.")


class KnowledgeFound(McpPart):
    passages: tuple[McpPassage, ...] = Field(
        description="Matching passages, best first, at most five."
    )


class TemplatesWanted(ToolInput):
    limit: Limit = 20
    cursor: Cursor = None


class McpTemplate(McpPart):
    template_id: str
    name: str
    category: Category
    language: Language
    body: str
    intent: Intent | None = Field(
        description=(
            "Intent that the template may answer without review. If null, every answer made "
            "from the template is held for human review."
        )
    )
    not_for: tuple[str, ...]
    is_active: bool
    is_starter: bool = Field(description=("True if the template is an unedited starter template."))


class McpTemplates(McpPage):
    templates: tuple[McpTemplate, ...] = Field(description="Templates, oldest first.")


class EntrySuggested(ToolInput):
    title: _Line
    body: _Body
    language: Language
    reason: _Reason


class TemplateSuggested(ToolInput):
    name: _Line
    category: Category
    language: Language
    body: _Body = Field(
        description=("Text of the template, with placeholders such as {{ order_number }}.")
    )
    intent: Intent | None = None
    not_for: Annotated[
        tuple[Annotated[str, Field(min_length=1, max_length=MAX_NOT_FOR_PHRASE)], ...],
        Field(
            max_length=MAX_NOT_FOR,
            description=(
                "The template is not used for messages that contain one of these words or phrases."
            ),
        ),
    ] = ()
    reason: _Reason


class SuggestionKept(McpPart):
    """A stored suggestion. The agent does not use it until an owner or admin has accepted it."""

    suggestion_id: str
    decide_at: str = Field(
        description=(
            "URL of the dashboard page where an owner or admin accepts or rejects the suggestion. "
            "No tool can accept or reject it."
        )
    )
    created_at: datetime


async def search_knowledge(at_work: AtWork, wanted: KnowledgeWanted) -> KnowledgeFound:
    """Return the passages that match the question. Only one search per client runs at a time
    because a search reads all of a client's entries."""
    tenant = at_work.tenant
    async with (
        at_work.resources.searches.turn(tenant),
        at_work.resources.database.reading(tenant) as connection,
    ):
        found = await KnowledgeSearch(connection, tenant).find(wanted.query)
    return fitted(
        lambda length: KnowledgeFound(
            passages=tuple(
                McpPassage(
                    knowledge_id=one.id,
                    title=one.title,
                    body=trusted(one.body, length),
                    language=one.language,
                    rank=one.rank,
                )
                for one in found
            )
        )
    )


async def list_templates(at_work: AtWork, wanted: TemplatesWanted) -> McpTemplates:
    async with at_work.resources.database.reading(at_work.tenant) as connection:
        found = await ContentChanges(connection, at_work.tenant).page(
            TemplateEntry, after=wanted.cursor, limit=wanted.limit + 1
        )
    return page_of(found, wanted.limit, lambda last: last.id, _page)


def _page(
    shown: Sequence[TemplateEntry], length: int, cursor: str | None, note: str | None
) -> McpTemplates:
    return McpTemplates(
        templates=tuple(
            McpTemplate(
                template_id=one.id,
                name=one.name,
                category=one.category,
                language=one.language,
                body=trusted(one.body, length),
                intent=one.intent,
                not_for=one.not_for,
                is_active=one.is_active,
                is_starter=one.is_starter,
            )
            for one in shown
        ),
        next_cursor=cursor,
        note=note,
    )


async def suggest_knowledge_entry(at_work: AtWork, given: EntrySuggested) -> SuggestionKept:
    proposed = SuggestedEntry(title=given.title, body=given.body, language=given.language)
    return await _suggest(at_work, proposed, given.reason)


async def suggest_template(at_work: AtWork, given: TemplateSuggested) -> SuggestionKept:
    proposed = SuggestedTemplate(
        name=given.name,
        category=given.category,
        language=given.language,
        body=given.body,
        intent=given.intent,
        not_for=given.not_for,
    )
    return await _suggest(at_work, proposed, given.reason)


async def _suggest(
    at_work: AtWork, proposed: SuggestedEntry | SuggestedTemplate, reason: str
) -> SuggestionKept:
    async with at_work.resources.work.of(at_work.tenant) as work:
        kept = await suggest(work, at_work.actor, proposed, reason)
    return _kept(kept, at_work.resources.settings.server.dashboard)


def _kept(kept: Suggestion, dashboard: str) -> SuggestionKept:
    return SuggestionKept(
        suggestion_id=kept.id,
        decide_at=f"{dashboard}/suggestions/{kept.id}",
        created_at=kept.created_at,
    )


TOOLS: Final[tuple[McpTool, ...]] = (
    tool(
        "search_knowledge",
        "Search the knowledge base",
        "Search the merchant's knowledge base for the passages that best match a question.",
        scopes=(Scope.CONTENT_READ,),
        takes=KnowledgeWanted,
        gives=KnowledgeFound,
        does=search_knowledge,
    ),
    tool(
        "suggest_knowledge_entry",
        "Suggest a knowledge entry",
        "Suggest a fact for the knowledge base. The agent uses the fact only after an owner or "
        "admin has accepted it.",
        scopes=(Scope.CONTENT_SUGGEST,),
        takes=EntrySuggested,
        gives=SuggestionKept,
        does=suggest_knowledge_entry,
        effect=_SUGGESTS,
    ),
    tool(
        "suggest_template",
        "Suggest a template",
        (
            "Suggest an answer template. The agent uses the template only after an owner or "
            "admin has accepted it."
        ),
        scopes=(Scope.CONTENT_SUGGEST,),
        takes=TemplateSuggested,
        gives=SuggestionKept,
        does=suggest_template,
        effect=_SUGGESTS,
    ),
    tool(
        "list_templates",
        "List templates",
        "List the merchant's answer templates. The agent fills in a template for each customer.",
        scopes=(Scope.CONTENT_READ,),
        takes=TemplatesWanted,
        gives=McpTemplates,
        does=list_templates,
    ),
)
