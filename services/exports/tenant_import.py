"""Import an export into a client, record by record from the file, in one transaction."""

import json
from collections.abc import Iterator
from datetime import datetime
from itertools import chain, groupby
from typing import Final

from pydantic import BaseModel, ConfigDict

from domain.core.ids import TenantId
from domain.exports.account_records import KnowledgeRecord, SettingsRecord
from domain.exports.copied_ids import Renaming
from domain.exports.errors import InvalidExport
from domain.exports.export import Section
from domain.exports.reader import ExportHead, RawRecord, Stream, read_export
from domain.tenants.actor import OPERATORS, Actor
from services.core.unit_of_work import UnitsOfWork
from store.content.content import search_text
from store.core.database import Database
from store.exports.import_repository import Closed, TenantImport, is_here_already

PATIENCE_S: Final = 24 * 3600.0
"""Timeout of an import, in seconds. Even a long import does not delay other work, because the
client into which it imports is empty."""

_BATCH_RECORDS: Final = 500
_BATCH_CHARS: Final = 1 << 20
# These sections are not imported. The audit log describes the exported client, and the file does
# not contain the content of the attachments.
_LEFT: Final = (Section.AUDIT_ENTRIES, Section.ATTACHMENTS)
_SINGLE: Final = (Section.CLIENT, Section.SETTINGS)


class Imported(BaseModel):
    """The result of an import. `renamed` means that the records got new ids. `widget_key_left`
    means that the file contains a widget key, which is never imported."""

    model_config = ConfigDict(frozen=True)

    exported_at: datetime
    renamed: bool
    records: dict[Section, int]
    closed: Closed
    widget_key_left: bool


async def import_export(
    units: UnitsOfWork, actor: Actor, tenant: TenantId, stream: Stream, *, dry_run: bool = False
) -> Imported:
    """Import a JSON export into an empty client, all or nothing, without the audit log and
    attachments.

    If one of the ids may already exist in this installation, all records get new ids. This check
    reads across clients, so the function opens the client's unit of work only afterwards. A
    `dry_run` is rolled back. Raises RoleRequired, InvalidExport, ClientNotFound, ClientNotEmpty,
    and the errors of `UnitsOfWork.of`.
    """
    actor.require(OPERATORS)
    parts = read_export(stream)
    head = next(parts)
    if not isinstance(head, ExportHead):
        raise TypeError("the head comes first")
    records = (part for part in parts if isinstance(part, RawRecord) and part.section not in _LEFT)
    first, settings = _only(records, Section.CLIENT), _only(records, Section.SETTINGS)
    checked = settings.check()
    if not isinstance(checked, SettingsRecord):
        raise TypeError("settings are expected")
    renaming = await _renaming(units.database, tenant, head, checked)
    counts = dict.fromkeys(Section, 0)
    async with units.of(tenant, patience_s=PATIENCE_S, dry_run=dry_run) as work:
        importing = TenantImport(work.connection, tenant, work.now)
        await importing.begin()
        for section, batch in _batches(chain((first, settings), records), renaming):
            await importing.add(section, batch)
            counts[section] += len(batch)
        work.note(actor, "export imported", records=str(sum(counts.values())))
        return Imported(
            exported_at=head.exported_at,
            renamed=renaming is not None,
            records=counts,
            closed=await importing.finish(work.new_id),
            widget_key_left=checked.widget_key is not None,
        )


def _only(records: Iterator[RawRecord], section: Section) -> RawRecord:
    """Return the record in a section that must have exactly one. Raises InvalidExport if there is
    none, which means that the export could not read the section's table."""
    found = next(records, None)
    if found is None or found.section is not section or found.number > 1:
        raise InvalidExport(f"{section}: one record is expected")
    return found


async def _renaming(
    database: Database, tenant: TenantId, head: ExportHead, settings: SettingsRecord
) -> Renaming | None:
    playbook_ids = [playbook.id for playbook in settings.playbooks]
    async with database.reading_across() as connection:
        taken = await is_here_already(connection, head.client_id, tenant, playbook_ids)
    return Renaming(tenant) if taken else None


def _batches(
    records: Iterator[RawRecord], renaming: Renaming | None
) -> Iterator[tuple[Section, list[str]]]:
    """Yield validated records in batches. Each batch belongs to one section and fits in one
    statement."""
    for section, group in groupby(records, key=lambda record: record.section):
        batch: list[str] = []
        chars = 0
        for record in group:
            if section in _SINGLE and record.number > 1:
                raise InvalidExport(f"{section}: one record is expected")
            text = _stored(record, renaming)
            batch.append(text)
            chars += len(text)
            if len(batch) == _BATCH_RECORDS or chars > _BATCH_CHARS:
                yield section, batch
                batch, chars = [], 0
        if batch:
            yield section, batch


def _stored(record: RawRecord, renaming: Renaming | None) -> str:
    """Return the JSON of a record in stored form, including its search text. Raises
    InvalidExport."""
    checked = record.check()
    text = renaming.record(record.section, record.text) if renaming else record.text
    if isinstance(checked, KnowledgeRecord):
        searched = json.dumps(search_text(checked.title, checked.body))
        return f'{text[:-1]},"search_text":{searched}}}'
    return text
