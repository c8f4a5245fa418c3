"""The embeddings of labelled examples with an answer. They find examples for a language model."""

from dataclasses import dataclass
from typing import Final

import sqlalchemy as sa
from sqlalchemy.ext.asyncio import AsyncConnection

from domain.agent.embedding import Embedding
from domain.learning.answer_examples import QUESTION_CHARS

# Clients take turns, so that one client's many examples do not delay those of the others.
_STALE: Final = sa.text("""
    SELECT client_id, id, left(text, :chars) AS text
    FROM labelled_examples
    WHERE answer <> '' AND embedding_model IS DISTINCT FROM :model
    ORDER BY row_number() OVER (PARTITION BY client_id ORDER BY id DESC), client_id
    LIMIT :limit
""")

# An example that was accepted again meanwhile has another text, which a later sweep embeds.
_KEEP: Final = sa.text("""
    UPDATE labelled_examples
    SET embedding = CAST(CAST(:vector AS text) AS vector), embedding_model = :model
    WHERE client_id = :client_id AND id = :id AND left(text, :chars) = :text
""")


@dataclass(frozen=True, slots=True)
class StaleExample:
    """A labelled example without an embedding from the model in use."""

    client_id: str
    id: str
    text: str


async def stale_examples(
    connection: AsyncConnection, model: str, limit: int
) -> tuple[StaleExample, ...]:
    """Return examples of all clients without an embedding from the model."""
    values = {"model": model, "limit": limit, "chars": QUESTION_CHARS}
    rows = await connection.execute(_STALE, values)
    return tuple(StaleExample(row.client_id, row.id, row.text) for row in rows)


async def keep_example_embedding(
    connection: AsyncConnection, example: StaleExample, model: str, embedding: Embedding | None
) -> None:
    """Store the embedding of an example. None marks a text that the model cannot embed: it is not
    tried again, and is compared by its words."""
    await connection.execute(
        _KEEP,
        {
            "client_id": example.client_id,
            "id": example.id,
            "text": example.text,
            "chars": QUESTION_CHARS,
            "model": model,
            "vector": embedding.literal if embedding else None,
        },
    )
