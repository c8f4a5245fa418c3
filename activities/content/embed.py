"""The activity that computes embeddings for the semantic search of knowledge entries."""

import asyncio
from collections import Counter
from datetime import timedelta
from typing import Final

import structlog
from temporalio import activity

from domain.agent.embedding import Embedding
from domain.agent.errors import EmbeddingUnavailable
from domain.agent.ports import Embedder
from domain.core import names
from domain.core.ports import Clock
from domain.runs.contracts import SweepInput, SweepResult
from store.content.knowledge_chunks import (
    ChunkedEntry,
    StaleEntry,
    embedding_failed,
    keep_chunks,
    stale_entries,
)
from store.core.database import Database

PAGE: Final = 64
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
MAX_CLIENT_FAILURES: Final = 3
"""Number of failures after which the sweep skips a client's remaining entries."""

# A text that every provider accepts. If it cannot be embedded, the provider is down.
_PROBE: Final = "Hello"

_log = structlog.get_logger(__name__)


class Embed:
    def __init__(self, database: Database, embedder: Embedder | None, now: Clock) -> None:
        self._database = database
        self._embedder = embedder
        self._now = now

    @activity.defn(name=names.SWEEP_KNOWLEDGE)
    async def embed(self, step: SweepInput) -> SweepResult:
        """Chunk and embed new and changed knowledge entries, alternating between the clients.

        Idempotency key: the entry, the digest of its text, and the model. A failure is logged and
        recorded with the entry, and a later sweep retries the entry. Until then, keyword search
        finds the entry. If the provider is down, this sweep stops, and the next sweep continues.
        """
        embedder = self._embedder
        if embedder is None or embedder.model != step.embedding_model:
            return SweepResult(picked_up=0)  # The sweep was started for another model.
        started, embedded, pages = self._now(), 0, 0
        failures = Counter[str]()  # By client.
        while page := await self._page(embedder, f"{started} {pages}", failures):
            pages += 1
            for entry in page:
                if failures[entry.client_id] >= MAX_CLIENT_FAILURES:
                    continue
                if self._now() - started > STARTING:
                    return SweepResult(picked_up=embedded, failed=failures.total())
                if await self._embed(embedder, entry):
                    embedded += 1
                    continue
                failures[entry.client_id] += 1
                if await _is_down(embedder):
                    return SweepResult(picked_up=embedded, failed=failures.total())
                await self._retry_later(entry)
        return SweepResult(picked_up=embedded, failed=failures.total())

    async def _page(
        self, embedder: Embedder, salt: str, failures: Counter[str]
    ) -> list[StaleEntry]:
        """Return the next entries, except those of clients with too many failures. Each page orders
        the clients differently, so that all are served equally even if one page cannot hold them
        all."""
        without = [client for client, count in failures.items() if count >= MAX_CLIENT_FAILURES]
        async with self._database.service() as connection:
            return await stale_entries(
                connection,
                embedder.model,
                now=self._now(),
                limit=PAGE,
                salt=salt,
                without=without,
            )

    async def _embed(self, embedder: Embedder, entry: StaleEntry) -> bool:
        """Embed an entry. Return whether its chunks were stored. No transaction is open while the
        entry is split and its embeddings are computed."""
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
