"""What a client's people read and change of its templates and knowledge."""

from datetime import datetime
from typing import Any

import sqlalchemy as sa

from domain.content.content import KnowledgeChange, KnowledgeEntry, TemplateChange, TemplateEntry
from domain.content.errors import ContentNotFound
from store.content.content import search_text
from store.content.tables import knowledge_entries, response_templates
from store.core.repository import TenantRepository


class ContentChanges(TenantRepository):
    """Pages come by id, which is the order of making; `after`: the last id of the page before."""

    async def templates(self, *, after: str | None, limit: int) -> tuple[TemplateEntry, ...]:
        rows = await self._page(response_templates, after, limit)
        return tuple(TemplateEntry.model_validate(row, from_attributes=True) for row in rows)

    async def template(self, template_id: str) -> TemplateEntry:
        """Raises ContentNotFound, as all below."""
        row = await self._read(response_templates, template_id)
        return TemplateEntry.model_validate(row, from_attributes=True)

    async def change_template(
        self, template_id: str, change: TemplateChange, now: datetime
    ) -> TemplateEntry:
        values = change.model_dump(mode="json", exclude_none=True)
        row = await self._update(response_templates, template_id, updated_at=now, **values)
        return TemplateEntry.model_validate(row, from_attributes=True)

    async def knowledge(self, *, after: str | None, limit: int) -> tuple[KnowledgeEntry, ...]:
        rows = await self._page(knowledge_entries, after, limit)
        return tuple(KnowledgeEntry.model_validate(row, from_attributes=True) for row in rows)

    async def entry(self, entry_id: str) -> KnowledgeEntry:
        row = await self._read(knowledge_entries, entry_id)
        return KnowledgeEntry.model_validate(row, from_attributes=True)

    async def change_entry(
        self, entry_id: str, change: KnowledgeChange, now: datetime
    ) -> KnowledgeEntry:
        """It is found by its new words at once, and by its new meaning after the next sweep."""
        # Locked: what it is found by is made of a title and a body that two people may change.
        old = await self._read(knowledge_entries, entry_id, lock=True)
        values = change.model_dump(mode="json", exclude_none=True)
        row = await self._update(
            knowledge_entries,
            entry_id,
            updated_at=now,
            search_text=search_text(change.title or old.title, change.body or old.body),
            **values,
        )
        return KnowledgeEntry.model_validate(row, from_attributes=True)

    async def _page(
        self, table: sa.Table, after: str | None, limit: int
    ) -> "sa.CursorResult[*tuple[Any, ...]]":
        return await self._connection.execute(
            sa.select(table)
            .where(table.c.client_id == self._tenant, table.c.id > (after or ""))
            .order_by(table.c.id)
            .limit(limit)
        )

    async def _read(
        self, table: sa.Table, content_id: str, *, lock: bool = False
    ) -> "sa.Row[*tuple[Any, ...]]":
        this = sa.select(table).where(table.c.client_id == self._tenant, table.c.id == content_id)
        found = await self._connection.execute(this.with_for_update() if lock else this)
        return _one(found, content_id)

    async def _update(
        self, table: sa.Table, content_id: str, **values: object
    ) -> "sa.Row[*tuple[Any, ...]]":
        changed = await self._connection.execute(
            sa.update(table)
            .where(table.c.client_id == self._tenant, table.c.id == content_id)
            .values(**values)
            .returning(table)
        )
        return _one(changed, content_id)


def _one(found: "sa.CursorResult[*tuple[Any, ...]]", content_id: str) -> "sa.Row[*tuple[Any, ...]]":
    row = found.one_or_none()
    if row is None:
        raise ContentNotFound(content_id)
    return row
