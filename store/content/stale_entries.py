"""Find the knowledge entries whose current text has no embeddings.

The entries of all clients are scanned in windows. A window compares stored digests in indexes, so
its cost does not depend on text lengths.
"""

import hashlib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from heapq import heapify, heappop, heappush
from operator import attrgetter
from typing import Final, NamedTuple

import sqlalchemy as sa
from sqlalchemy.ext.asyncio import AsyncConnection

from domain.content.chunks import CUT

WINDOW: Final = 5_000
"""Number of entries that one statement compares."""

MOST_OF_CLIENT: Final = 200
"""Maximum number of stale entries of one client in a window."""

DIGESTS: Final = 100
"""Number of digests that one statement computes."""


def digest_of(alias: str) -> str:
    """Return the SQL for the digest of an entry's text, which equals `text_digest` in
    `domain/content/chunks.py`. `alias` is the entry's alias."""
    text = f"'{CUT}' || chr(10) || {alias}.title || chr(10) || {alias}.body"
    return f"sha256(convert_to({text}, 'UTF8'))"


DIGEST: Final = digest_of("entry")
"""The SQL for the digest of an entry's current text. The entry's alias is `entry`."""

# The subquery with LIMIT makes PostgreSQL look up one entry in an index, instead of joining all
# chunks. An entry without a stored digest is stale only if it has no chunks, because a change of
# its text deletes them.
_WINDOW: Final = sa.text("""
    WITH seen AS MATERIALIZED (
        SELECT client_id, id, digest FROM knowledge_entries
        WHERE (client_id, id) > (:client_id, :entry_id)
        ORDER BY client_id, id LIMIT :window
    ), stale AS MATERIALIZED (
        SELECT seen.client_id, seen.id FROM seen
        LEFT JOIN LATERAL (
            SELECT true AS found FROM knowledge_chunks AS kept
            WHERE kept.client_id = seen.client_id AND kept.entry_id = seen.id AND kept.place = 0
              AND kept.model = :model AND kept.digest = coalesce(seen.digest, kept.digest)
            LIMIT 1
        ) AS embedded ON true
        WHERE embedded.found IS NULL AND NOT seen.client_id = ANY(CAST(:without AS text[]))
    ), ranked AS (
        SELECT stale.client_id, stale.id, entry.embedding_failures AS failures,
               row_number() OVER (PARTITION BY stale.client_id
                                  ORDER BY entry.embedding_failures, stale.id) AS turn
        FROM stale
        CROSS JOIN LATERAL (
            SELECT embedding_failures, embedding_retry_at FROM knowledge_entries
            WHERE client_id = stale.client_id AND id = stale.id OFFSET 0
        ) AS entry
        WHERE entry.embedding_retry_at IS NULL OR entry.embedding_retry_at <= :now
    ), latest AS (
        SELECT client_id, id, (SELECT count(*) FROM seen) AS number
        FROM seen ORDER BY client_id DESC, id DESC LIMIT 1
    )
    SELECT latest.client_id AS last_client, latest.id AS last_id, latest.number,
           ranked.client_id, ranked.id, ranked.failures
    FROM latest LEFT JOIN ranked ON ranked.turn <= :most
""")

_READ: Final = sa.text(f"""
    SELECT entry.client_id, entry.id, entry.title, entry.body, {DIGEST} AS digest,
           entry.embedding_failures
    FROM unnest(CAST(:clients AS text[]), CAST(:ids AS text[]))
         WITH ORDINALITY AS wanted (client_id, id, turn)
    JOIN knowledge_entries AS entry USING (client_id, id)
    ORDER BY wanted.turn
""")  # noqa: S608 - a constant is put in, no value

# An entry that another transaction is changing is skipped. The change stores the digest.
_SET_DIGESTS: Final = sa.text(f"""
    UPDATE knowledge_entries AS entry SET digest = {DIGEST}
    FROM (
        SELECT client_id, id FROM knowledge_entries WHERE digest IS NULL
        ORDER BY client_id, id LIMIT :limit FOR NO KEY UPDATE SKIP LOCKED
    ) AS missing
    WHERE entry.client_id = missing.client_id AND entry.id = missing.id
""")  # noqa: S608 - a constant is put in, no value


class EntryKey(NamedTuple):
    """The client and the id of a knowledge entry."""

    client_id: str
    entry_id: str


FIRST_KEY: Final = EntryKey("", "")
"""The start of the scan. It sorts before the keys of all entries."""


@dataclass(frozen=True, slots=True)
class StaleKey:
    """A knowledge entry whose current text has no embeddings. `failures` is the number of failed
    attempts to embed it."""

    key: EntryKey
    failures: int


@dataclass(frozen=True, slots=True)
class StaleWindow:
    """The stale entries in one window of the scan. `last` is the key after which the next window
    starts, or None at the end of the scan."""

    stale: tuple[StaleKey, ...]
    last: EntryKey | None


@dataclass(frozen=True, slots=True)
class StaleEntry:
    """A stale knowledge entry with its current text and the digest of that text. `failures` counts
    the failed attempts to embed it."""

    client_id: str
    entry_id: str
    title: str
    body: str
    digest: bytes
    failures: int


async def stale_window(
    connection: AsyncConnection,
    model: str,
    *,
    after: EntryKey = FIRST_KEY,
    now: datetime,
    without: Sequence[str] = (),
) -> StaleWindow:
    """Return the stale entries among the next `WINDOW` entries, at most `MOST_OF_CLIENT` per
    client. Clients in `without`, and entries that failed recently, are left out."""
    found = await connection.execute(
        _WINDOW,
        {
            "model": model,
            "client_id": after.client_id,
            "entry_id": after.entry_id,
            "now": now,
            "without": list(without),
            "window": WINDOW,
            "most": MOST_OF_CLIENT,
        },
    )
    rows = found.all()
    if not rows:
        return StaleWindow((), None)
    last = EntryKey(rows[0].last_client, rows[0].last_id) if rows[0].number == WINDOW else None
    return StaleWindow(
        tuple(
            StaleKey(EntryKey(row.client_id, row.id), row.failures)
            for row in rows
            if row.id is not None
        ),
        last,
    )


def in_turns(
    stale: Iterable[StaleKey], salt: str, spent_s: Mapping[str, float]
) -> Iterator[EntryKey]:
    """Yield the keys in rotation among clients, entries with the fewest failures first.

    The next key is one of the client with the fewest seconds in `spent_s`, which the caller updates
    between two keys. `salt` determines the order of clients with equal seconds, so that none is
    always first.
    """
    by_client: dict[str, list[EntryKey]] = {}
    for one in sorted(stale, key=attrgetter("failures", "key"), reverse=True):
        by_client.setdefault(one.key.client_id, []).append(one.key)
    turns = [
        (spent_s.get(client, 0.0), 0, hashlib.sha256(f"{client} {salt}".encode()).digest(), client)
        for client in by_client
    ]
    heapify(turns)
    while turns:
        _, taken, place, client = heappop(turns)
        yield by_client[client].pop()
        if by_client[client]:
            heappush(turns, (spent_s.get(client, 0.0), taken + 1, place, client))


async def read_entries(
    connection: AsyncConnection, keys: Sequence[EntryKey]
) -> tuple[StaleEntry, ...]:
    """Return the current texts of these entries, in the same order. Deleted entries are left
    out."""
    rows = await connection.execute(
        _READ, {"clients": [one.client_id for one in keys], "ids": [one.entry_id for one in keys]}
    )
    return tuple(
        StaleEntry(
            row.client_id, row.id, row.title, row.body, bytes(row.digest), row.embedding_failures
        )
        for row in rows
    )


async def set_digests(connection: AsyncConnection) -> int:
    """Store the digests of up to `DIGESTS` entries without a stored digest, which an earlier
    version wrote. Return their number."""
    done = await connection.execute(_SET_DIGESTS, {"limit": DIGESTS})
    return done.rowcount
