"""What a client lets the agent say: templates, and knowledge found by full-text search."""

from datetime import datetime
from typing import Final

import sqlalchemy as sa
from pydantic import BaseModel, ConfigDict
from sqlalchemy.ext.asyncio import AsyncConnection

from domain.brain import Language, Passage, Template
from domain.embedding import Embedding
from domain.errors import ContentNotFound
from domain.ids import TenantId
from domain.text import fold
from store.tables import knowledge_entries, response_templates

MAX_PASSAGES: Final = 5
_MAX_TEMPLATES: Final = 200
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

_ALL_TEMPLATES: Final = (
    sa.select(
        response_templates.c.id,
        response_templates.c.name,
        response_templates.c.category,
        response_templates.c.language,
        response_templates.c.body,
    )
    .where(response_templates.c.client_id == sa.bindparam("tenant"), response_templates.c.is_active)
    .order_by(response_templates.c.created_at, response_templates.c.id)
)
_TEMPLATES: Final = _ALL_TEMPLATES.limit(_MAX_TEMPLATES)
_ALL_KNOWLEDGE: Final = (
    sa.select(
        knowledge_entries.c.id,
        knowledge_entries.c.title,
        knowledge_entries.c.body,
        knowledge_entries.c.language,
    )
    .where(knowledge_entries.c.client_id == sa.bindparam("tenant"))
    .order_by(knowledge_entries.c.created_at, knowledge_entries.c.id)
)


class KnowledgeEntry(BaseModel):
    """A knowledge entry as its author wrote it."""

    model_config = ConfigDict(frozen=True)

    id: str
    title: str
    body: str
    language: Language


class ContentRepository:
    def __init__(self, connection: AsyncConnection, tenant: TenantId) -> None:
        self._connection = connection
        self._tenant = tenant

    async def templates(self) -> tuple[Template, ...]:
        """The client's active templates that a brain may see: the 200 oldest, oldest first."""
        rows = await self._connection.execute(_TEMPLATES, {"tenant": self._tenant})
        return tuple(Template.model_validate(row, from_attributes=True) for row in rows)

    async def all_templates(self) -> tuple[Template, ...]:
        """All of the client's active templates, oldest first."""
        rows = await self._connection.execute(_ALL_TEMPLATES, {"tenant": self._tenant})
        return tuple(Template.model_validate(row, from_attributes=True) for row in rows)

    async def all_knowledge(self) -> tuple[KnowledgeEntry, ...]:
        """All of the client's knowledge, oldest first."""
        rows = await self._connection.execute(_ALL_KNOWLEDGE, {"tenant": self._tenant})
        return tuple(KnowledgeEntry.model_validate(row, from_attributes=True) for row in rows)

    async def delete_template(self, template_id: str) -> None:
        """Delete for good; runs keep its id and name. Raises ContentNotFound."""
        await self._delete(response_templates, template_id)

    async def delete_knowledge(self, entry_id: str) -> None:
        """Delete for good, with its embedding; runs keep id and title. Raises ContentNotFound."""
        await self._delete(knowledge_entries, entry_id)

    async def _delete(self, table: sa.Table, content_id: str) -> None:
        gone = await self._connection.execute(
            sa.delete(table).where(table.c.client_id == self._tenant, table.c.id == content_id)
        )
        if gone.rowcount == 0:
            raise ContentNotFound(content_id)

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

    async def add_template(self, template: Template, now: datetime) -> None:
        await self._connection.execute(
            sa.insert(response_templates).values(
                client_id=self._tenant, created_at=now, **template.model_dump(mode="json")
            )
        )

    async def add_knowledge(
        self, *, entry_id: str, title: str, body: str, language: str, now: datetime
    ) -> None:
        await self._connection.execute(
            sa.insert(knowledge_entries).values(
                client_id=self._tenant,
                id=entry_id,
                title=title,
                body=body,
                language=language,
                search_text=fold(f"{title}\n{body}"),
                created_at=now,
            )
        )
