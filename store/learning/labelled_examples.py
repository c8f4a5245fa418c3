"""The labelled examples of one client."""

from typing import Final

import sqlalchemy as sa
from sqlalchemy.dialects.postgresql import insert

from domain.learning.errors import ExampleNotFound, TooManyExamples
from domain.learning.labelled_example import MAX_EXAMPLES, LabelledExample
from store.core.repository import TenantRepository, owner_of
from store.learning.tables import labelled_examples
from store.tenants.accounts import AccountRepository

_TABLE: Final = labelled_examples.c


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
