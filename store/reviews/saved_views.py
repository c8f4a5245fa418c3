"""The saved views of one client's inbox."""

from datetime import datetime
from typing import Final

import sqlalchemy as sa

from domain.runs.errors import InboxViewNotFound
from domain.runs.inbox import InboxFilter
from domain.runs.saved_view import SavedView
from store.core.repository import TenantRepository, owner_of
from store.reviews.tables import inbox_views

_TABLE: Final = inbox_views.c


class SavedViewRepository(TenantRepository):
    async def all(self) -> tuple[SavedView, ...]:
        """Return the client's saved views, in alphabetical order of their names."""
        rows = await self._connection.execute(
            sa.select(inbox_views)
            .where(_TABLE.client_id == self._tenant)
            .order_by(sa.func.lower(_TABLE.name), _TABLE.id)
        )
        return tuple(SavedView.model_validate(row, from_attributes=True) for row in rows)

    async def read(self, view_id: str) -> SavedView:
        """Return a saved view. Raises InboxViewNotFound."""
        row = await self._one(
            sa.select(inbox_views).where(
                _TABLE.client_id == self._tenant, _TABLE.id == sa.bindparam("view_id")
            ),
            {"view_id": view_id},
            InboxViewNotFound(view_id),
        )
        return SavedView.model_validate(row, from_attributes=True)

    async def count(self) -> int:
        """Return the number of the client's saved views."""
        query = sa.select(sa.func.count()).where(_TABLE.client_id == self._tenant)
        return int(await self._connection.scalar(query) or 0)

    async def add(self, view: SavedView) -> None:
        """Store a new view."""
        values = view.model_dump(exclude={"filters"})
        await self._connection.execute(
            sa.insert(inbox_views).values(
                client_id=self._tenant, filters=_stored(view.filters), **values
            )
        )

    async def change(
        self, view_id: str, *, name: str | None, filters: InboxFilter | None, now: datetime
    ) -> None:
        """Change a view's name, its filters or both. Raises InboxViewNotFound."""
        values: dict[str, object] = {"updated_at": now}
        if name is not None:
            values["name"] = name
        if filters is not None:
            values["filters"] = _stored(filters)
        changed = await self._connection.execute(
            sa.update(inbox_views).where(self._is(view_id)).values(values)
        )
        if changed.rowcount == 0:
            raise InboxViewNotFound(view_id)

    async def delete(self, view_id: str) -> None:
        """Delete a view. Raises InboxViewNotFound."""
        gone = await self._connection.execute(sa.delete(inbox_views).where(self._is(view_id)))
        if gone.rowcount == 0:
            raise InboxViewNotFound(view_id)

    def _is(self, view_id: str) -> sa.ColumnElement[bool]:
        return sa.and_(_TABLE.client_id == self._tenant, _TABLE.id == view_id)


client_of_view: Final = owner_of(inbox_views, InboxViewNotFound)


def _stored(filters: InboxFilter) -> dict[str, object]:
    return filters.model_dump(mode="json", exclude_defaults=True)
