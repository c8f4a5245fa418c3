"""The benchmark's export contains every section, with the permitted size."""

import io

from adapters.system import utc_now
from bench.export_database import fill_conversations, fill_for_export
from bench.load import LoadShop
from domain.core.ids import TenantId
from domain.exports.export import Section
from domain.exports.reader import ExportHead, RawRecord, read_export
from store.core.database import Database
from store.exports.export import Export
from store.exports.json_form import JsonRendering
from tests.support.core.postgres import as_owner
from tests.support.tenants import shop as shops

_CONVERSATIONS = 100
_BYTES = 1_350


async def _export(database: Database, client_id: str) -> list[RawRecord]:
    def skipped(section: Section, sqlstate: str, error: Exception) -> None:
        raise AssertionError(f"{section} was skipped: {sqlstate}") from error

    async with database.snapshot(TenantId(client_id)) as snapshot:
        file = Export(snapshot, JsonRendering(), skipped=skipped)
        text = b"".join([piece async for piece in file.pieces("2026-01-01T00:00:00.000Z")])
    head, *records = read_export(io.BytesIO(text))
    assert isinstance(head, ExportHead)
    found = [record for record in records if isinstance(record, RawRecord)]
    for record in found:
        record.check()
    return found


async def test_every_section_has_rows_that_an_import_would_take(
    database: Database, database_url: str
) -> None:
    opened = await shops.open_shop(database)
    other = await shops.open_shop(database)
    filled = fill_for_export(
        as_owner(database_url),
        {
            _CONVERSATIONS: LoadShop(client_id=opened.client_id, key=opened.key),
            10: LoadShop(client_id=other.client_id, key=other.key),
        },
        now=utc_now(),
    )
    assert [one.conversations for one in filled] == [_CONVERSATIONS, 10]
    for one in filled:
        records = await _export(database, one.client_id)
        of = {
            section: [r for r in records if r.section == section]
            for section in Section
            # Only use cases write them, and no import accepts them.
            if section not in (Section.AUDIT_ENTRIES, Section.ATTACHMENTS)
        }
        assert all(of.values()), [section for section, rows in of.items() if not rows]
        conversations = of[Section.AI_CONVERSATIONS]
        assert len(conversations) == one.conversations
        mean = sum(len(record.text.encode()) for record in conversations) / one.conversations
        assert abs(mean - _BYTES) < _BYTES / 10, mean
        assert len(of[Section.ENGINE_RUNS]) == len(of[Section.SENTIMENT_LOGS])


async def test_tenants_with_nothing_but_conversations(
    database: Database, database_url: str
) -> None:
    made = fill_conversations(as_owner(database_url), (0, 30), now=utc_now())
    for client_id, rows in zip(made, (0, 30), strict=True):
        records = await _export(database, client_id)
        found = [r for r in records if r.section == Section.AI_CONVERSATIONS]
        assert len(found) == rows
        assert {r.section for r in records} <= {
            Section.CLIENT, Section.SETTINGS, Section.AI_CONVERSATIONS
        }  # fmt: skip
