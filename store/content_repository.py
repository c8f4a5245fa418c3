"""What a client lets the agent say: templates, and knowledge found by full-text search."""

from datetime import datetime
from typing import Final

import sqlalchemy as sa
from sqlalchemy.ext.asyncio import AsyncConnection

from domain.brain import Passage, Template
from domain.ids import TenantId
from domain.text import fold
from store.tables import knowledge_entries, response_templates

MAX_PASSAGES: Final = 5
_MAX_TEMPLATES: Final = 200
_MAX_QUERY_CHARS: Final = 2_000

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


_TEMPLATES: Final = (
    sa.select(
        response_templates.c.id,
        response_templates.c.name,
        response_templates.c.category,
        response_templates.c.language,
        response_templates.c.body,
    )
    .where(response_templates.c.client_id == sa.bindparam("tenant"), response_templates.c.is_active)
    .order_by(response_templates.c.created_at, response_templates.c.id)
    .limit(_MAX_TEMPLATES)
)


class ContentRepository:
    def __init__(self, connection: AsyncConnection, tenant: TenantId) -> None:
        self._connection = connection
        self._tenant = tenant

    async def templates(self) -> tuple[Template, ...]:
        """The client's active templates, oldest first."""
        rows = await self._connection.execute(_TEMPLATES, {"tenant": self._tenant})
        return tuple(Template.model_validate(row, from_attributes=True) for row in rows)

    async def search(self, text: str) -> tuple[Passage, ...]:
        """The knowledge entries that share words with `text`, the nearest first."""
        rows = await self._connection.execute(
            _SEARCH,
            {
                "words": fold(text[:_MAX_QUERY_CHARS]),
                "client_id": self._tenant,
                "limit": MAX_PASSAGES,
            },
        )
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
