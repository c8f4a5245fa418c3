"""The chunks of knowledge entries with their embeddings."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Final

import sqlalchemy as sa
from sqlalchemy.ext.asyncio import AsyncConnection

from domain.agent.embedding import Embedding
from domain.content.chunks import CUT, Chunk, chunks_of
from domain.core.ids import TenantId
from store.content.tables import knowledge_chunks

# The digest includes the version of the chunking rules, so entries chunked under older rules are
# stale.
_DIGEST: Final = (
    f"sha256(convert_to('{CUT}' || chr(10) || entry.title || chr(10) || entry.body, 'UTF8'))"
)

# The query takes one entry of each client in turn. The order of the clients depends on `salt`, so
# no client is always first or last. An entry that could not be embedded is skipped until its next
# attempt is due.
_STALE: Final = sa.text(f"""
    SELECT client_id, id, title, body, digest, embedding_failures
    FROM (
        SELECT entry.client_id, entry.id, entry.title, entry.body, {_DIGEST} AS digest,
               entry.embedding_failures,
               row_number() OVER (PARTITION BY entry.client_id
                                  ORDER BY entry.embedding_failures, entry.id) AS turn
        FROM knowledge_entries AS entry
        LEFT JOIN knowledge_chunks AS kept
            ON kept.client_id = entry.client_id AND kept.entry_id = entry.id AND kept.place = 0
            AND kept.model = :model AND kept.digest = {_DIGEST}
        WHERE kept.entry_id IS NULL
          AND (entry.embedding_retry_at IS NULL OR entry.embedding_retry_at <= :now)
          AND NOT entry.client_id = ANY(CAST(:without AS text[]))
    ) AS stale
    ORDER BY turn, md5(client_id || CAST(:salt AS text)), id
    LIMIT :limit
""")  # noqa: S608 - a constant is put in, no value

# A failure of an earlier text says nothing about the current text.
_FAILED: Final = sa.text(f"""
    UPDATE knowledge_entries AS entry
    SET embedding_failures = embedding_failures + 1, embedding_retry_at = :retry_at
    WHERE client_id = :client_id AND id = :entry_id AND {_DIGEST} = :digest
""")  # noqa: S608 - a constant is put in, no value

_RECOVERED: Final = sa.text("""
    UPDATE knowledge_entries SET embedding_failures = 0, embedding_retry_at = NULL
    WHERE client_id = :client_id AND id = :entry_id AND embedding_failures > 0
""")

_FORGET: Final = sa.text(
    "DELETE FROM knowledge_chunks WHERE client_id = :client_id AND entry_id = :entry_id"
)

# If an entry was changed or deleted while its text was being embedded, its chunks are not stored.
_KEEP: Final = sa.text(f"""
    INSERT INTO knowledge_chunks (client_id, entry_id, place, model, digest, heading, sentences,
                                  embedding, sentence_embeddings, created_at)
    SELECT client_id, id, :place, :model, :digest, :heading, CAST(:sentences AS text[]),
           CAST(:vector AS vector), CAST(CAST(:vectors AS text[]) AS vector[]), :now
    FROM knowledge_entries AS entry
    WHERE client_id = :client_id AND id = :entry_id AND {_DIGEST} = :digest
""")  # noqa: S608 - a constant is put in, no value


@dataclass(frozen=True, slots=True)
class StaleEntry:
    """A knowledge entry whose current text has no embeddings. `digest`: the digest of that text.
    `failures`: the number of failed attempts to embed it."""

    client_id: str
    entry_id: str
    title: str
    body: str
    digest: bytes
    failures: int


@dataclass(frozen=True, slots=True)
class ChunkedEntry:
    """A knowledge entry to embed, split into chunks."""

    entry: StaleEntry
    chunks: tuple[Chunk, ...]

    @staticmethod
    def of(entry: StaleEntry) -> "ChunkedEntry":
        """Split an entry into chunks. Call this function without an open transaction, because it
        takes some milliseconds."""
        # An entry without body text has no sentences, but search still finds the entry by its
        # title.
        return ChunkedEntry(entry, chunks_of(entry.body) or (Chunk("", (entry.title,)),))

    @property
    def texts(self) -> tuple[str, ...]:
        """Return the texts to embed: each chunk, followed by its sentences."""
        title = self.entry.title
        return tuple(
            text for chunk in self.chunks for text in (chunk.text(title), *chunk.lines(title))
        )

    def rows(self, embeddings: Sequence[Embedding], now: datetime) -> list[dict[str, object]]:
        """Return the rows for `keep_chunks`. `embeddings`: the embeddings of `texts`, in the same
        order. Call this function without an open transaction, because formatting all of the numbers
        takes time."""
        following = iter(embeddings)
        rows: list[dict[str, object]] = []
        for place, chunk in enumerate(self.chunks):
            whole = next(following)
            sentences = [next(following) for _ in chunk.sentences]
            rows.append(
                {
                    "place": place,
                    "model": whole.model,
                    "heading": chunk.heading,
                    "sentences": list(chunk.sentences),
                    "vector": whole.literal,
                    "vectors": [sentence.literal for sentence in sentences],
                    "now": now,
                }
            )
        return rows


async def is_embedded(connection: AsyncConnection, tenant: TenantId, model: str) -> bool:
    """Return whether any of the client's knowledge entries has an embedding from the model."""
    embedded = sa.exists().where(
        knowledge_chunks.c.client_id == tenant, knowledge_chunks.c.model == model
    )
    return bool(await connection.scalar(sa.select(embedded)))


async def stale_entries(
    connection: AsyncConnection,
    model: str,
    *,
    now: datetime,
    limit: int,
    salt: str = "",
    without: Sequence[str] = (),
) -> list[StaleEntry]:
    """Return knowledge entries of all clients whose current text has no embeddings from `model`,
    alternating between the clients. Entries that failed recently are left out.

    `salt`: determines the order of the clients. `without`: ids of clients to leave out.
    """
    rows = await connection.execute(
        _STALE,
        {"model": model, "now": now, "limit": limit, "salt": salt, "without": list(without)},
    )
    return [
        StaleEntry(
            row.client_id, row.id, row.title, row.body, bytes(row.digest), row.embedding_failures
        )
        for row in rows
    ]


async def keep_chunks(
    connection: AsyncConnection, entry: StaleEntry, rows: Sequence[dict[str, object]]
) -> None:
    """Replace the stored chunks of an entry. `rows`: the result of `ChunkedEntry.rows`."""
    key = _key(entry)
    await connection.execute(_FORGET, key)
    await connection.execute(_KEEP, [{**row, **key, "digest": entry.digest} for row in rows])
    await connection.execute(_RECOVERED, key)


async def embedding_failed(
    connection: AsyncConnection, entry: StaleEntry, retry_at: datetime
) -> None:
    """Count a failed attempt to embed an entry, and set the time of the next attempt. Do nothing if
    the entry's text has changed, so that the new text is embedded without delay."""
    await connection.execute(_FAILED, {**_key(entry), "digest": entry.digest, "retry_at": retry_at})


def _key(entry: StaleEntry) -> dict[str, object]:
    return {"client_id": entry.client_id, "entry_id": entry.entry_id}
