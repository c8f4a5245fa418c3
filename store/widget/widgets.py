"""A client's widget settings. Callers pass encrypted (sealed) secrets, which are stored
unchanged."""

from datetime import datetime, timedelta

import sqlalchemy as sa
from sqlalchemy.dialects.postgresql import insert

from domain.widget.widget import Widget, WidgetChange
from store.core.repository import TenantRepository
from store.tenants.accounts import AccountRepository
from store.widget.tables import widgets


class WidgetRepository(TenantRepository):
    async def read(self) -> Widget:
        found = await self._connection.execute(
            sa.select(widgets).where(widgets.c.client_id == self._tenant)
        )
        row = found.one_or_none()
        return Widget() if row is None else Widget.model_validate(row, from_attributes=True)

    async def change(self, change: WidgetChange, now: datetime) -> Widget:
        """Change the widget settings. Raises ClientNotFound if the client does not exist or is
        being erased."""
        return await self._set(now, **change.given)

    async def rotate_secret(
        self, sealed: str, *, previous_until: datetime | None, vouches: bool = True, now: datetime
    ) -> Widget:
        """Replace the secret that signs user identities. The previous one is valid until
        `previous_until`, or is removed now if None.

        Older secrets are removed, and so is a previous secret that was not allowed to sign. If
        `vouches` is true, the new secret may sign. Raises the errors of `change`.
        """
        # If two rotations run concurrently, the second one keeps the first one's secret as the
        # previous secret.
        await AccountRepository(self._connection, self._tenant).lock()
        there = await self.read()
        kept = there.sealed_secret if previous_until is not None and there.vouches else None
        return await self._set(
            now,
            sealed_secret=sealed,
            previous_sealed_secret=kept,
            previous_secret_until=None if kept is None else previous_until,
            vouches=vouches,
            secret_since=now,
        )

    async def vouch(self, since: datetime | None) -> bool:
        """Allow the secret that was created at `since` to sign user identities. Return False if the
        secret has since been replaced."""
        changed = await self._connection.execute(
            sa.update(widgets)
            .where(widgets.c.client_id == self._tenant, widgets.c.secret_since == since)
            .values(vouches=True)
        )
        return bool(changed.rowcount)

    async def keep_key(self, key: str | None, *, until: datetime | None, now: datetime) -> Widget:
        """Keep the previous widget key `key` valid until `until` after a rotation, or end it now if
        None. Raises the errors of `change`."""
        kept = None if until is None else key
        return await self._set(
            now, previous_key=kept, previous_key_until=None if kept is None else until
        )

    async def note_api_key(self, now: datetime, *, at_most_every: timedelta) -> bool:
        """Record a chat request with an API key, at most once per `at_most_every`. Return whether
        it was recorded. Raises the errors of `change`."""
        await AccountRepository(self._connection, self._tenant).lock()
        used_at = (await self.read()).api_key_used_at
        if used_at is not None and used_at > now - at_most_every:
            return False
        await self._write(now, api_key_used_at=now)
        return True

    async def _set(self, now: datetime, **values: object) -> Widget:
        await AccountRepository(self._connection, self._tenant).lock()
        await self._write(now, updated_at=now, **values)
        return await self.read()

    async def _write(self, now: datetime, **values: object) -> None:
        await self._connection.execute(
            insert(widgets)
            .values({"client_id": self._tenant, "updated_at": now, **values})
            .on_conflict_do_update(index_elements=[widgets.c.client_id], set_=values)
        )
