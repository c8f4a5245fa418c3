"""Playbooks and their versions. A version is never changed: runs point to it."""

from datetime import datetime
from typing import Final

import sqlalchemy as sa
from sqlalchemy.ext.asyncio import AsyncConnection

from domain.errors import PlaybookNotFound
from domain.ids import TenantId
from domain.playbook import Playbook
from store.tables import playbook_versions, playbooks

_ACTIVE: Final = (
    sa.select(
        playbooks.c.id,
        playbooks.c.version,
        playbook_versions.c.name,
        playbook_versions.c.event_type,
        playbook_versions.c.threshold,
    )
    .join(
        playbook_versions,
        sa.and_(
            playbook_versions.c.client_id == playbooks.c.client_id,
            playbook_versions.c.playbook_id == playbooks.c.id,
            playbook_versions.c.version == playbooks.c.version,
        ),
    )
    .where(playbooks.c.client_id == sa.bindparam("tenant"), playbooks.c.is_active)
    .order_by(playbooks.c.created_at, playbooks.c.id)
)


class PlaybookRepository:
    def __init__(self, connection: AsyncConnection, tenant: TenantId) -> None:
        self._connection = connection
        self._tenant = tenant

    async def create(self, playbook: Playbook, *, active: bool, now: datetime) -> None:
        await self._connection.execute(
            sa.insert(playbooks).values(
                client_id=self._tenant,
                id=playbook.id,
                version=playbook.version,
                is_active=active,
                created_at=now,
            )
        )
        await self._connection.execute(
            sa.insert(playbook_versions).values(
                client_id=self._tenant,
                playbook_id=playbook.id,
                version=playbook.version,
                name=playbook.name,
                event_type=playbook.event_type,
                threshold=playbook.threshold,
                created_at=now,
            )
        )

    async def active(self) -> list[Playbook]:
        """The playbooks that are on, oldest first, each in its current version."""
        rows = await self._connection.execute(_ACTIVE, {"tenant": self._tenant})
        return [Playbook.model_validate(row, from_attributes=True) for row in rows]


async def set_playbook_active(
    connection: AsyncConnection, playbook_id: str, *, active: bool
) -> None:
    """Switch a playbook by its id alone, as an operator does. Raises PlaybookNotFound."""
    changed = await connection.execute(
        sa.update(playbooks).where(playbooks.c.id == playbook_id).values(is_active=active)
    )
    if changed.rowcount == 0:
        raise PlaybookNotFound(playbook_id)
