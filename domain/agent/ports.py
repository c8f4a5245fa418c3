"""What the agent needs from outside."""

from collections.abc import Sequence
from typing import Protocol

from domain.agent.embedding import Embedding
from domain.agent.safety.sensitive import SensitiveMatter


class SafetyNet(Protocol):
    """Whoever finds what must always reach a human."""

    def matter(self, text: str, own_words: Sequence[str] = ()) -> SensitiveMatter | None:
        """The matter that takes a text to a human; None for what the agent may answer.

        `own_words`: the merchant's, whole words or phrases.
        """


class Embedder(Protocol):
    """Whoever turns texts into embeddings."""

    @property
    def model(self) -> str:
        """What the embeddings are of: only those of one model can be compared."""

    async def embed(self, texts: tuple[str, ...]) -> tuple[Embedding, ...]:
        """One embedding a text, in their order. Raises EmbeddingUnavailable."""

    async def near(self, text: str) -> Embedding | None:
        """That of a question. None if there is none in time: then it is found by words alone."""
