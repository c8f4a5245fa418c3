"""What the agent needs from outside."""

from typing import Protocol

from domain.agent.embedding import Embedding


class Embedder(Protocol):
    """Whoever turns texts into embeddings."""

    @property
    def model(self) -> str:
        """What the embeddings are of: only those of one model can be compared."""

    async def embed(self, texts: tuple[str, ...]) -> tuple[Embedding, ...]:
        """One embedding a text, in their order. Raises EmbeddingUnavailable."""

    async def near(self, text: str) -> Embedding | None:
        """That of a question. None if there is none in time: then it is found by words alone."""
