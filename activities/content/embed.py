"""The activity that computes embeddings for the semantic search of knowledge entries."""

from typing import Final

import structlog
from temporalio import activity

from domain.agent.errors import EmbeddingUnavailable
from domain.agent.ports import Embedder
from domain.core import names
from domain.core.ports import Clock
from domain.runs.contracts import SweepInput, SweepResult
from store.content.knowledge_chunks import StaleEntry, keep_chunks, stale_entries
from store.core.database import Database

PAGE: Final = 64
# The sweep stops after this many consecutive failures. A single failure may be due to a text that
# the provider rejects. Several in a row suggest that the provider is down. Each further attempt
# would take seconds.
_MAX_FAILURES: Final = 3

_log = structlog.get_logger(__name__)


class Embed:
    def __init__(self, database: Database, embedder: Embedder | None, now: Clock) -> None:
        self._database = database
        self._embedder = embedder
        self._now = now

    @activity.defn(name=names.SWEEP_KNOWLEDGE)
    async def embed(self, step: SweepInput) -> SweepResult:
        """Chunk and embed new and changed knowledge entries, page by page.

        Idempotency key: the entry, the digest of its text, and the model. A failure is logged, and
        the next sweep retries the entry. Until then, keyword search finds the entry.
        """
        embedder = self._embedder
        if embedder is None or embedder.model != step.embedding_model:
            return SweepResult(picked_up=0)  # The sweep was started for another model.
        embedded, failed, failures, last = 0, 0, 0, None
        while failures < _MAX_FAILURES:
            async with self._database.service() as connection:
                page = await stale_entries(connection, embedder.model, after=last, limit=PAGE)
            if not page:
                break
            last = page[-1]
            for entry in page:
                if await self._embed(embedder, entry):
                    embedded += 1
                    failures = 0
                else:
                    failed += 1
                    failures += 1
                activity.heartbeat()
                if failures >= _MAX_FAILURES:
                    break
        return SweepResult(picked_up=embedded, failed=failed)

    async def _embed(self, embedder: Embedder, entry: StaleEntry) -> bool:
        """Embed an entry. Return whether its chunks were stored. No transaction is open while the
        embeddings are computed."""
        try:
            embeddings = await embedder.embed(entry.texts)
        except EmbeddingUnavailable:
            _log.warning("failed to embed knowledge", client_id=entry.client_id)
            return False
        async with self._database.service() as connection:
            await keep_chunks(connection, entry, embeddings, self._now())
        return True
