"""The templates and knowledge from which a client's agent composes answers."""

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Final

import sqlalchemy as sa

from domain.agent.brain import Template
from domain.content.chunks import text_digest
from domain.content.content import MAX_ALL_NOT_FOR, MAX_ENTRIES, MAX_KNOWLEDGE, MAX_TEMPLATES
from domain.content.errors import TooMuchContent
from domain.content.knowledge_file import FileEntry
from domain.core.errors import InvalidContent
from domain.core.ids import TenantId
from domain.core.ports import NewId
from domain.core.text import fold
from store.content.tables import knowledge_entries, response_templates
from store.core.repository import TenantRepository, without_compounds
from store.tenants.accounts import AccountRepository

_SHOWN_TEMPLATES: Final = 200

# The query returns the templates, or only the version if the caller already has the current
# templates. The version is a digest of the rows' xmin values because every update of a row changes
# its xmin.
_TEMPLATES: Final = sa.text("""
    WITH version AS (
        SELECT coalesce(md5(string_agg(id || ' ' || xmin::text, ',' ORDER BY id)), '') AS version
        FROM response_templates WHERE client_id = :tenant AND is_active
    )
    SELECT version, shown.*
    FROM version LEFT JOIN LATERAL (
        SELECT created_at, id, name, category, language, body, intent, not_for, is_starter
        FROM response_templates
        WHERE client_id = :tenant AND is_active
          AND version.version IS DISTINCT FROM CAST(:known AS text)
        ORDER BY created_at, response_templates.id
        LIMIT :limit
    ) AS shown ON true
    ORDER BY shown.created_at, shown.id
""")


@dataclass(frozen=True, slots=True)
class ShownTemplates:
    """The templates available to the brain, oldest first. `version` is a value that changes
    whenever a template changes."""

    version: str
    templates: tuple[Template, ...]


class ContentRepository(TenantRepository):
    async def templates(self, known: ShownTemplates | None = None) -> ShownTemplates:
        """Return the oldest active templates, at most `_SHOWN_TEMPLATES`. If the templates have not
        changed since `known` was read, return `known` itself."""
        version = known.version if known else None
        rows = await self._connection.execute(
            _TEMPLATES, {"tenant": self._tenant, "known": version, "limit": _SHOWN_TEMPLATES}
        )
        found = rows.all()
        if known is not None and found[0].version == known.version:
            return known
        return ShownTemplates(
            version=found[0].version,
            templates=tuple(
                Template.model_validate(row, from_attributes=True)
                for row in found
                if row.id is not None
            ),
        )

    async def add_template(
        self, template: Template, now: datetime, *, is_active: bool = True
    ) -> None:
        """Add a template. Raises TooMuchContent, InvalidContent beyond the limit on exclusions, and
        ClientNotFound during the client's erasure."""
        await self._make_room(response_templates, MAX_TEMPLATES)
        await self.insert_template(template, now, is_active=is_active)
        if template.not_for:
            await self.check_exclusions()

    async def check_exclusions(self) -> None:
        """Raise InvalidContent if the exclusions of all the client's templates exceed the limit."""
        table = response_templates.c
        count = await self._connection.scalar(
            sa.select(sa.func.sum(sa.func.jsonb_array_length(table.not_for))).where(
                table.client_id == self._tenant
            )
        )
        if count is not None and count > MAX_ALL_NOT_FOR:
            raise InvalidContent(
                f"not_for: {MAX_ALL_NOT_FOR} phrases at most in all templates together",
                f"not_for : {MAX_ALL_NOT_FOR} expressions au plus pour tous les modèles",
            )

    async def insert_template(
        self, template: Template, now: datetime, *, is_active: bool = True
    ) -> None:
        """Add a template without checking the limit or locking the account. Use this method only in
        a transaction that is rolled back."""
        await self._connection.execute(
            sa.insert(response_templates).values(
                client_id=self._tenant,
                created_at=now,
                is_active=is_active,
                **template.model_dump(mode="json"),
            )
        )

    async def answered_intents(self) -> frozenset[tuple[str, str]]:
        """Return the language and intent of each of the client's templates, including inactive
        ones.

        The account is locked, so that only one of two concurrent callers finds a template missing.
        """
        await AccountRepository(self._connection, self._tenant).lock()
        table = response_templates.c
        rows = await self._connection.execute(
            sa.select(table.language, table.intent)
            .where(table.client_id == self._tenant, table.intent.is_not(None))
            .distinct()
        )
        return frozenset((row.language, row.intent) for row in rows)

    async def add_templates(self, templates: Sequence[Template], now: datetime) -> None:
        """Add templates. Raises the same errors as `add_template`."""
        if not templates:
            return
        await self._make_room(response_templates, MAX_TEMPLATES, more=len(templates))
        await self._connection.execute(
            sa.insert(response_templates),
            [
                {"client_id": self._tenant, "created_at": now, **one.model_dump(mode="json")}
                for one in templates
            ],
        )
        await self.check_exclusions()

    async def add_knowledge(
        self, *, entry_id: str, title: str, body: str, language: str, now: datetime
    ) -> None:
        """Add a knowledge entry. Raises the same errors as `add_template`."""
        await self._make_room(knowledge_entries, MAX_ENTRIES)
        await self.insert_knowledge(
            entry_id=entry_id, title=title, body=body, language=language, now=now
        )
        await self.check_length()

    async def check_length(self) -> None:
        """Raise TooMuchContent if the total length of the client's knowledge exceeds the limit."""
        length = await self._connection.scalar(
            sa.select(sa.func.sum(sa.func.octet_length(knowledge_entries.c.search_text))).where(
                knowledge_entries.c.client_id == self._tenant
            )
        )
        if length is not None and length > MAX_KNOWLEDGE:
            raise TooMuchContent(MAX_KNOWLEDGE)

    async def insert_knowledge(
        self, *, entry_id: str, title: str, body: str, language: str, now: datetime
    ) -> None:
        """Add a knowledge entry without checking the limit or locking the account. Use this method
        only in a transaction that is rolled back."""
        await self._connection.execute(
            sa.insert(knowledge_entries).values(
                client_id=self._tenant,
                id=entry_id,
                title=title,
                body=body,
                language=language,
                search_text=search_text(title, body),
                digest=text_digest(title, body),
                created_at=now,
            )
        )

    async def add_entries(self, entries: Sequence[FileEntry], now: datetime, new_id: NewId) -> None:
        """Add the knowledge entries from a file, in order. Raises the same errors as
        `add_template`."""
        if not entries:
            return
        await self._make_room(knowledge_entries, MAX_ENTRIES, more=len(entries))
        ids = [new_id() for _ in entries]
        # In a thread because folding the text of a large file takes tenths of a second.
        rows = await asyncio.to_thread(_rows, self._tenant, ids, entries, now)
        await self._connection.execute(sa.insert(knowledge_entries), rows)
        await self.check_length()

    async def _make_room(self, table: sa.Table, limit: int, more: int = 1) -> None:
        """Lock the account, and raise TooMuchContent if the new content would exceed the limit. The
        lock keeps concurrent calls from exceeding the limit together."""
        await AccountRepository(self._connection, self._tenant).lock()
        count = await self._connection.scalar(
            sa.select(sa.func.count()).where(table.c.client_id == self._tenant)
        )
        if count is not None and count + more > limit:
            raise TooMuchContent(limit)


def search_text(title: str, body: str) -> str:
    """Return the title and body of a knowledge entry as a single text, folded for search."""
    return fold(without_compounds(f"{title}\n{body}"))


def _rows(
    tenant: TenantId, ids: Sequence[str], entries: Sequence[FileEntry], now: datetime
) -> list[dict[str, object]]:
    return [
        {
            "client_id": tenant,
            "id": entry_id,
            "title": one.title,
            "body": one.body,
            "language": one.language,
            "search_text": search_text(one.title, one.body),
            "digest": text_digest(one.title, one.body),
            "created_at": now,
        }
        for entry_id, one in zip(ids, entries, strict=True)
    ]
