"""Suggestions for a client's templates and knowledge, from AI assistants and from websites, and
members' decisions on them. The agent uses a suggestion only after a member has accepted it."""

from typing import Final

from domain.content.content import (
    KnowledgeChange,
    KnowledgeEntry,
    TemplateEntry,
    check_language,
    language_of,
)
from domain.content.errors import ContentNotFound
from domain.content.suggestion import (
    MAX_REASON,
    PageSource,
    SuggestedEntry,
    SuggestedTemplate,
    Suggestion,
)
from domain.core.plain_text import clean_line
from domain.tenants.actor import MANAGERS, Actor
from services.content.knowledge import add_knowledge, change_knowledge
from services.content.templates import NewTemplate, add_template
from services.core.unit_of_work import UnitOfWork
from store.content.content_changes import ContentChanges
from store.content.entry_sources import EntrySourceRepository
from store.content.suggestions import SuggestionRepository


async def suggest(
    work: UnitOfWork, actor: Actor, proposed: SuggestedEntry | SuggestedTemplate, reason: str
) -> Suggestion:
    """Store a suggestion for the client's members to accept or refuse. API keys may suggest too, so
    no role is required. Raises InvalidContent, TooManySuggestions, ClientNotFound."""
    match proposed:
        case SuggestedEntry(title=title, body=body, language=language):
            check_language(language, title, body)
        case SuggestedTemplate(body=body, language=language):
            check_language(language, body)
    suggestion = Suggestion(
        id=work.new_id(),
        proposed=proposed,
        reason=clean_line(reason, MAX_REASON),
        suggested_by=actor.name,
        created_at=work.now,
    )
    await SuggestionRepository(work.connection, work.tenant).add(suggestion)
    work.note(actor, f"{proposed.kind} suggested", suggestion_id=suggestion.id)
    return suggestion


NO_EDIT: Final = KnowledgeChange()


async def accept_suggestion(
    work: UnitOfWork, actor: Actor, suggestion_id: str, edit: KnowledgeChange = NO_EDIT
) -> KnowledgeEntry | TemplateEntry:
    """Apply a suggestion as if the actor had written it, and remove it. `edit` contains the
    member's changes to a suggested knowledge entry.

    Raises RoleRequired, SuggestionNotFound, InvalidContent, TooMuchContent.
    """
    actor.require(MANAGERS)
    suggestion = await SuggestionRepository(work.connection, work.tenant).take(suggestion_id)
    work.note(actor, "suggestion accepted", suggestion_id=suggestion_id)
    match suggestion.proposed:
        case SuggestedEntry(title=title, body=body, language=language):
            title, body = edit.title or title, edit.body or body
            written = language_of((title, body), edit.language or language)
            change = KnowledgeChange(title=title, body=body, language=written)
            return await _keep_entry(work, actor, change, suggestion.source)
        case SuggestedTemplate() as template:
            return await add_template(
                work,
                actor,
                NewTemplate(
                    template.name,
                    template.category,
                    language_of((template.body,), template.language),
                    template.body,
                    intent=template.intent,
                    not_for=template.not_for,
                ),
            )


async def _keep_entry(
    work: UnitOfWork, actor: Actor, change: KnowledgeChange, source: PageSource | None
) -> KnowledgeEntry:
    """Add an entry, or change the entry that the source names, and store the source."""
    changed = source and source.changes
    entry = await _changed(work, actor, changed, change) if changed else None
    if entry is None:
        entry = await add_knowledge(
            work,
            actor,
            title=change.title or "",
            body=change.body or "",
            language=change.language or "fr",
        )
    if source is None:
        return entry
    await EntrySourceRepository(work.connection, work.tenant).accept(entry.id, source)
    return await ContentChanges(work.connection, work.tenant).read(KnowledgeEntry, entry.id)


async def _changed(
    work: UnitOfWork, actor: Actor, entry_id: str, change: KnowledgeChange
) -> KnowledgeEntry | None:
    """Change an entry. Return None if it was deleted in the meantime."""
    try:
        return await change_knowledge(work, actor, entry_id, change)
    except ContentNotFound:
        return None


async def refuse_suggestion(work: UnitOfWork, actor: Actor, suggestion_id: str) -> None:
    """Remove a suggestion and its text. A page is suggested again only after its text changes.
    Raises RoleRequired, SuggestionNotFound."""
    actor.require(MANAGERS)
    taken = await SuggestionRepository(work.connection, work.tenant).take(suggestion_id)
    if taken.source is not None:
        await EntrySourceRepository(work.connection, work.tenant).dismiss(taken.source, work.now)
    work.note(actor, "suggestion refused", suggestion_id=suggestion_id)
