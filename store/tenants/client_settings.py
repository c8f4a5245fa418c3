"""A client's settings."""

from datetime import datetime
from typing import Final

import sqlalchemy as sa
from sqlalchemy.dialects.postgresql import insert

from domain.tenants.client_settings import ClientSettings, SettingsChange
from store.core.repository import TenantRepository
from store.tenants.accounts import AccountRepository
from store.tenants.tables import client_settings

_SETTINGS: Final = sa.select(client_settings).where(
    client_settings.c.client_id == sa.bindparam("client_id")
)


class SettingsRepository(TenantRepository):
    async def read(self) -> ClientSettings:
        found = await self._connection.execute(_SETTINGS, {"client_id": self._tenant})
        row = found.one_or_none()
        if row is None:
            return ClientSettings()
        return ClientSettings.model_validate(row, from_attributes=True)

    async def change(self, change: SettingsChange, now: datetime) -> ClientSettings:
        """Change a client's settings. Raises ClientNotFound if the client does not exist or is
        being erased."""
        given = change.model_dump(exclude={"system_prompt", "guidance", "branding"})
        values: dict[str, object] = {
            name: list(value) if isinstance(value, tuple) else value
            for name, value in given.items()
            if value is not None
        }
        if change.system_prompt is not None:
            values["system_prompt"] = change.system_prompt or None
        if change.guidance is not None:
            values["guidance"] = change.guidance.model_dump(mode="json", exclude_defaults=True)
        if change.branding is not None:
            values["branding"] = change.branding.model_dump(exclude_none=True)
        return await self._set(now, **values)

    async def rotate_widget_key(self, key: str, now: datetime) -> ClientSettings:
        """Replace the widget key. Raises the same errors as `change`."""
        return await self._set(now, widget_key=key)

    async def _set(self, now: datetime, **values: object) -> ClientSettings:
        await AccountRepository(self._connection, self._tenant).lock()
        changed = await self._connection.execute(
            insert(client_settings)
            .values(client_id=self._tenant, updated_at=now, **values)
            .on_conflict_do_update(
                index_elements=[client_settings.c.client_id], set_={"updated_at": now, **values}
            )
            .returning(client_settings)
        )
        return ClientSettings.model_validate(changed.one(), from_attributes=True)
