"""Pauses of the agent in helpdesk tickets. During a pause, a human agent answers the ticket instead
of the AI agent."""

from datetime import datetime
from typing import Final

import sqlalchemy as sa
from sqlalchemy.dialects.postgresql import insert

from domain.integrations.providers import Provider
from store.core.repository import TenantRepository
from store.integrations.tables import helpdesk_pauses, integrations

_PAUSES: Final = helpdesk_pauses.c


class HelpdeskPauseRepository(TenantRepository):
    async def pause(
        self,
        integration_id: str,
        ticket_id: str,
        *,
        message_id: str,
        now: datetime,
        until: datetime,
    ) -> None:
        """Pause the agent in a ticket that a human agent is answering. Idempotent by message. A
        longer existing pause is kept."""
        row = {
            "client_id": self._tenant,
            "integration_id": integration_id,
            "ticket_id": ticket_id,
            "message_id": message_id,
            "paused_at": now,
            "until": until,
        }
        await self._connection.execute(_PAUSE, row)

    async def is_paused(self, integration_id: str, ticket_id: str, now: datetime) -> bool:
        """Return whether the agent is paused in a ticket. A pause outlives the connection because a
        new connection to the same helpdesk has the same tickets."""
        this = sa.select(integrations.c.provider).where(
            integrations.c.client_id == self._tenant, integrations.c.id == integration_id
        )
        return await self._any(this.scalar_subquery(), ticket_id, _PAUSES.until > now)

    async def is_paused_at(self, provider: Provider, ticket_id: str, now: datetime) -> bool:
        """Return whether the agent is paused in a ticket on a platform. Unlike `is_paused`, this
        method does not need a connection."""
        return await self._any(sa.literal(provider.value), ticket_id, _PAUSES.until > now)

    async def was_paused_since(self, provider: Provider, ticket_id: str, since: datetime) -> bool:
        """Return whether a human agent has answered a ticket on a platform after `since`."""
        return await self._any(sa.literal(provider.value), ticket_id, _PAUSES.paused_at > since)

    async def end(self, integration_id: str, ticket_id: str) -> bool:
        """End the agent's pause in a ticket. Return False if there was no pause."""
        this = sa.select(integrations.c.provider).where(
            integrations.c.client_id == self._tenant, integrations.c.id == integration_id
        )
        done = await self._connection.execute(
            sa.delete(helpdesk_pauses)
            .where(
                _PAUSES.client_id == self._tenant,
                _PAUSES.integration_id.in_(self._of(this.scalar_subquery())),
                _PAUSES.ticket_id == ticket_id,
            )
            .returning(_PAUSES.ticket_id)
        )
        return bool(done.all())

    def _of(self, provider: sa.ColumnElement[str] | sa.ScalarSelect[str]) -> sa.Select[tuple[str]]:
        return sa.select(integrations.c.id).where(
            integrations.c.client_id == self._tenant, integrations.c.provider == provider
        )

    async def _any(
        self,
        provider: sa.ColumnElement[str] | sa.ScalarSelect[str],
        ticket_id: str,
        condition: sa.ColumnElement[bool],
    ) -> bool:
        found = sa.select(sa.literal(True)).where(
            _PAUSES.client_id == self._tenant,
            _PAUSES.integration_id.in_(self._of(provider)),
            _PAUSES.ticket_id == ticket_id,
            condition,
        )
        return bool(await self._connection.scalar(found.limit(1)))


_INSERT: Final = insert(helpdesk_pauses)
_PAUSE: Final = _INSERT.on_conflict_do_update(
    index_elements=["client_id", "integration_id", "ticket_id"],
    set_={
        "message_id": _INSERT.excluded.message_id,
        "paused_at": _INSERT.excluded.paused_at,
        "until": _INSERT.excluded.until,
    },
    where=_PAUSES.until < _INSERT.excluded.until,
)
