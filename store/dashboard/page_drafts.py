"""Drafts of forms that were not submitted, one per user and form."""

from collections.abc import Collection, Mapping
from datetime import datetime

import sqlalchemy as sa
from sqlalchemy.dialects.postgresql import insert
from sqlalchemy.ext.asyncio import AsyncConnection

from domain.core.ids import TenantId
from domain.dashboard.draft import MOST, Draft
from store.dashboard.tables import page_drafts


class PageDrafts:
    def __init__(self, connection: AsyncConnection, tenant: TenantId, user_id: str) -> None:
        self._connection = connection
        self._tenant = tenant
        self._user_id = user_id

    async def read(self, form: str) -> Draft | None:
        rows = await self._connection.execute(
            sa.select(page_drafts.c.fields, page_drafts.c.saved_at).where(self._is(form))
        )
        row = rows.one_or_none()
        return None if row is None else Draft(row.fields, row.saved_at)

    async def read_all(self, forms: Collection[str]) -> dict[str, Draft]:
        """Return the user's drafts of these forms, keyed by form."""
        row = page_drafts.c
        rows = await self._connection.execute(
            sa.select(row.form, row.fields, row.saved_at).where(
                row.client_id == self._tenant,
                row.user_id == self._user_id,
                row.form.in_(forms),
            )
        )
        return {one.form: Draft(one.fields, one.saved_at) for one in rows}

    async def keep(self, form: str, fields: Mapping[str, str], now: datetime) -> None:
        """Store the user's draft of a form, replacing any earlier draft. If the user has more than
        MOST drafts, the oldest ones are deleted."""
        values = {"fields": dict(fields), "saved_at": now}
        await self._connection.execute(
            insert(page_drafts)
            .values(client_id=self._tenant, user_id=self._user_id, form=form, **values)
            .on_conflict_do_update(index_elements=["client_id", "user_id", "form"], set_=values)
        )

        oldest = (
            sa.select(page_drafts.c.form)
            .where(page_drafts.c.client_id == self._tenant, page_drafts.c.user_id == self._user_id)
            .order_by(page_drafts.c.saved_at.desc(), page_drafts.c.form)
            .offset(MOST)
        )
        await self._connection.execute(
            sa.delete(page_drafts).where(
                page_drafts.c.client_id == self._tenant,
                page_drafts.c.user_id == self._user_id,
                page_drafts.c.form.in_(oldest),
            )
        )

    async def drop(self, form: str) -> None:
        await self._connection.execute(sa.delete(page_drafts).where(self._is(form)))

    def _is(self, form: str) -> sa.ColumnElement[bool]:
        row = page_drafts.c
        return sa.and_(
            row.client_id == self._tenant, row.user_id == self._user_id, row.form == form
        )
