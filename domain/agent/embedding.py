"""An embedding: a vector that represents a text. Texts with similar meanings have similar
vectors."""

from pydantic import BaseModel, ConfigDict, Field

MAX_DIMENSIONS = 16_000


class Embedding(BaseModel):
    """A vector computed by an embedding model. `model`: the model's name. Embeddings from different
    models or with different dimensions are not comparable."""

    model_config = ConfigDict(frozen=True)

    model: str
    values: tuple[float, ...] = Field(min_length=1, max_length=MAX_DIMENSIONS)

    @property
    def literal(self) -> str:
        """Return the vector as a PostgreSQL literal."""
        return str(list(self.values))
