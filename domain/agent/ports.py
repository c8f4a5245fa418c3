"""Ports of the agent: interfaces that adapters implement."""

from collections.abc import Sequence
from typing import Protocol

from domain.agent.embedding import Embedding
from domain.agent.safety.sensitive import SensitiveMatter


class SafetyNet(Protocol):
    """Detects sensitive topics, which always go to a human."""

    def matter(self, text: str, own_words: Sequence[str] = ()) -> SensitiveMatter | None:
        """Return the sensitive topic for which a text must go to a human, or None if the agent may
        answer the text.

        `own_words`: the merchant's own sensitive words, as whole words or phrases.
        """


class Embedder(Protocol):
    """The port of an embedding model, which computes embeddings of texts."""

    @property
    def model(self) -> str:
        """The name of the embedding model. Only embeddings of the same model are comparable."""

    async def embed(self, texts: tuple[str, ...]) -> tuple[Embedding, ...]:
        """Return one embedding per text, in order. Raises EmbeddingUnavailable."""

    async def near(self, text: str) -> Embedding | None:
        """Return the embedding of a question, or None if computing it takes too long; the search
        then uses words alone."""
