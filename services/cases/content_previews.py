"""Previews of the effect of a template or knowledge change on saved cases."""

from domain.cases.case_run import CaseRun
from domain.content.content import KnowledgeEntry, TemplateEntry
from domain.simulation.variant import ContentVariant, Variant
from domain.tenants.actor import MANAGERS, Actor
from services.cases.case_runs import start_case_run
from services.core.unit_of_work import UnitOfWork
from store.content.content_changes import ContentChanges


async def preview_content(work: UnitOfWork, actor: Actor, change: ContentVariant) -> CaseRun:
    """After the commit, run each saved case with and without a content change that the actor may
    save. Raises RoleRequired, ContentNotFound, ClientNotFound, CaseRunUnderWay."""
    actor.require(MANAGERS)
    if change.id is not None:
        changes = ContentChanges(work.connection, work.tenant)
        if change.template is not None or change.deleted == "template":
            await changes.read(TemplateEntry, change.id)
        else:
            await changes.read(KnowledgeEntry, change.id)
    return await start_case_run(work, actor, Variant(content=change))
