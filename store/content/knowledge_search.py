"""Keyword and semantic search in knowledge entries."""

from typing import Final

import sqlalchemy as sa
from sqlalchemy import RowMapping

from domain.agent.brain import Passage
from domain.agent.embedding import Embedding
from domain.content.chunks import MAX_HEADING
from domain.core.text import fold
from store.core.repository import TenantRepository, without_compounds

MAX_PASSAGES: Final = 8
MAX_PASSAGE_SENTENCES: Final = 60
"""Maximum number of sentences that are returned with a passage, those nearest to the question."""
_MAX_QUERY_CHARS: Final = 2_000
_CANDIDATES: Final = 20
# A search uses only the first words of a long message, and fewer words if the client has many
# entries.
_LEXEMES: Final = 60
_PAIRS: Final = 150_000
# The fraction of a language's mean distance that is subtracted from the distance of each entry in
# that language.
_LANGUAGE_SHARE: Final = 0.75

# Under row-level security, PostgreSQL cannot use a full-text index. Each entry is therefore read
# once, and its words are compared directly. Sums are rounded because their terms have no fixed
# order.
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

# Semantic search, combined with keyword search by reciprocal rank fusion. Embeddings are comparable
# only with the same model and dimension. Distances are smaller within a language, so most of that
# difference is subtracted. An entry without embeddings has its keyword rank in both searches, so
# that older entries do not outrank it.
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
            SELECT id, place FROM by_words
            UNION ALL
            SELECT id, place FROM by_meaning
            UNION ALL
            SELECT id, place FROM by_words WHERE id NOT IN (SELECT id FROM near)
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
                   'heading', left(heading, {MAX_HEADING}), 'text', text, 'chunk', place,
                   'similarity', 1 - distance
               ) ORDER BY place, number) AS sentences
        FROM (
            SELECT heading, sentence.text, place, sentence.number,
                   sentence.embedding <=> CAST(:vector AS vector) AS distance
            FROM knowledge_chunks, ROWS FROM (unnest(sentences), unnest(sentence_embeddings))
                WITH ORDINALITY AS sentence (text, embedding, number)
            WHERE client_id = :client_id AND entry_id = found.id AND model = :model
              AND vector_dims(knowledge_chunks.embedding) = :dimensions
            ORDER BY distance, place, number
            LIMIT :sentences
        ) AS nearest
    ) AS cut ON true
    WHERE client_id = :client_id
    ORDER BY rank DESC, id
""")  # noqa: S608 - a constant is put in, no value


_WHOLE: Final = sa.text("""
    SELECT id, title, body, language, 0::float8 AS rank
    FROM knowledge_entries
    WHERE client_id = :client_id AND (
        SELECT sum(length(title) + length(body)) FROM knowledge_entries
        WHERE client_id = :client_id
    ) <= :chars
    ORDER BY id
""")


class KnowledgeSearch(TenantRepository):
    async def find(self, text: str, near: Embedding | None = None) -> tuple[Passage, ...]:
        """Return the knowledge entries that share words with `text`, best matches first. Entries
        with embeddings include their sentences' similarity to the text.

        `near` is the embedding of `text`, and adds semantic search.
        """
        values: dict[str, str | float] = {
            "words": fold(without_compounds(text[:_MAX_QUERY_CHARS])),
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
                "sentences": MAX_PASSAGE_SENTENCES,
            }
        rows = await self._connection.execute(_FUSED if near else _SEARCH, values)
        return tuple(_passage(row) for row in rows.mappings())

    async def whole(self, chars: int) -> tuple[Passage, ...]:
        """Return all knowledge entries of the client, sorted by id, each with the rank 0. Return
        an empty tuple if their texts exceed `chars` characters in total."""
        values = {"client_id": self._tenant, "chars": chars}
        rows = await self._connection.execute(_WHOLE, values)
        return tuple(_passage(row) for row in rows.mappings())


def _passage(row: RowMapping) -> Passage:
    """Return a knowledge entry from the search results. The text of an entry without embeddings is
    not split into sentences here, because splitting is too slow for an open transaction."""
    return Passage.model_validate({name: value for name, value in row.items() if value is not None})
