"""What a client lets the agent say: templates, and knowledge found by full-text search."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Final

import sqlalchemy as sa
from sqlalchemy import RowMapping

from domain.agent.brain import Passage, Template
from domain.agent.embedding import Embedding
from domain.content.chunks import chunks_of
from domain.content.content import MAX_ENTRIES, MAX_KNOWLEDGE, MAX_TEMPLATES
from domain.content.errors import TooMuchContent
from domain.content.knowledge_file import FileEntry
from domain.core.ports import NewId
from domain.core.text import fold
from store.content.tables import knowledge_entries, response_templates
from store.core.repository import TenantRepository
from store.tenants.accounts import AccountRepository

MAX_PASSAGES: Final = 8
_SHOWN_TEMPLATES: Final = 200
_MAX_QUERY_CHARS: Final = 2_000
_CANDIDATES: Final = 20
# A longer message is searched by its first words, and by fewer where many entries are compared.
_LEXEMES: Final = 60
_PAIRS: Final = 150_000
# Of the mean distance of a language's entries: what is subtracted from the distance of each.
_LANGUAGE_SHARE: Final = 0.75

# Entries that share words with the message, ranked by the sum of inverse document frequencies. The
# index serves nobody to whom row-level security shows some rows alone. So each entry is read once,
# and its words are compared as they are then. A sum is rounded, for its parts come in any order.
_WORDS: Final = """
    WITH own AS MATERIALIZED (
        SELECT id, language, strip(search) AS words, row_number() OVER () AS entry
        FROM knowledge_entries WHERE client_id = :client_id
    ), heard AS MATERIALIZED (
        SELECT least(:lexemes, :pairs / greatest(count(*), 1)) AS words FROM own
    ), asked AS MATERIALIZED (
        SELECT language, quote_literal(lexeme)::tsquery AS query, row_number() OVER () AS word
        FROM (
            (SELECT 'fr' AS language, lexeme FROM unnest(to_tsvector('french', :words))
             LIMIT (SELECT words FROM heard))
            UNION ALL
            (SELECT 'en', lexeme FROM unnest(to_tsvector('english', :words))
             LIMIT (SELECT words FROM heard))
        ) AS said
    ), written AS MATERIALIZED (
        SELECT language, count(*) AS entries FROM own GROUP BY language
    ), matched AS (
        SELECT entry, own.language, count(*) OVER (PARTITION BY word) AS among
        FROM own JOIN asked USING (language) WHERE words @@ query
    ), scored AS (
        SELECT entry,
               round(sum(ln(1 + (entries - among + 0.5::float8) / (among + 0.5::float8)))::numeric,
                     6) AS score
        FROM matched JOIN written USING (language)
        GROUP BY entry
    ), by_words AS (
        SELECT id, score, row_number() OVER (ORDER BY score DESC, id) AS place
        FROM scored JOIN own USING (entry)
        ORDER BY place
        LIMIT :candidates
    )
"""

_SEARCH: Final = sa.text(f"""
    {_WORDS}
    SELECT id, title, body, language, score::float8 AS rank
    FROM by_words JOIN knowledge_entries USING (id)
    WHERE client_id = :client_id
    ORDER BY rank DESC, id
    LIMIT :limit
""")  # noqa: S608 - a constant is put in, no value

# Entries near in meaning are found as well; reciprocal rank fusion needs no common measure of the
# two searches. Only embeddings of the question's model and length are comparable with it. Texts in
# the question's own language are nearer than others: most of that is taken out.
_FUSED: Final = sa.text(f"""
    {_WORDS}, near AS (
        SELECT entry_id AS id, min(embedding <=> CAST(:vector AS vector)) AS distance
        FROM knowledge_chunks
        WHERE client_id = :client_id AND model = :model AND vector_dims(embedding) = :dimensions
        GROUP BY entry_id
    ), by_meaning AS (
        SELECT id, row_number() OVER (ORDER BY fair_distance, id) AS place
        FROM (
            SELECT id,
                   distance - :language_share * avg(distance) OVER (PARTITION BY language)
                       AS fair_distance
            FROM near JOIN knowledge_entries USING (id)
            WHERE client_id = :client_id
        ) AS fair
        ORDER BY place
        LIMIT :candidates
    ), found AS (
        SELECT id, sum(1.0 / (60 + place)) AS rank
        FROM (
            SELECT id, place FROM by_words UNION ALL SELECT id, place FROM by_meaning
        ) AS ranked
        GROUP BY id
        ORDER BY rank DESC, id
        LIMIT :limit
    )
    SELECT id, title, body, language, rank::float8 AS rank,
           1 - near.distance AS similarity, cut.sentences
    FROM found JOIN knowledge_entries USING (id) LEFT JOIN near USING (id)
    LEFT JOIN LATERAL (
        SELECT json_agg(json_build_object(
                   'heading', heading, 'text', sentence.text, 'chunk', place,
                   'similarity', 1 - (sentence.embedding <=> CAST(:vector AS vector))
               ) ORDER BY place, sentence.number) AS sentences
        FROM knowledge_chunks, ROWS FROM (unnest(sentences), unnest(sentence_embeddings))
            WITH ORDINALITY AS sentence (text, embedding, number)
        WHERE client_id = :client_id AND entry_id = found.id AND model = :model
          AND vector_dims(knowledge_chunks.embedding) = :dimensions
    ) AS cut ON true
    WHERE client_id = :client_id
    ORDER BY rank DESC, id
""")  # noqa: S608 - a constant is put in, no value

# The templates, unless they are known already. A row's xmin changes with each change of it.
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
        """Return the 200 oldest active templates: `known` itself if nothing has changed."""
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
        """Return the knowledge entries that share words with `text`, the nearest first.

        With `near`, the text's embedding, also those near in meaning, cut into sentences.
        """
        values: dict[str, str | float] = {
            "words": fold(text[:_MAX_QUERY_CHARS]),
            "client_id": self._tenant,
            "limit": MAX_PASSAGES,
            "candidates": _CANDIDATES,
            "lexemes": _LEXEMES,
            "pairs": _PAIRS,
        }
        if near is not None:
            values |= {
                "vector": near.literal,
                "model": near.model,
                "dimensions": len(near.values),
                "language_share": _LANGUAGE_SHARE,
            }
        rows = await self._connection.execute(_FUSED if near else _SEARCH, values)
        return tuple(_passage(row) for row in rows.mappings())

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
        await self.check_length()

    async def check_length(self) -> None:
        """Raises TooMuchContent where the client's knowledge has become too long. Call it after a
        change."""
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
        await self.check_length()

    async def _make_room(self, table: sa.Table, limit: int, more: int = 1) -> None:
        """Exact under concurrency: the account is locked."""
        await AccountRepository(self._connection, self._tenant).lock()
        count = await self._connection.scalar(
            sa.select(sa.func.count()).where(table.c.client_id == self._tenant)
        )
        if count is not None and count + more > limit:
            raise TooMuchContent(limit)


def _passage(row: RowMapping) -> Passage:
    """A found entry. One without embeddings is cut here, and its sentences have no similarity."""
    kept = {name: value for name, value in row.items() if value is not None}
    if "sentences" not in kept:
        kept["sentences"] = [
            {"heading": chunk.heading, "text": sentence, "chunk": place}
            for place, chunk in enumerate(chunks_of(kept["body"]))
            for sentence in chunk.sentences
        ]
    return Passage.model_validate(kept)


def search_text(title: str, body: str) -> str:
    """What an entry is found by."""
    return fold(f"{title}\n{body}")
