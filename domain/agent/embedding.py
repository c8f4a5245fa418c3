"""The embedding: a text as a point, so that texts which mean the same lie near one another."""

from pydantic import BaseModel, ConfigDict, Field

MAX_DIMENSIONS = 16_000


class Embedding(BaseModel):
    """`model` made it; embeddings of different models, or lengths, cannot be compared."""

    model_config = ConfigDict(frozen=True)

    model: str
    values: tuple[float, ...] = Field(min_length=1, max_length=MAX_DIMENSIONS)

    @property
    def literal(self) -> str:
        """The vector as PostgreSQL reads it."""
        return str(list(self.values))
