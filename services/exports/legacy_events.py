"""Import events from the engine's first version. The file contains one event per line."""

from collections.abc import Iterator
from dataclasses import dataclass
from hashlib import sha256
from typing import Final

from domain.exports.legacy_event import MAX_LINE_BYTES, LegacyEvent, Lines, parse_line
from domain.tenants.actor import OPERATORS, Actor
from services.core.unit_of_work import UnitOfWork
from store.exports.legacy_events import AutomationRepository
from store.tenants.accounts import AccountRepository
from store.tenants.clients import ClientRepository

_BATCH: Final = 500
_BATCH_BYTES: Final = 1 << 20


@dataclass(frozen=True, slots=True)
class ImportedEvents:
    """The result of importing events. `left_out` is the number of events skipped because their ids
    already existed."""

    imported: int
    left_out: int


async def import_legacy_events(work: UnitOfWork, actor: Actor, lines: Lines) -> ImportedEvents:
    """Import events, all or none. Events with existing ids are skipped.

    Raises RoleRequired, ClientNotFound, also during an erasure, and InvalidInput with the number of
    an invalid line.
    """
    actor.require(OPERATORS)
    await ClientRepository(work.connection).brand_name(work.tenant)
    events = AutomationRepository(work.connection, work.tenant)
    read = added = 0
    for batch in _batches(lines):
        read += len(batch)
        added += await events.add(batch, work.new_id)
    # The account is locked last because the admission of events waits for this lock. An erasure
    # either starts after this import or is detected here.
    await AccountRepository(work.connection, work.tenant).lock()
    work.note(actor, "legacy events imported", imported=str(added))
    return ImportedEvents(added, read - added)


async def delete_legacy_event(work: UnitOfWork, actor: Actor, event_id: str) -> None:
    """Delete an event permanently. Raises RoleRequired, InvalidInput if the event does not
    exist."""
    actor.require(OPERATORS)
    await AutomationRepository(work.connection, work.tenant).delete(event_id)
    # The audit entry omits the event's id. The file's author chose the id, so it may contain a
    # customer's name.
    digest = sha256(event_id.encode()).hexdigest()
    work.note(actor, "legacy event deleted", event_digest=digest)


def _batches(lines: Lines) -> Iterator[list[LegacyEvent]]:
    """Yield the file's events in order, in batches that each fit in one statement. Raises
    InvalidInput."""
    batch: list[LegacyEvent] = []
    size = number = 0
    while line := lines.readline(MAX_LINE_BYTES + 1):
        number += 1
        if not line.strip():
            continue
        batch.append(parse_line(line, number))
        size += len(line)
        if len(batch) == _BATCH or size > _BATCH_BYTES:
            yield batch
            batch, size = [], 0
    if batch:
        yield batch
