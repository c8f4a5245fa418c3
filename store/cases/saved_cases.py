"""The saved cases of one client."""

from collections.abc import Sequence
from datetime import datetime
from typing import Any, Final

import sqlalchemy as sa

from domain.cases.case import CaseSpec, SavedCase
from domain.cases.errors import CaseNotFound
from store.cases.tables import saved_cases
from store.core.repository import TenantRepository, owner_of

_SPEC: Final = frozenset(CaseSpec.model_fields)


class SavedCaseRepository(TenantRepository):
    async def all(self) -> tuple[SavedCase, ...]:
        """Return all saved cases, oldest first."""
        rows = await self._connection.execute(self._mine().order_by(saved_cases.c.id))
        return tuple(_case(row) for row in rows)

    async def page(self, *, after: str | None, limit: int) -> tuple[SavedCase, ...]:
        """Return a page of cases, oldest first. `after` is the last id of the previous page."""
        rows = await self._connection.execute(
            self._mine()
            .where(saved_cases.c.id > (after or ""))
            .order_by(saved_cases.c.id)
            .limit(limit)
        )
        return tuple(_case(row) for row in rows)

    async def some(self, case_ids: Sequence[str]) -> tuple[SavedCase, ...]:
        """Return the cases with these ids, oldest first. Deleted cases are omitted."""
        rows = await self._connection.execute(
            self._mine().where(saved_cases.c.id.in_(case_ids)).order_by(saved_cases.c.id)
        )
        return tuple(_case(row) for row in rows)

    async def read(self, case_id: str) -> SavedCase:
        """Return a case. Raises CaseNotFound."""
        return _case(
            await self._one(
                self._mine().where(saved_cases.c.id == case_id), {}, CaseNotFound(case_id)
            )
        )

    async def names(self) -> dict[str, str]:
        """Return the ids of all cases, keyed by case name."""
        rows = await self._connection.execute(
            sa.select(saved_cases.c.name, saved_cases.c.id).where(
                saved_cases.c.client_id == self._tenant
            )
        )
        return {row.name: row.id for row in rows}

    async def size(self) -> int:
        """Return the size of all cases as JSON, in bytes."""
        size = await self._connection.scalar(
            sa.select(
                sa.func.sum(_octets(saved_cases.c.scenario) + _octets(saved_cases.c.expected))
            ).where(saved_cases.c.client_id == self._tenant)
        )
        return int(size or 0)

    async def create(self, case: SavedCase) -> None:
        """Add a case. The caller must hold the account's lock and have checked that the name is
        free."""
        await self._connection.execute(
            sa.insert(saved_cases).values(client_id=self._tenant, **_values(case))
        )

    async def change(self, case_id: str, spec: CaseSpec, now: datetime) -> SavedCase:
        """Update a case. Raises CaseNotFound. The caller must hold the account's lock and have
        checked the name."""
        changed = (
            sa.update(saved_cases)
            .where(saved_cases.c.client_id == self._tenant, saved_cases.c.id == case_id)
            .values(updated_at=now, **spec.model_dump(mode="json", include=set(_SPEC)))
            .returning(saved_cases)
        )
        return _case(await self._one(changed, {}, CaseNotFound(case_id)))

    async def delete(self, case_id: str) -> None:
        """Permanently delete a case and its results. Raises CaseNotFound."""
        gone = await self._connection.execute(
            sa.delete(saved_cases).where(
                saved_cases.c.client_id == self._tenant, saved_cases.c.id == case_id
            )
        )
        if gone.rowcount == 0:
            raise CaseNotFound(case_id)

    def _mine(self) -> "sa.Select[*tuple[Any, ...]]":
        return sa.select(saved_cases).where(saved_cases.c.client_id == self._tenant)


def _octets(column: "sa.Column[Any]") -> "sa.Function[int]":
    return sa.func.octet_length(sa.cast(column, sa.Text))


def _values(case: SavedCase) -> dict[str, object]:
    """Return the column values of a case, as JSON except for times."""
    return {
        **case.model_dump(mode="json", exclude={"created_at", "updated_at"}),
        "created_at": case.created_at,
        "updated_at": case.updated_at,
    }


def _case(row: "sa.Row[*tuple[Any, ...]]") -> SavedCase:
    return SavedCase.model_validate({name: getattr(row, name) for name in SavedCase.model_fields})


client_of: Final = owner_of(saved_cases, CaseNotFound)
