"""The labelled examples of one client."""

from collections.abc import Sequence
from typing import Final

import sqlalchemy as sa
from sqlalchemy.dialects.postgresql import insert

from domain.agent.embedding import Embedding
from domain.learning.answer_examples import QUESTION_CHARS, ExampleQuestion
from domain.learning.errors import ExampleNotFound, TooManyExamples
from domain.learning.labelled_example import MAX_EXAMPLES, LabelledExample
from store.core.repository import TenantRepository, owner_of
from store.learning.tables import labelled_examples
from store.tenants.accounts import AccountRepository

CONSIDERED: Final = 200
"""Maximum number of examples that are compared with a message."""

_TABLE: Final = labelled_examples.c

_QUESTIONS: Final = sa.text("""
    SELECT id, left(text, :chars) AS text,
           CASE WHEN embedding_model = CAST(:model AS text)
                     AND vector_dims(embedding) = CAST(:dimensions AS integer)
                THEN embedding <=> CAST(CAST(:vector AS text) AS vector) END AS distance
    FROM labelled_examples
    WHERE client_id = :client_id AND answer <> ''
    ORDER BY distance NULLS LAST, id DESC
    LIMIT :limit
""")


class LabelledExampleRepository(TenantRepository):
    async def put(self, example: LabelledExample) -> None:
        """Store a labelled example, replacing any previous one of the same run. Locks the account
        to enforce the limit.

        Raises TooManyExamples, and ClientNotFound during an erasure.
        """
        await AccountRepository(self._connection, self._tenant).lock()
        kept = await self._connection.scalar(
            sa.select(sa.func.count()).where(_TABLE.client_id == self._tenant)
        )
        if kept is not None and kept >= MAX_EXAMPLES:
            raise TooManyExamples(MAX_EXAMPLES)
        values = example.model_dump(mode="json", exclude={"created_at"})
        values["created_at"] = example.created_at
        # The embedding of an earlier text does not belong to the new text.
        values |= {"embedding": None, "embedding_model": None}
        await self._connection.execute(
            insert(labelled_examples)
            .values(client_id=self._tenant, **values)
            .on_conflict_do_update(index_elements=["client_id", "run_id"], set_=values)
        )

    async def page(self, *, after: str | None, limit: int) -> tuple[LabelledExample, ...]:
        """Return a page of labelled examples, oldest first. `after` is the last id of the previous
        page."""
        rows = await self._connection.execute(
            sa.select(labelled_examples)
            .where(_TABLE.client_id == self._tenant, _TABLE.id > (after or ""))
            .order_by(_TABLE.id)
            .limit(limit)
        )
        return tuple(LabelledExample.model_validate(row, from_attributes=True) for row in rows)

    async def questions(self, near: Embedding | None) -> tuple[ExampleQuestion, ...]:
        """Return the questions of examples with an answer: those nearest to `near` first, then the
        latest without an embedding of the same model."""
        values: dict[str, object] = {
            "client_id": self._tenant,
            "chars": QUESTION_CHARS,
            "limit": CONSIDERED,
            "vector": near.literal if near else None,
            "model": near.model if near else None,
            "dimensions": len(near.values) if near else 0,
        }
        rows = await self._connection.execute(_QUESTIONS, values)
        return tuple(ExampleQuestion(row.id, row.text, row.distance) for row in rows)

    async def answers(self, example_ids: Sequence[str]) -> tuple[tuple[str, str], ...]:
        """Return the question and the answer of each example, in the order of the ids."""
        rows = await self._connection.execute(
            sa.select(_TABLE.id, _TABLE.text, _TABLE.answer).where(
                _TABLE.client_id == self._tenant, _TABLE.id.in_(example_ids)
            )
        )
        found = {row.id: (row.text, row.answer or "") for row in rows}
        return tuple(found[one] for one in example_ids if one in found)

    async def delete(self, example_id: str) -> None:
        """Delete a labelled example. Raises ExampleNotFound."""
        gone = await self._connection.execute(
            sa.delete(labelled_examples).where(
                _TABLE.client_id == self._tenant, _TABLE.id == example_id
            )
        )
        if gone.rowcount == 0:
            raise ExampleNotFound(example_id)


client_of_example: Final = owner_of(labelled_examples, ExampleNotFound)
