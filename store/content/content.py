"""What a client lets the agent say: templates, and knowledge found by full-text search."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Final

import sqlalchemy as sa

from domain.agent.brain import Passage, Template
from domain.agent.embedding import Embedding
from domain.content.content import MAX_ENTRIES, MAX_TEMPLATES
from domain.content.errors import TooMuchContent
from domain.content.knowledge_file import FileEntry
from domain.core.ports import NewId
from domain.core.text import fold
from store.content.tables import knowledge_entries, response_templates
from store.core.repository import TenantRepository
from store.tenants.accounts import AccountRepository

MAX_PASSAGES: Final = 5
_SHOWN_TEMPLATES: Final = 200
_MAX_QUERY_CHARS: Final = 2_000
_CANDIDATES: Final = 20

# Any word may match (the rank sorts), in the language each entry is written in. plainto_tsquery
# makes the query safe whatever the customer typed; only its ANDs are turned into ORs.
_SEARCH: Final = sa.text("""
    WITH query AS (
        SELECT replace(plainto_tsquery('french', :words)::text, '&', '|')::tsquery AS fr,
               replace(plainto_tsquery('english', :words)::text, '&', '|')::tsquery AS en
    )
    SELECT id, title, body, language,
           ts_rank(search, CASE language WHEN 'fr' THEN fr ELSE en END, 1)::float8 AS rank
    FROM knowledge_entries, query
    WHERE client_id = :client_id AND search @@ CASE language WHEN 'fr' THEN fr ELSE en END
    ORDER BY rank DESC, id
    LIMIT :limit
""")

# What is near in meaning is found as well, and what both find comes first: reciprocal rank fusion,
# which needs no common measure of the two. Only embeddings of the question's own model and length
# can be compared with it.
_FUSED: Final = sa.text("""
    WITH query AS (
        SELECT replace(plainto_tsquery('french', :words)::text, '&', '|')::tsquery AS fr,
               replace(plainto_tsquery('english', :words)::text, '&', '|')::tsquery AS en
    ), by_words AS (
        SELECT id, row_number() OVER (
                   ORDER BY ts_rank(search, CASE language WHEN 'fr' THEN fr ELSE en END, 1) DESC, id
               ) AS place
        FROM knowledge_entries, query
        WHERE client_id = :client_id AND search @@ CASE language WHEN 'fr' THEN fr ELSE en END
        ORDER BY place
        LIMIT :candidates
    ), by_meaning AS (
        SELECT entry_id AS id, row_number() OVER (
                   ORDER BY embedding <=> CAST(:vector AS vector), entry_id
               ) AS place
        FROM knowledge_embeddings
        WHERE client_id = :client_id AND model = :model AND vector_dims(embedding) = :dimensions
        ORDER BY place
        LIMIT :candidates
    ), found AS (
        SELECT id, sum(1.0 / (60 + place)) AS rank
        FROM (SELECT * FROM by_words UNION ALL SELECT * FROM by_meaning) AS ranked
        GROUP BY id
    )
    SELECT id, title, body, language, rank::float8 AS rank
    FROM found JOIN knowledge_entries USING (id)
    WHERE client_id = :client_id
    ORDER BY rank DESC, id
    LIMIT :limit
""")

# The templates only where they are not those that are known already. A row's xmin changes with each
# change of it, whoever makes it.
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
    """The templates that a brain may see, oldest first. `version`: no other content has it."""

    version: str
    templates: tuple[Template, ...]


class ContentRepository(TenantRepository):
    async def templates(self, known: ShownTemplates | None = None) -> ShownTemplates:
        """The client's active templates, the 200 oldest; the very same as `known` if nothing has
        changed since."""
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

    async def search(self, text: str, near: Embedding | None = None) -> tuple[Passage, ...]:
        """The knowledge entries that share words with `text`, the nearest first.

        With `near`, the text's embedding, also those that mean something like it.
        """
        values: dict[str, str | int] = {
            "words": fold(text[:_MAX_QUERY_CHARS]),
            "client_id": self._tenant,
            "limit": MAX_PASSAGES,
        }
        if near is not None:
            values |= {
                "candidates": _CANDIDATES,
                "vector": str(list(near.values)),
                "model": near.model,
                "dimensions": len(near.values),
            }
        rows = await self._connection.execute(_FUSED if near else _SEARCH, values)
        return tuple(Passage.model_validate(row, from_attributes=True) for row in rows)

    async def add_template(
        self, template: Template, now: datetime, *, is_active: bool = True
    ) -> None:
        """Raises TooMuchContent, and ClientNotFound while the client is being erased."""
        await self._make_room(response_templates, MAX_TEMPLATES)
        await self.insert_template(template, now, is_active=is_active)

    async def insert_template(
        self, template: Template, now: datetime, *, is_active: bool = True
    ) -> None:
        """The same without a limit and its lock, for what is rolled back."""
        await self._connection.execute(
            sa.insert(response_templates).values(
                client_id=self._tenant,
                created_at=now,
                is_active=is_active,
                **template.model_dump(mode="json"),
            )
        )

    async def answered_intents(self) -> frozenset[tuple[str, str]]:
        """The intents that the client's templates name, each with the language, those that are off
        too. Locks the account, so that two callers do not both find one missing."""
        await AccountRepository(self._connection, self._tenant).lock()
        table = response_templates.c
        rows = await self._connection.execute(
            sa.select(table.language, table.intent)
            .where(table.client_id == self._tenant, table.intent.is_not(None))
            .distinct()
        )
        return frozenset((row.language, row.intent) for row in rows)

    async def add_templates(self, templates: Sequence[Template], now: datetime) -> None:
        """Raises as `add_template`."""
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

    async def add_knowledge(
        self, *, entry_id: str, title: str, body: str, language: str, now: datetime
    ) -> None:
        """Raises as `add_template`."""
        await self._make_room(knowledge_entries, MAX_ENTRIES)
        await self.insert_knowledge(
            entry_id=entry_id, title=title, body=body, language=language, now=now
        )

    async def insert_knowledge(
        self, *, entry_id: str, title: str, body: str, language: str, now: datetime
    ) -> None:
        """The same without a limit and its lock, for what is rolled back."""
        await self._connection.execute(
            sa.insert(knowledge_entries).values(
                client_id=self._tenant,
                id=entry_id,
                title=title,
                body=body,
                language=language,
                search_text=search_text(title, body),
                created_at=now,
            )
        )

    async def add_entries(self, entries: Sequence[FileEntry], now: datetime, new_id: NewId) -> None:
        """Those of a file, in its order. Raises as `add_template`."""
        if not entries:
            return
        await self._make_room(knowledge_entries, MAX_ENTRIES, more=len(entries))
        await self._connection.execute(
            sa.insert(knowledge_entries),
            [
                {
                    "client_id": self._tenant,
                    "id": new_id(),
                    "title": one.title,
                    "body": one.body,
                    "language": one.language,
                    "search_text": search_text(one.title, one.body),
                    "created_at": now,
                }
                for one in entries
            ],
        )

    async def _make_room(self, table: sa.Table, limit: int, more: int = 1) -> None:
        """Exact under concurrency: the account is locked."""
        await AccountRepository(self._connection, self._tenant).lock()
        count = await self._connection.scalar(
            sa.select(sa.func.count()).where(table.c.client_id == self._tenant)
        )
        if count is not None and count + more > limit:
            raise TooMuchContent(limit)


def search_text(title: str, body: str) -> str:
    """What an entry is found by."""
    return fold(f"{title}\n{body}")
