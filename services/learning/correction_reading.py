"""Read a correction for display, with a word diff and the available actions."""

import asyncio

from sqlalchemy.ext.asyncio import AsyncConnection

from domain.content.content import KnowledgeEntry, TemplateEntry
from domain.content.errors import ContentNotFound
from domain.core.ids import TenantId
from domain.learning.correction import Correction, CorrectionRecord
from domain.learning.correction_suggestions import CorrectedRun, suggestions_from
from domain.learning.word_diff import word_diff
from domain.runs.errors import RunNotFound
from store.cases.runs_for_cases import RunForCaseReader
from store.content.content_changes import ContentChanges
from store.learning.corrections import CorrectionRepository


async def read_correction(
    connection: AsyncConnection, tenant: TenantId, correction_id: str
) -> Correction:
    """Return a correction with its word diff and available actions. Raises CorrectionNotFound."""
    record = await CorrectionRepository(connection, tenant).read(correction_id)
    run = await corrected_run(connection, tenant, record)
    # The cost of the diff is limited because customers control part of the text. The diff is
    # computed in a thread, so that it does not block the event loop.
    return await asyncio.to_thread(_with_offers, record, run)


def _with_offers(record: CorrectionRecord, run: CorrectedRun) -> Correction:
    diff = word_diff(record.draft, record.sent) if record.sent else ()
    return Correction(**dict(record), diff=diff, offers=suggestions_from(record, run, diff))


async def corrected_run(
    connection: AsyncConnection, tenant: TenantId, record: CorrectionRecord
) -> CorrectedRun:
    """Return a correction's run, and the content on which the run's draft is based."""
    try:
        run = await RunForCaseReader(connection, tenant).read(record.run_id, lock=False)
    except RunNotFound:
        run = None
    return CorrectedRun(run, await _content(connection, tenant, record))


async def _content(
    connection: AsyncConnection, tenant: TenantId, record: CorrectionRecord
) -> TemplateEntry | KnowledgeEntry | None:
    """Return the template or knowledge entry on which the draft is based. Return None if the draft
    also cites other content, or if the entry no longer exists."""
    cited = [one for one in record.citations if one.kind != "order"]
    if len(cited) != 1:
        return None
    changes = ContentChanges(connection, tenant)
    try:
        if cited[0].kind == "template":
            return await changes.read(TemplateEntry, cited[0].id)
        return await changes.read(KnowledgeEntry, cited[0].id)
    except ContentNotFound:
        return None
