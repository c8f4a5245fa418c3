"""The audit log of one client. Entries are appended at the end of a transaction, and listed in
pages."""

import json
from collections.abc import Iterable
from dataclasses import asdict, dataclass, fields
from datetime import datetime
from typing import Any, Final

import sqlalchemy as sa

from domain.audit.chain import START, ChainHead, ChainLink, chained
from domain.audit.entry import AuditEntry, Note
from domain.core.ports import NewId
from store.audit.tables import audit_entries
from store.core.repository import TenantRepository

# A tampered row may contain a time that Python cannot represent.
_AT: Final = sa.func.least(
    sa.func.greatest(audit_entries.c.at, sa.text("timestamptz '0001-01-02 00:00+00'")),
    sa.text("timestamptz '9999-12-30 00:00+00'"),
    type_=sa.DateTime(timezone=True),
).label("at")
LINKS: Final = sa.select(*(_AT if one.name == "at" else one for one in audit_entries.c))
"""A query for the columns that `link_of` reads."""


def link_of(row: "sa.Row[*tuple[Any, ...]]") -> ChainLink:
    """Return the audit chain link stored in a row: the entry and both hashes."""
    entry = AuditEntry(**{one.name: getattr(row, one.name) for one in fields(AuditEntry)})
    return ChainLink(entry, bytes(row.previous), bytes(row.hash))


# The statements are built once because building them costs more than running them.
_LOCK_HEAD: Final = sa.text("""
    SELECT seq, hash FROM audit_heads WHERE client_id = :client_id FOR UPDATE
""")
_MAKE_HEAD: Final = sa.text("""
    INSERT INTO audit_heads (client_id, seq, hash) VALUES (:client_id, :seq, :hash)
    ON CONFLICT DO NOTHING
""")
# One statement writes the entries and the chain's head. The client's other transactions wait for
# the lock on the head, so the write must be short.
_APPEND: Final = sa.text("""
    WITH added AS (
        INSERT INTO audit_entries
            (client_id, seq, id, at, actor_kind, actor, login, network, what, ids, previous, hash)
        SELECT :client_id, seq, id, at, actor_kind, actor, login, network, what, ids,
               decode(previous, 'hex'), decode(hash, 'hex')
        FROM json_to_recordset(CAST(:entries AS json)) AS entry (
            seq bigint, id text, at timestamptz, actor_kind text, actor text, login text,
            network text, what text, ids jsonb, previous text, hash text)
    )
    UPDATE audit_heads SET seq = :seq, hash = :hash WHERE client_id = :client_id
""")


def _row(link: ChainLink) -> dict[str, object]:
    hashes = {"previous": link.previous.hex(), "hash": link.hash.hex()}
    return {**asdict(link.entry), "at": link.entry.at.isoformat(), **hashes}


@dataclass(frozen=True, slots=True)
class EntryFilter:
    """The filters for a list of audit entries. None disables a filter. `since` is inclusive and
    `until` exclusive. `action` is the kind of an entry in lower case with underscores."""

    what: str | None = None
    action: str | None = None
    kind: str | None = None
    actor: str | None = None
    since: datetime | None = None
    until: datetime | None = None


class AuditLog(TenantRepository):
    async def append(self, notes: Iterable[Note], now: datetime, new_id: NewId) -> None:
        """Append the notes, in order, as the next entries of the client's audit chain.

        Make this the last call of the transaction. It locks the head of the chain until the commit,
        and a transaction with this lock must not wait for another. Executes two statements, or four
        for a client's first entries.
        """
        links = chained(await self._locked_head(), self._tenant, notes, now, new_id)
        await self._connection.execute(
            _APPEND,
            {
                "client_id": self._tenant,
                "entries": json.dumps([_row(link) for link in links]),
                "seq": links[-1].entry.seq,
                "hash": links[-1].hash,
            },
        )

    async def _locked_head(self) -> ChainHead:
        whose = {"client_id": self._tenant}
        row = (await self._connection.execute(_LOCK_HEAD, whose)).one_or_none()
        if row is None:
            start = {"seq": START.seq, "hash": START.hash}
            await self._connection.execute(_MAKE_HEAD, {**whose, **start})
            row = (await self._connection.execute(_LOCK_HEAD, whose)).one()
        return ChainHead(row.seq, bytes(row.hash))

    async def page(
        self, *, limit: int, before: int | None, which: EntryFilter, oldest_first: bool = False
    ) -> tuple[ChainLink, ...]:
        """Return a page of audit entries, newest or oldest first. `before` is the sequence number
        of the previous page's last entry."""
        column = audit_entries.c
        wanted = [column.client_id == self._tenant]
        if before is not None:
            wanted.append(column.seq > before if oldest_first else column.seq < before)
        if which.what is not None:
            wanted.append(column.what == which.what)
        if which.action is not None:
            wanted.append(sa.func.translate(sa.func.lower(column.what), " -", "__") == which.action)
        if which.kind is not None:
            wanted.append(column.actor_kind == which.kind)
        if which.actor is not None:
            wanted.append(column.actor == which.actor)
        if which.since is not None:
            wanted.append(column.at >= which.since)
        if which.until is not None:
            wanted.append(column.at < which.until)
        order = column.seq if oldest_first else column.seq.desc()
        query = LINKS.where(*wanted).order_by(order).limit(limit)
        return tuple(link_of(row) for row in await self._connection.execute(query))
