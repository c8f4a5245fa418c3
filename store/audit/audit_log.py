"""The audit log of one client: appended to at the end of a transaction, and listed."""

from collections.abc import Iterable
from dataclasses import asdict, dataclass, fields
from datetime import datetime
from typing import Any, Final

import sqlalchemy as sa
from sqlalchemy.dialects.postgresql import insert

from domain.audit.chain import START, ChainHead, ChainLink, chained
from domain.audit.entry import AuditEntry, Note
from domain.core.ports import NewId
from store.audit.tables import audit_entries, audit_heads
from store.core.repository import TenantRepository

# Whoever has tampered may have written a time that Python has not.
_AT: Final = sa.func.least(
    sa.func.greatest(audit_entries.c.at, sa.text("timestamptz '0001-01-02 00:00+00'")),
    sa.text("timestamptz '9999-12-30 00:00+00'"),
    type_=sa.DateTime(timezone=True),
).label("at")
LINKS: Final = sa.select(*(_AT if one.name == "at" else one for one in audit_entries.c))
"""Rows that `link_of` reads."""


def link_of(row: "sa.Row[*tuple[Any, ...]]") -> ChainLink:
    entry = AuditEntry(**{one.name: getattr(row, one.name) for one in fields(AuditEntry)})
    return ChainLink(entry, bytes(row.previous), bytes(row.hash))


@dataclass(frozen=True, slots=True)
class EntryFilter:
    """Which entries a list has; None: all. `since` is the first moment, `until` the first after."""

    what: str | None = None
    actor: str | None = None
    since: datetime | None = None
    until: datetime | None = None


class AuditLog(TenantRepository):
    async def append(self, notes: Iterable[Note], now: datetime, new_id: NewId) -> None:
        """Write what was noted as the next entries of the chain, in its order.

        It must be the last thing of its transaction: the chain's head stays locked until the
        commit, and whoever holds it waits for nobody. Two statements; for the first entries of all
        four.
        """
        links = chained(await self._locked_head(), self._tenant, notes, now, new_id)
        added = sa.insert(audit_entries).values(
            [{**asdict(link.entry), "previous": link.previous, "hash": link.hash} for link in links]
        )
        # One statement for both: the others of this client wait meanwhile.
        await self._connection.execute(
            sa.update(audit_heads)
            .where(audit_heads.c.client_id == self._tenant)
            .values(seq=links[-1].entry.seq, hash=links[-1].hash)
            .add_cte(added.cte("added"))
        )

    async def _locked_head(self) -> ChainHead:
        lock = (
            sa.select(audit_heads.c.seq, audit_heads.c.hash)
            .where(audit_heads.c.client_id == self._tenant)
            .with_for_update()
        )
        row = (await self._connection.execute(lock)).one_or_none()
        if row is None:
            first = insert(audit_heads).values(
                client_id=self._tenant, seq=START.seq, hash=START.hash
            )
            await self._connection.execute(first.on_conflict_do_nothing())
            row = (await self._connection.execute(lock)).one()
        return ChainHead(row.seq, bytes(row.hash))

    async def page(
        self, *, limit: int, before: int | None, which: EntryFilter
    ) -> tuple[ChainLink, ...]:
        """The newest entries first. `before`: only those before this place of the chain."""
        column = audit_entries.c
        wanted = [column.client_id == self._tenant]
        if before is not None:
            wanted.append(column.seq < before)
        if which.what is not None:
            wanted.append(column.what == which.what)
        if which.actor is not None:
            wanted.append(column.actor == which.actor)
        if which.since is not None:
            wanted.append(column.at >= which.since)
        if which.until is not None:
            wanted.append(column.at < which.until)
        query = LINKS.where(*wanted).order_by(column.seq.desc()).limit(limit)
        return tuple(link_of(row) for row in await self._connection.execute(query))
