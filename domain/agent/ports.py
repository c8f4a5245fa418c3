"""Ports of the agent: interfaces that adapters implement."""

from collections.abc import Sequence
from typing import Protocol

from domain.agent.embedding import Embedding
from domain.agent.safety.sensitive import SensitiveMatter
from domain.core.ids import TenantId


class SafetyNet(Protocol):
    """A detector of sensitive topics. A message about a sensitive topic always goes to a human."""

    def matter(self, text: str, own_words: Sequence[str] = ()) -> SensitiveMatter | None:
        """Return the sensitive topic that requires a human to answer the text, or None if the agent
        may answer it.

        `own_words` are the merchant's own sensitive words, as whole words or phrases.
        """


class Embedder(Protocol):
    """The port for an embedding model, which computes embeddings of texts."""

    @property
    def model(self) -> str:
        """The name of the embedding model. Only embeddings from the same model are comparable."""

    async def embed(self, texts: tuple[str, ...]) -> tuple[Embedding, ...]:
        """Return one embedding per text, in order. Raises EmbeddingUnavailable."""

    async def near(self, tenant: TenantId, text: str, *, live: bool) -> Embedding | None:
        """Return the embedding of a client's question, or None if it takes too long. The search
        then uses only keywords. If `live` is true, a customer is waiting for the answer."""
