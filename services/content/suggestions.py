"""AI assistants' suggestions for a client's templates and knowledge, and members' decisions on
them. The agent uses a suggestion only after a member has accepted it."""

from domain.content.content import KnowledgeEntry, TemplateEntry, check_language, language_of
from domain.content.suggestion import (
    MAX_REASON,
    SuggestedEntry,
    SuggestedTemplate,
    Suggestion,
)
from domain.core.plain_text import clean_line
from domain.tenants.actor import MANAGERS, Actor
from services.content.knowledge import add_knowledge
from services.content.templates import NewTemplate, add_template
from services.core.unit_of_work import UnitOfWork
from store.content.suggestions import SuggestionRepository


async def suggest(
    work: UnitOfWork, actor: Actor, proposed: SuggestedEntry | SuggestedTemplate, reason: str
) -> Suggestion:
    """Store a suggestion. The client's members then accept or refuse it. No role is required,
    because API keys can also make suggestions. Raises InvalidContent, TooManySuggestions,
    ClientNotFound."""
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


async def accept_suggestion(
    work: UnitOfWork, actor: Actor, suggestion_id: str
) -> KnowledgeEntry | TemplateEntry:
    """Add the suggested entry as if the actor had written it, and remove the suggestion.

    Raises RoleRequired, SuggestionNotFound, TooMuchContent.
    """
    actor.require(MANAGERS)
    suggestion = await SuggestionRepository(work.connection, work.tenant).take(suggestion_id)
    work.note(actor, "suggestion accepted", suggestion_id=suggestion_id)
    match suggestion.proposed:
        case SuggestedEntry(title=title, body=body, language=language):
            written = language_of((title, body), language)
            return await add_knowledge(work, actor, title=title, body=body, language=written)
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


async def refuse_suggestion(work: UnitOfWork, actor: Actor, suggestion_id: str) -> None:
    """Remove a suggestion and its text. Raises RoleRequired, SuggestionNotFound."""
    actor.require(MANAGERS)
    await SuggestionRepository(work.connection, work.tenant).take(suggestion_id)
    work.note(actor, "suggestion refused", suggestion_id=suggestion_id)
