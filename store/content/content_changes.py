"""List and edit a client's templates and knowledge on behalf of a member."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Final, TypeVar

import sqlalchemy as sa

from domain.content.chunks import text_digest
from domain.content.content import KnowledgeChange, KnowledgeEntry, TemplateChange, TemplateEntry
from domain.content.errors import ContentNotFound
from store.content.content import ContentRepository, search_text
from store.content.tables import knowledge_chunks, knowledge_entries, response_templates
from store.core.repository import TenantRepository

Entry = TypeVar("Entry", TemplateEntry, KnowledgeEntry)

_TABLES: Final[dict[type, sa.Table]] = {
    TemplateEntry: response_templates,
    KnowledgeEntry: knowledge_entries,
}


@dataclass(frozen=True, slots=True)
class TemplateExcerpt:
    """A template with the beginning of its body."""

    id: str
    name: str
    body: str
    language: str
    is_active: bool


class ContentChanges(TenantRepository):
    """The content of one client, for listing and editing. `kind` is the type of content,
    TemplateEntry or KnowledgeEntry."""

    async def all(self, kind: type[Entry]) -> tuple[Entry, ...]:
        """Return all entries of this kind, oldest first, including inactive templates."""
        table = _TABLES[kind]
        rows = await self._connection.execute(
            sa.select(table)
            .where(table.c.client_id == self._tenant)
            .order_by(table.c.created_at, table.c.id)
        )
        return tuple(kind.model_validate(row, from_attributes=True) for row in rows)

    async def page(
        self, kind: type[Entry], *, after: str | None, limit: int, language: str | None = None
    ) -> tuple[Entry, ...]:
        """Return a page of entries, oldest first. `after` is the last id on the previous page.
        `language` selects the entries in one language."""
        table = _TABLES[kind]
        meant = [table.c.client_id == self._tenant, table.c.id > (after or "")]
        if language is not None:
            meant.append(table.c.language == language)
        rows = await self._connection.execute(
            sa.select(table).where(*meant).order_by(table.c.id).limit(limit)
        )
        return tuple(kind.model_validate(row, from_attributes=True) for row in rows)

    async def template_topics(self) -> tuple[tuple[str, str, str], ...]:
        """Return the id, name and category of each template, oldest first, including inactive
        templates."""
        table = response_templates.c
        rows = await self._connection.execute(
            sa.select(table.id, table.name, table.category)
            .where(table.client_id == self._tenant)
            .order_by(table.created_at, table.id)
        )
        return tuple((row.id, row.name, row.category) for row in rows)

    async def template_excerpts(
        self, ids: Sequence[str], chars: int
    ) -> tuple[TemplateExcerpt, ...]:
        """Return the templates with these ids, in the same order, with the first `chars` characters
        of each body. Missing templates are left out."""
        table = response_templates.c
        rows = await self._connection.execute(
            sa.select(
                table.id,
                table.name,
                sa.func.left(table.body, chars).label("body"),
                table.language,
                table.is_active,
            ).where(table.client_id == self._tenant, table.id.in_(ids))
        )
        found = {row.id: TemplateExcerpt(*row) for row in rows}
        return tuple(found[one] for one in ids if one in found)

    async def titled(self, titles: Sequence[str]) -> dict[tuple[str, str], KnowledgeEntry]:
        """Return the knowledge entries with one of these titles, keyed by (language, title). If two
        entries have the same language and title, the older one is returned."""
        table = knowledge_entries
        rows = await self._connection.execute(
            sa.select(table)
            .where(table.c.client_id == self._tenant, table.c.title.in_(titles))
            .order_by(table.c.id.desc())
        )
        found = [KnowledgeEntry.model_validate(row, from_attributes=True) for row in rows]
        return {(one.language, one.title): one for one in found}

    async def some(self, ids: Sequence[str]) -> dict[str, KnowledgeEntry]:
        """Return the knowledge entries with these ids, by id. Missing entries are left out."""
        table = knowledge_entries
        rows = await self._connection.execute(
            sa.select(table).where(table.c.client_id == self._tenant, table.c.id.in_(ids))
        )
        found = [KnowledgeEntry.model_validate(row, from_attributes=True) for row in rows]
        return {one.id: one for one in found}

    async def read(self, kind: type[Entry], content_id: str, *, lock: bool = False) -> Entry:
        """Return a template or knowledge entry. Like the methods below, raises ContentNotFound."""
        this = sa.select(_TABLES[kind]).where(*self._is(kind, content_id))
        row = await self._one(
            this.with_for_update() if lock else this, {}, ContentNotFound(content_id)
        )
        return kind.model_validate(row, from_attributes=True)

    async def change_template(
        self, template_id: str, change: TemplateChange, now: datetime
    ) -> TemplateEntry:
        values = change.model_dump(mode="json", exclude_none=True)
        if change.intent == "none":
            values["intent"] = None
        # Editing the text or intent turns a starter template into the client's own template.
        columns = response_templates.c
        same = [
            columns[name].is_not_distinct_from(sa.literal(value, columns[name].type))
            for name, value in values.items()
            if name != "is_active"
        ]
        values["is_starter"] = sa.and_(columns.is_starter, *same)
        return await self._update(TemplateEntry, template_id, updated_at=now, **values)

    async def change_entry(
        self, entry_id: str, change: KnowledgeChange, now: datetime
    ) -> KnowledgeEntry:
        """Update a knowledge entry. Keyword search finds the new text immediately, and semantic
        search after the next sweep.

        Raises TooMuchContent beyond the limit on the client's knowledge.
        """
        # Lock the entry because one user may change its title while another changes its body.
        old = await self.read(KnowledgeEntry, entry_id, lock=True)
        if change.title or change.body:
            await self._connection.execute(
                sa.delete(knowledge_chunks).where(
                    knowledge_chunks.c.client_id == self._tenant,
                    knowledge_chunks.c.entry_id == entry_id,
                )
            )
        title, body = change.title or old.title, change.body or old.body
        found_by = search_text(title, body)
        values = change.model_dump(mode="json", exclude_none=True)
        # The changed text is embedded without delay, even if embedding the earlier text failed.
        values |= {"embedding_failures": 0, "embedding_retry_at": None}
        changed = await self._update(
            KnowledgeEntry,
            entry_id,
            updated_at=now,
            search_text=found_by,
            digest=text_digest(title, body),
            **values,
        )
        if len(found_by) > len(search_text(old.title, old.body)):
            await ContentRepository(self._connection, self._tenant).check_length()
        return changed

    async def delete(self, kind: type[Entry], content_id: str) -> None:
        """Permanently delete an entry and its embeddings. Runs that used the entry still contain
        its id and its name or title."""
        gone = await self._connection.execute(
            sa.delete(_TABLES[kind]).where(*self._is(kind, content_id))
        )
        if gone.rowcount == 0:
            raise ContentNotFound(content_id)

    async def _update(self, kind: type[Entry], content_id: str, **values: object) -> Entry:
        table = _TABLES[kind]
        changed = sa.update(table).where(*self._is(kind, content_id)).values(**values)
        row = await self._one(changed.returning(table), {}, ContentNotFound(content_id))
        return kind.model_validate(row, from_attributes=True)

    def _is(self, kind: type[Entry], content_id: str) -> tuple["sa.ColumnElement[bool]", ...]:
        table = _TABLES[kind].c
        return table.client_id == self._tenant, table.id == content_id
