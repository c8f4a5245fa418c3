"""The embedding: a vector of a text, close to the vectors of texts with the same meaning."""

from pydantic import BaseModel, ConfigDict, Field

MAX_DIMENSIONS = 16_000


class Embedding(BaseModel):
    """`model`: its model; embeddings of different models or lengths cannot be compared."""

    model_config = ConfigDict(frozen=True)

    model: str
    values: tuple[float, ...] = Field(min_length=1, max_length=MAX_DIMENSIONS)

    @property
    def literal(self) -> str:
        """Return the vector as a PostgreSQL literal."""
        return str(list(self.values))
