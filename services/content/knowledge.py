"""Add, change and delete a client's knowledge: the facts that the agent may use in answers."""

from domain.agent.brain import Language
from domain.content.content import (
    KnowledgeChange,
    KnowledgeEntry,
    check_body,
    check_language,
    check_line,
)
from domain.tenants.actor import MANAGERS, Actor
from services.core.unit_of_work import UnitOfWork
from store.content.content import ContentRepository
from store.content.content_changes import ContentChanges


async def add_knowledge(
    work: UnitOfWork, actor: Actor, *, title: str, body: str, language: Language
) -> KnowledgeEntry:
    """Add a knowledge entry. Keyword search finds it immediately, and semantic search after the
    next sweep.

    Raises RoleRequired, InvalidContent, TooMuchContent, ClientNotFound.
    """
    actor.require(MANAGERS)
    entry_id = work.new_id()
    await ContentRepository(work.connection, work.tenant).add_knowledge(
        entry_id=entry_id,
        title=check_line("title", title),
        body=check_body(body),
        language=check_language(language, title, body),
        now=work.now,
    )
    work.note(actor, "knowledge created", knowledge_id=entry_id)
    return await ContentChanges(work.connection, work.tenant).read(KnowledgeEntry, entry_id)


async def change_knowledge(
    work: UnitOfWork, actor: Actor, entry_id: str, change: KnowledgeChange
) -> KnowledgeEntry:
    """Update a knowledge entry. Keyword search finds the new text immediately, and semantic search
    after the next sweep.

    Raises RoleRequired, InvalidContent, ContentNotFound.
    """
    actor.require(MANAGERS)
    changed = await ContentChanges(work.connection, work.tenant).change_entry(
        entry_id, change, work.now
    )
    check_language(changed.language, changed.title, changed.body)
    work.note(actor, "knowledge changed", knowledge_id=entry_id)
    return changed


async def delete_knowledge(work: UnitOfWork, actor: Actor, entry_id: str) -> None:
    """Delete a knowledge entry permanently. Runs that cite it keep its id and title. Raises
    RoleRequired, ContentNotFound."""
    actor.require(MANAGERS)
    await ContentChanges(work.connection, work.tenant).delete(KnowledgeEntry, entry_id)
    work.note(actor, "knowledge deleted", knowledge_id=entry_id)
