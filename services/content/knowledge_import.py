"""Import knowledge from a file. Either all entries are imported or none."""

from sqlalchemy.ext.asyncio import AsyncConnection

from domain.content.content import KnowledgeChange
from domain.content.errors import InvalidKnowledgeFile
from domain.content.knowledge_file import ImportPlan, KnowledgeRead, plan_of
from domain.core.ids import TenantId
from domain.tenants.actor import MANAGERS, Actor
from services.core.unit_of_work import UnitOfWork
from store.content.content import ContentRepository
from store.content.content_changes import ContentChanges


async def planned_import(
    connection: AsyncConnection, tenant: TenantId, read: KnowledgeRead
) -> ImportPlan:
    """Return the changes that importing a parsed file would make now. If an entry in the file has
    the same title and language as a stored entry, the import changes the stored entry."""
    titles = [one.title for one in read.entries]
    there = await ContentChanges(connection, tenant).titled(titles)
    return plan_of(read, there)


async def import_knowledge(work: UnitOfWork, actor: Actor, read: KnowledgeRead) -> ImportPlan:
    """Add and change the knowledge entries in a file. Raises RoleRequired, TooMuchContent,
    ClientNotFound, and InvalidKnowledgeFile if the file has an error or contains no entry."""
    actor.require(MANAGERS)
    plan = await planned_import(work.connection, work.tenant, read)
    if plan.problems or not (plan.new or plan.changed or plan.same):
        raise InvalidKnowledgeFile
    await ContentRepository(work.connection, work.tenant).add_entries(
        plan.new, work.now, work.new_id
    )
    changes = ContentChanges(work.connection, work.tenant)
    for one in plan.changed:
        change = KnowledgeChange(body=one.after.body)
        await changes.change_entry(one.before.id, change, work.now)
    counts = {"added": str(len(plan.new)), "changed": str(len(plan.changed))}
    work.note(actor, "knowledge imported", **counts)
    return plan
