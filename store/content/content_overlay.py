"""Write a trial change to templates or knowledge, in a transaction that the caller rolls back.

Searches in the transaction see the change. Only the changed entry is locked, not the account, so
that events can still be admitted.
"""

from datetime import datetime
from typing import Final

from sqlalchemy.ext.asyncio import AsyncConnection

from domain.agent.brain import Template
from domain.content.content import KnowledgeEntry, TemplateEntry
from domain.content.suggestion import SuggestedEntry, SuggestedTemplate
from domain.core.ids import TenantId
from domain.simulation.variant import ContentVariant
from store.content.content import ContentRepository
from store.content.content_changes import ContentChanges

TRIED_ID: Final = "7ZZZZZZZZZZZZZZZZZZZZZZZZZ"
"""The id of an entry that is tested without being saved. Like a new entry's id, it sorts last."""


async def overlay(
    connection: AsyncConnection, tenant: TenantId, change: ContentVariant, now: datetime
) -> None:
    """Write the trial change. The caller must roll back the transaction. Raises ContentNotFound.

    Until the next sweep, only keyword search finds a saved entry. The same applies to an entry that
    the trial adds.
    """
    if change.added is not None:
        await _add(ContentRepository(connection, tenant), change.added, now)
        return
    changes, content_id = ContentChanges(connection, tenant), change.id or ""
    if change.template is not None:
        await changes.change_template(content_id, change.template, now)
    elif change.knowledge is not None:
        await changes.change_entry(content_id, change.knowledge, now)
    elif change.deleted == "template":
        await changes.delete(TemplateEntry, content_id)
    else:
        await changes.delete(KnowledgeEntry, content_id)


async def _add(
    content: ContentRepository, added: SuggestedEntry | SuggestedTemplate, now: datetime
) -> None:
    if isinstance(added, SuggestedEntry):
        await content.insert_knowledge(
            entry_id=TRIED_ID,
            title=added.title,
            body=added.body,
            language=added.language,
            now=now,
        )
        return
    template = Template(id=TRIED_ID, **added.model_dump(exclude={"kind"}))
    await content.insert_template(template, now)
