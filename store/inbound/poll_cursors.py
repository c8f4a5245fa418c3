"""How far each platform has been polled."""

from collections.abc import Mapping
from datetime import datetime
from typing import Final

import sqlalchemy as sa
from sqlalchemy.dialects.postgresql import insert

from domain.integrations.poll_cursor import PollCursor
from store.core.repository import TenantRepository
from store.inbound.tables import poll_cursors

_KEY: Final = (poll_cursors.c.client_id, poll_cursors.c.integration_id)


class PollCursorRepository(TenantRepository):
    async def read(self, integration_id: str) -> PollCursor | None:
        """None before the first poll."""
        row = (
            await self._connection.execute(
                sa.select(*(poll_cursors.c[name] for name in PollCursor.model_fields)).where(
                    poll_cursors.c.client_id == self._tenant,
                    poll_cursors.c.integration_id == integration_id,
                )
            )
        ).one_or_none()
        return None if row is None else PollCursor.model_validate(row, from_attributes=True)

    async def advance(
        self, integration_id: str, position: Mapping[str, str], now: datetime
    ) -> None:
        """Note how far all was read; what failed before is forgotten."""
        told = {"position": dict(position), "polled_at": now, "error_code": None, "failures": 0}
        await self._connection.execute(
            insert(poll_cursors)
            .values(client_id=self._tenant, integration_id=integration_id, **told)
            .on_conflict_do_update(index_elements=_KEY, set_=told)
        )

    async def fail(self, integration_id: str, error_code: str, now: datetime) -> None:
        """Note that a poll failed, one more in a row."""
        told = {"polled_at": now, "error_code": error_code}
        await self._connection.execute(
            insert(poll_cursors)
            .values(client_id=self._tenant, integration_id=integration_id, failures=1, **told)
            .on_conflict_do_update(
                index_elements=_KEY, set_={**told, "failures": poll_cursors.c.failures + 1}
            )
        )

    async def forget(self, integration_id: str) -> None:
        await self._connection.execute(
            sa.delete(poll_cursors).where(
                poll_cursors.c.client_id == self._tenant,
                poll_cursors.c.integration_id == integration_id,
            )
        )
