"""An embedding: a vector that represents a text. Texts with similar meanings have similar
vectors."""

from pydantic import BaseModel, ConfigDict, Field

MAX_DIMENSIONS = 16_000


class Embedding(BaseModel):
    """A vector and the name of the model that computed it. Only embeddings of the same model and
    dimension are comparable."""

    model_config = ConfigDict(frozen=True)

    model: str
    values: tuple[float, ...] = Field(min_length=1, max_length=MAX_DIMENSIONS)

    @property
    def literal(self) -> str:
        """Return the vector as a PostgreSQL literal."""
        return str(list(self.values))
