"""The chunks of knowledge entries with their embeddings."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Final

import sqlalchemy as sa
from sqlalchemy.ext.asyncio import AsyncConnection

from domain.agent.embedding import Embedding
from domain.content.chunks import Chunk, chunks_of
from domain.core.ids import TenantId
from store.content.stale_entries import DIGEST, StaleEntry
from store.content.tables import knowledge_chunks

# A failure of an earlier text says nothing about the current text.
_FAILED: Final = sa.text(f"""
    UPDATE knowledge_entries AS entry
    SET embedding_failures = embedding_failures + 1, embedding_retry_at = :retry_at
    WHERE client_id = :client_id AND id = :entry_id AND {DIGEST} = :digest
""")  # noqa: S608 - a constant is put in, no value

# The lock keeps the text until the chunks are stored.
_LOCK: Final = sa.text(f"""
    SELECT digest, embedding_failures FROM knowledge_entries AS entry
    WHERE client_id = :client_id AND id = :entry_id AND {DIGEST} = :digest FOR NO KEY UPDATE
""")  # noqa: S608 - a constant is put in, no value

_IS_EMBEDDED: Final = sa.select(
    sa.exists().where(
        knowledge_chunks.c.client_id == sa.bindparam("client_id"),
        knowledge_chunks.c.model == sa.bindparam("model"),
    )
)

_EMBEDDED: Final = sa.text("""
    UPDATE knowledge_entries
    SET digest = :digest, embedding_failures = 0, embedding_retry_at = NULL
    WHERE client_id = :client_id AND id = :entry_id
""")

_FORGET: Final = sa.text(
    "DELETE FROM knowledge_chunks WHERE client_id = :client_id AND entry_id = :entry_id"
)

_KEEP: Final = sa.text("""
    INSERT INTO knowledge_chunks (client_id, entry_id, place, model, digest, heading, sentences,
                                  embedding, sentence_embeddings, created_at)
    VALUES (:client_id, :entry_id, :place, :model, :digest, :heading, CAST(:sentences AS text[]),
            CAST(:vector AS vector), CAST(CAST(:vectors AS text[]) AS vector[]), :now)
""")


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
        """Return the rows for `keep_chunks`. `embeddings` are those of `texts`, in order.
        Formatting the numbers is slow, so no transaction should be open."""
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
    return bool(await connection.scalar(_IS_EMBEDDED, {"client_id": tenant, "model": model}))


async def keep_chunks(
    connection: AsyncConnection, entry: StaleEntry, rows: Sequence[dict[str, object]]
) -> None:
    """Replace the stored chunks of an entry with the result of `ChunkedEntry.rows`. Do nothing if
    the entry has changed since it was embedded."""
    values = {**_key(entry), "digest": entry.digest}
    there = (await connection.execute(_LOCK, values)).one_or_none()
    if there is None:
        return
    await connection.execute(_FORGET, _key(entry))
    await connection.execute(_KEEP, [{**row, **values} for row in rows])
    if there.digest is None or bytes(there.digest) != entry.digest or there.embedding_failures:
        await connection.execute(_EMBEDDED, values)


async def embedding_failed(
    connection: AsyncConnection, entry: StaleEntry, retry_at: datetime
) -> None:
    """Count a failed attempt to embed an entry, and set the time of the next attempt. Do nothing if
    the entry's text has changed, so that the new text is embedded without delay."""
    await connection.execute(_FAILED, {**_key(entry), "digest": entry.digest, "retry_at": retry_at})


def _key(entry: StaleEntry) -> dict[str, object]:
    return {"client_id": entry.client_id, "entry_id": entry.entry_id}
