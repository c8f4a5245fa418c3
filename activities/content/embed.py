"""Embed: knowledge entries get the embeddings by which they are found."""

from typing import Final

import structlog
from temporalio import activity

from domain.agent.errors import EmbeddingUnavailable
from domain.agent.ports import Embedder
from domain.core import names
from domain.core.ports import Clock
from domain.runs.contracts import SweepInput, SweepResult
from store.content.knowledge_embeddings import keep_embeddings, stale_entries
from store.core.database import Database

BATCH: Final = 64
# In a row. A page may hold a text that the provider does not take; when it is away, each page takes
# seconds.
_MAX_FAILURES: Final = 3

_log = structlog.get_logger(__name__)


class Embed:
    def __init__(self, database: Database, embedder: Embedder | None, now: Clock) -> None:
        self._database = database
        self._embedder = embedder
        self._now = now

    @activity.defn(name=names.SWEEP_KNOWLEDGE)
    async def embed(self, step: SweepInput) -> SweepResult:
        """Embed the entries that are new or changed, page by page.

        Idempotency key: the entry, its text's digest and the model. What fails is logged and tried
        again by the next sweep; entries without an embedding are found by their words.
        """
        embedder = self._embedder
        if embedder is None or embedder.model != step.embedding_model:
            return SweepResult(picked_up=0)  # a worker that is configured otherwise
        embedded, failed, failures, last = 0, 0, 0, None
        while failures < _MAX_FAILURES:
            async with self._database.service() as connection:
                page = await stale_entries(connection, embedder.model, after=last, limit=BATCH)
            if not page:
                break
            last = page[-1]
            try:
                embeddings = await embedder.embed(tuple(entry.text for entry in page))
            except EmbeddingUnavailable:
                failures += 1
                failed += len(page)
                _log.warning("knowledge is not embedded", entries=len(page))
            else:
                async with self._database.service() as connection:
                    await keep_embeddings(connection, page, embeddings, self._now())
                embedded += len(page)
                failures = 0
            activity.heartbeat()
        return SweepResult(picked_up=embedded, failed=failed)
