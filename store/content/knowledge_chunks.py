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

_STALE: Final = sa.text(f"""
    SELECT entry.client_id, entry.id, entry.title, entry.body, {_DIGEST} AS digest
    FROM knowledge_entries AS entry
    LEFT JOIN knowledge_chunks AS kept
        ON kept.client_id = entry.client_id AND kept.entry_id = entry.id AND kept.place = 0
        AND kept.model = :model AND kept.digest = {_DIGEST}
    WHERE kept.entry_id IS NULL AND (entry.client_id, entry.id) > (:client_id, :entry_id)
    ORDER BY entry.client_id, entry.id
    LIMIT :limit
""")  # noqa: S608 - a constant is put in, no value

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
    """A knowledge entry whose current text has no embeddings. `digest`: the digest of that text."""

    client_id: str
    entry_id: str
    title: str
    chunks: tuple[Chunk, ...]
    digest: bytes

    @property
    def texts(self) -> tuple[str, ...]:
        """Return the texts to embed: each chunk, followed by its sentences."""
        return tuple(
            text
            for chunk in self.chunks
            for text in (chunk.text(self.title), *chunk.lines(self.title))
        )


async def is_embedded(connection: AsyncConnection, tenant: TenantId, model: str) -> bool:
    """Return whether any of the client's knowledge entries has an embedding from the model."""
    embedded = sa.exists().where(
        knowledge_chunks.c.client_id == tenant, knowledge_chunks.c.model == model
    )
    return bool(await connection.scalar(sa.select(embedded)))


async def stale_entries(
    connection: AsyncConnection, model: str, *, after: StaleEntry | None, limit: int
) -> list[StaleEntry]:
    """Return a page of knowledge entries, across all clients, whose current text has no embeddings
    from `model`. `after`: the last entry on the previous page."""
    rows = await connection.execute(
        _STALE,
        {
            "model": model,
            "client_id": after.client_id if after else "",
            "entry_id": after.entry_id if after else "",
            "limit": limit,
        },
    )
    return [
        # An entry without body text has no sentences, but search still finds the entry by its
        # title.
        StaleEntry(
            row.client_id,
            row.id,
            row.title,
            chunks_of(row.body) or (Chunk("", (row.title,)),),
            bytes(row.digest),
        )
        for row in rows
    ]


async def keep_chunks(
    connection: AsyncConnection,
    entry: StaleEntry,
    embeddings: Sequence[Embedding],
    now: datetime,
) -> None:
    """Replace the stored chunks of an entry. `embeddings`: the embeddings of `entry.texts`, in the
    same order."""
    key = {"client_id": entry.client_id, "entry_id": entry.entry_id}
    await connection.execute(_FORGET, key)
    following = iter(embeddings)
    rows = []
    for place, chunk in enumerate(entry.chunks):
        whole = next(following)
        sentences = [next(following) for _ in chunk.sentences]
        rows.append(
            {
                **key,
                "place": place,
                "model": whole.model,
                "digest": entry.digest,
                "heading": chunk.heading,
                "sentences": list(chunk.sentences),
                "vector": whole.literal,
                "vectors": [sentence.literal for sentence in sentences],
                "now": now,
            }
        )
    await connection.execute(_KEEP, rows)
