"""Poll cursors. A cursor records the last change polled from a platform."""

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Final

import sqlalchemy as sa
from sqlalchemy.dialects.postgresql import insert
from sqlalchemy.ext.asyncio import AsyncConnection

from domain.core.ids import TenantId
from domain.inbound.polling import ONLY_PROVED
from domain.integrations.integration import Integration, IntegrationStatus
from domain.integrations.poll_cursor import PollCursor
from domain.integrations.providers import Provider
from store.core.repository import TenantRepository
from store.inbound.tables import poll_cursors
from store.integrations.tables import integrations
from store.tenants.tables import clients

_KEY: Final = (poll_cursors.c.client_id, poll_cursors.c.integration_id)


@dataclass(frozen=True, slots=True)
class PolledConnection:
    """A connection that can be polled. `cursor` is None before the first poll. `is_refused` means
    that the platform has rejected the credentials."""

    tenant: TenantId
    integration: Integration
    connected_at: datetime
    cursor: PollCursor | None
    is_refused: bool = False


async def polled_connections(
    connection: AsyncConnection,
    providers: Collection[Provider],
    *,
    after: tuple[str, str],
    limit: int,
) -> tuple[PolledConnection, ...]:
    """Return a page of all clients' connections that can be polled, ordered by client and
    integration. `after` is the last pair on the previous page. Requires a connection that spans
    clients."""
    its = integrations.c
    rows = await connection.execute(
        sa.select(
            its.client_id, its.id, its.provider, its.settings, its.sealed, its.connected_at,
            its.account_refused_at,
            *(poll_cursors.c[name] for name in PollCursor.model_fields),
        )
        .join_from(
            integrations,
            poll_cursors,
            sa.and_(
                poll_cursors.c.client_id == its.client_id,
                poll_cursors.c.integration_id == its.id,
            ),
            isouter=True,
        )
        .join(clients, clients.c.id == its.client_id)
        .where(
            its.status == IntegrationStatus.CONNECTED,
            its.provider.in_(sorted(providers)),
            # A connection without credentials only receives webhooks, so it is not polled.
            its.sealed != "",
            sa.or_(its.provider.not_in(sorted(ONLY_PROVED)), its.proved_account.is_not(None)),
            clients.c.closed_at.is_(None),
            sa.tuple_(its.client_id, its.id) > sa.tuple_(*after),
        )
        .order_by(its.client_id, its.id)
        .limit(limit)
    )  # fmt: skip
    return tuple(
        PolledConnection(
            tenant=TenantId(row.client_id),
            integration=Integration(
                id=row.id,
                client_id=row.client_id,
                provider=row.provider,
                settings=row.settings,
                sealed=row.sealed,
            ),
            connected_at=row.connected_at,
            cursor=PollCursor.model_validate(row, from_attributes=True) if row.polled_at else None,
            is_refused=row.account_refused_at is not None,
        )
        for row in rows
    )


class PollCursorRepository(TenantRepository):
    async def read(self, integration_id: str) -> PollCursor | None:
        """Return the poll cursor of a connection, or None before the first poll."""
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
        """Store a connection's new poll cursor, and reset its failure count. The caller must have
        read all changes up to the cursor."""
        cursor_values = {
            "position": dict(position),
            "polled_at": now,
            "error_code": None,
            "failures": 0,
        }
        await self._connection.execute(
            insert(poll_cursors)
            .values(client_id=self._tenant, integration_id=integration_id, **cursor_values)
            .on_conflict_do_update(index_elements=_KEY, set_=cursor_values)
        )

    async def fail(self, integration_id: str, error_code: str, now: datetime) -> None:
        """Record a failed poll of a connection, and increment the number of consecutive
        failures."""
        cursor_values = {"polled_at": now, "error_code": error_code}
        await self._connection.execute(
            insert(poll_cursors)
            .values(
                client_id=self._tenant, integration_id=integration_id, failures=1, **cursor_values
            )
            .on_conflict_do_update(
                index_elements=_KEY, set_={**cursor_values, "failures": poll_cursors.c.failures + 1}
            )
        )

    async def all(self) -> "tuple[tuple[str, PollCursor], ...]":
        """Return the poll cursors of all polled connections, keyed by connection id."""
        rows = await self._connection.execute(
            sa.select(
                poll_cursors.c.integration_id,
                *(poll_cursors.c[name] for name in PollCursor.model_fields),
            )
            .where(poll_cursors.c.client_id == self._tenant)
            .order_by(poll_cursors.c.integration_id)
        )
        return tuple(
            (row.integration_id, PollCursor.model_validate(row, from_attributes=True))
            for row in rows
        )

    async def forget(self, integration_id: str) -> None:
        await self._connection.execute(
            sa.delete(poll_cursors).where(
                poll_cursors.c.client_id == self._tenant,
                poll_cursors.c.integration_id == integration_id,
            )
        )
