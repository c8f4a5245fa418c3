"""Bringing knowledge along in a file: all of it, or nothing."""

import asyncio

from sqlalchemy.ext.asyncio import AsyncConnection

from domain.content.content import KnowledgeChange
from domain.content.errors import InvalidKnowledgeFile
from domain.content.knowledge_file import ImportPlan, KnowledgeFile, plan_of, read_file
from domain.core.ids import TenantId
from domain.tenants.actor import MANAGERS, Actor
from services.core.unit_of_work import UnitOfWork
from store.content.content import ContentRepository
from store.content.content_changes import ContentChanges


async def planned_import(
    connection: AsyncConnection, tenant: TenantId, file: KnowledgeFile
) -> ImportPlan:
    """What the file would do now. An entry that has the title and the language of one in the file
    is changed."""
    # In a thread: a file may be long.
    entries, problems = await asyncio.to_thread(read_file, file)
    there = await ContentChanges(connection, tenant).titled([one.title for one in entries])
    return plan_of(entries, problems, there)


async def import_knowledge(work: UnitOfWork, actor: Actor, file: KnowledgeFile) -> ImportPlan:
    """Add and change what the file says.

    Raises RoleRequired, InvalidKnowledgeFile for a file with a problem or without an entry,
    TooMuchContent, ClientNotFound.
    """
    actor.require(MANAGERS)
    plan = await planned_import(work.connection, work.tenant, file)
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
