"""Which knowledge entries have no embedding yet, or one of another model or of an older text."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Final

import sqlalchemy as sa
from sqlalchemy.ext.asyncio import AsyncConnection

from domain.agent.embedding import Embedding, text_of

# The digest is that of `text_of`.
_DIGEST: Final = "sha256(convert_to(entry.title || chr(10) || entry.body, 'UTF8'))"

_STALE: Final = sa.text(f"""
    SELECT entry.client_id, entry.id, entry.title, entry.body, {_DIGEST} AS digest
    FROM knowledge_entries AS entry
    LEFT JOIN knowledge_embeddings AS kept
        ON kept.client_id = entry.client_id AND kept.entry_id = entry.id
        AND kept.model = :model AND kept.digest = {_DIGEST}
    WHERE kept.entry_id IS NULL AND (entry.client_id, entry.id) > (:client_id, :entry_id)
    ORDER BY entry.client_id, entry.id
    LIMIT :limit
""")  # noqa: S608 - a constant is put in, no value

# An entry that was deleted meanwhile stays without.
_KEEP: Final = sa.text("""
    INSERT INTO knowledge_embeddings (client_id, entry_id, model, digest, embedding, created_at)
    SELECT client_id, id, :model, :digest, CAST(:vector AS vector), :now
    FROM knowledge_entries WHERE client_id = :client_id AND id = :entry_id
    ON CONFLICT (client_id, entry_id) DO UPDATE SET
        model = excluded.model, digest = excluded.digest, embedding = excluded.embedding,
        created_at = excluded.created_at
""")


@dataclass(frozen=True, slots=True)
class StaleEntry:
    """`digest`: of the title and body that are to be embedded."""

    client_id: str
    entry_id: str
    text: str
    digest: bytes


async def stale_entries(
    connection: AsyncConnection, model: str, *, after: StaleEntry | None, limit: int
) -> list[StaleEntry]:
    """A page of all clients' entries that `model` has not embedded as they are now."""
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
        StaleEntry(row.client_id, row.id, text_of(row.title, row.body), bytes(row.digest))
        for row in rows
    ]


async def keep_embeddings(
    connection: AsyncConnection,
    entries: Sequence[StaleEntry],
    embeddings: Sequence[Embedding],
    now: datetime,
) -> None:
    """Keep the embedding of each entry, in place of an older one."""
    await connection.execute(
        _KEEP,
        [
            {
                "client_id": entry.client_id,
                "entry_id": entry.entry_id,
                "model": embedding.model,
                "digest": entry.digest,
                "vector": str(list(embedding.values)),
                "now": now,
            }
            for entry, embedding in zip(entries, embeddings, strict=True)
        ],
    )
