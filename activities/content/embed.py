"""The activity that computes embeddings for the semantic search of knowledge entries."""

import asyncio
from collections import Counter
from collections.abc import Collection
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Final

import structlog
from temporalio import activity

from domain.agent.embedding import Embedding
from domain.agent.errors import EmbeddingUnavailable
from domain.agent.ports import Embedder
from domain.core import names
from domain.core.ports import Clock
from domain.runs.contracts import SweepInput, SweepResult
from store.content.knowledge_chunks import ChunkedEntry, embedding_failed, keep_chunks
from store.content.stale_entries import (
    FIRST_KEY,
    EntryKey,
    StaleEntry,
    StaleKey,
    in_turns,
    read_entries,
    set_digests,
    stale_window,
)
from store.core.database import Database
from store.learning.example_embeddings import keep_example_embedding, stale_examples

FOUND: Final = 20_000
"""Number of stale entries after which the scan stops, until these entries are embedded."""

BATCH: Final = 32
"""Number of texts that are embedded in one call. The activity sends a heartbeat after each call."""

FIRST_RETRY: Final = timedelta(minutes=5)
"""Delay before the second attempt to embed an entry."""

LAST_RETRY: Final = timedelta(days=1)
# The delay before the next attempt doubles with each failure of an entry, up to LAST_RETRY.
_MOST_DOUBLINGS: Final = 9

# No entry is started once STARTING has passed, and each entry takes at most ENTRY_S. The sum of
# both times is less than the activity's timeout (`SWEEPING` in `workflows/options.py`).
STARTING: Final = timedelta(seconds=60)
ENTRY_S: Final = 40.0
EXAMPLE_S: Final = 5.0
"""Maximum time to embed a labelled example, in seconds. A slow provider ends the sweep."""

MAX_CLIENT_FAILURES: Final = 3
"""Number of failures after which the sweep skips a client's remaining entries."""

# The fraction of a client's seconds that counts in the next sweep.
_CARRIED: Final = 0.5

# A text that every provider accepts. If it cannot be embedded, the provider is down.
_PROBE: Final = "Hello"

_log = structlog.get_logger(__name__)


@dataclass(slots=True)
class _Sweep:
    """The progress of one sweep. `failures` are the failed entries of each client."""

    embedder: Embedder
    started: datetime
    embedded: int = 0
    failures: Counter[str] = field(default_factory=Counter)

    def is_over(self, now: datetime) -> bool:
        return now - self.started > STARTING

    def skips(self, client_id: str) -> bool:
        return self.failures[client_id] >= MAX_CLIENT_FAILURES

    @property
    def skipped(self) -> list[str]:
        return [client for client in self.failures if self.skips(client)]


class Embed:
    def __init__(self, database: Database, embedder: Embedder | None, now: Clock) -> None:
        self._database = database
        self._embedder = embedder
        self._now = now
        # The seconds that recent sweeps spent on each client. Clients with fewer seconds go first,
        # so that expensive entries delay mostly the entries of their own client.
        self._spent_s: dict[str, float] = {}
        # The scan continues after this entry. The next sweep resumes it, so that the clients at the
        # end are served even if no sweep scans the entries of all clients.
        self._scanned = FIRST_KEY

    @activity.defn(name=names.SWEEP_KNOWLEDGE)
    async def embed(self, step: SweepInput) -> SweepResult:
        """Chunk and embed new and changed knowledge entries. The clients' shares of the time are
        equal.

        Idempotency key: the entry, the digest of its text, and the model. A failed entry is logged
        for a later sweep, and keyword search still finds it. If the provider is down, the next
        sweep continues.
        """
        embedder = self._embedder
        if embedder is None or embedder.model != step.embedding_model:
            return SweepResult(picked_up=0)  # The sweep was started for another model.
        sweep = _Sweep(embedder, self._now())
        self._spent_s = {
            client: seconds * _CARRIED for client, seconds in self._spent_s.items() if seconds > 1
        }
        if await self._embed_stale(sweep):
            await self._set_digests(sweep)
            await self._embed_examples(embedder)
        return SweepResult(picked_up=sweep.embedded, failed=sweep.failures.total())

    async def _embed_stale(self, sweep: _Sweep) -> bool:
        """Embed stale entries until none are left. Return False if the time is up or the provider
        is down."""
        while stale := await self._stale(sweep):
            for key in in_turns(stale, str(sweep.started), self._spent_s):
                if sweep.skips(key.client_id):
                    continue
                began = self._now()
                if sweep.is_over(began):
                    return False
                is_up = await self._embed_one(sweep, key)
                spent_s = (self._now() - began).total_seconds()
                self._spent_s[key.client_id] = self._spent_s.get(key.client_id, 0.0) + spent_s
                if not is_up:
                    return False
        return not sweep.is_over(self._now())

    async def _embed_one(self, sweep: _Sweep, key: EntryKey) -> bool:
        """Embed an entry, unless it was deleted. Return False if the provider is down."""
        entry = await self._read(key)
        if entry is None:
            return True
        if await self._embed(sweep.embedder, entry):
            sweep.embedded += 1
            return True
        sweep.failures[entry.client_id] += 1
        if await _is_down(sweep.embedder):
            return False
        await self._retry_later(entry)
        return True

    async def _stale(self, sweep: _Sweep) -> Collection[StaleKey]:
        """Continue the scan until it has found `FOUND` stale entries, or has passed all entries.
        Entries of clients with too many failures are left out."""
        found: dict[EntryKey, StaleKey] = {}
        passes = 1 if self._scanned == FIRST_KEY else 2
        while passes and len(found) < FOUND and not sweep.is_over(self._now()):
            async with self._database.service() as connection:
                window = await stale_window(
                    connection,
                    sweep.embedder.model,
                    after=self._scanned,
                    now=self._now(),
                    without=sweep.skipped,
                )
            activity.heartbeat()
            found |= {one.key: one for one in window.stale}
            self._scanned = window.last or FIRST_KEY
            passes -= window.last is None
        return found.values()

    async def _read(self, key: EntryKey) -> StaleEntry | None:
        async with self._database.service() as connection:
            return next(iter(await read_entries(connection, (key,))), None)

    async def _set_digests(self, sweep: _Sweep) -> None:
        """Store missing digests, a few in each transaction."""
        is_done = False
        while not is_done and not sweep.is_over(self._now()):
            async with self._database.service() as connection:
                is_done = not await set_digests(connection)
            activity.heartbeat()

    async def _embed_examples(self, embedder: Embedder) -> None:
        """Embed the questions of some labelled examples. Words find the other examples until a
        later sweep."""
        model = embedder.model
        async with self._database.service() as connection:
            stale = await stale_examples(connection, model, BATCH)
        if not stale or await _is_down(embedder):
            return
        for example in stale:
            try:
                async with asyncio.timeout(EXAMPLE_S):
                    embedding = next(iter(await embedder.embed((example.text,))))
            except EmbeddingUnavailable:
                if await _is_down(embedder):
                    return
                embedding = None
            except TimeoutError:
                return
            async with self._database.service() as connection:
                await keep_example_embedding(connection, example, model, embedding)
            activity.heartbeat()

    async def _embed(self, embedder: Embedder, entry: StaleEntry) -> bool:
        """Embed an entry. Return whether its chunks were stored. No transaction is open
        meanwhile."""
        chunked = await asyncio.to_thread(ChunkedEntry.of, entry)
        try:
            async with asyncio.timeout(ENTRY_S):
                embeddings = await _embeddings(embedder, chunked.texts)
        except (EmbeddingUnavailable, TimeoutError) as error:
            _log.warning(
                "failed to embed knowledge",
                client_id=entry.client_id,
                knowledge_id=entry.entry_id,
                error=type(error).__name__,
            )
            return False
        rows = await asyncio.to_thread(chunked.rows, embeddings, self._now())
        async with self._database.service() as connection:
            await keep_chunks(connection, entry, rows)
        return True

    async def _retry_later(self, entry: StaleEntry) -> None:
        doublings = min(entry.failures, _MOST_DOUBLINGS)
        retry_at = self._now() + min(FIRST_RETRY * 2**doublings, LAST_RETRY)
        async with self._database.service() as connection:
            await embedding_failed(connection, entry, retry_at)


async def _embeddings(embedder: Embedder, texts: tuple[str, ...]) -> list[Embedding]:
    """Return one embedding per text, in order. Raises EmbeddingUnavailable."""
    found: list[Embedding] = []
    for start in range(0, len(texts), BATCH):
        found += await embedder.embed(texts[start : start + BATCH])
        activity.heartbeat()
    return found


async def _is_down(embedder: Embedder) -> bool:
    """Return True if the provider fails even for a text that every provider accepts."""
    try:
        await embedder.embed((_PROBE,))
    except EmbeddingUnavailable:
        return True
    finally:
        activity.heartbeat()
    return False
