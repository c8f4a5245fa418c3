"""Erase a whole client: close it, then remove all of its rows."""

from datetime import datetime
from typing import Final

import sqlalchemy as sa
from sqlalchemy.ext.asyncio import AsyncConnection

from domain.privacy.erasure import ErasureStanding
from domain.runs.run import RunStatus
from store.audit.tables import audit_anchors, audit_entries, audit_heads
from store.billing.tables import payment_events, usage_counters
from store.core.repository import some_of
from store.dashboard.tables import user_preferences
from store.identity.tables import sessions, sign_in_codes, sign_in_links
from store.intake.attachment_bytes import CHUNKS_AT_ONCE
from store.intake.tables import attachment_chunks
from store.metadata import metadata
from store.privacy.tables import erasures
from store.runs.tables import engine_runs
from store.tenants.tables import api_keys, client_users, clients, users
from store.webhooks.tables import webhook_subscriptions

BATCH: Final = 1_000
ERASED: Final = "erased"
"""The error code of a run that failed because its customer or client was erased."""

KEPT_TABLES: Final = frozenset(
    {erasures, audit_entries, audit_heads, audit_anchors, payment_events}
)
"""The tables whose rows are kept. They contain only ids, digests and amounts, as a record of
executed actions."""

# Tables that refer to other tables come first. The client's own rows are removed last, in one step
# (`remove_client`).
TENANT_TABLES: Final = tuple(
    table
    for table in reversed(metadata.sorted_tables)
    if "client_id" in table.c and table not in {*KEPT_TABLES, client_users, user_preferences}
)


async def brand_of(connection: AsyncConnection, client_id: str) -> str | None:
    """Return the client's name, even while the client is being erased. Return None if the client
    does not exist."""
    return await connection.scalar(sa.select(clients.c.brand_name).where(clients.c.id == client_id))


class TenantErasure:
    """The erasure of a whole client. The transaction must span clients because some tables do not
    belong to a client."""

    def __init__(self, connection: AsyncConnection, client_id: str) -> None:
        self._connection = connection
        self._client_id = client_id

    async def close(self, erasure_id: str, now: datetime) -> None:
        """Close the client, so that no event is admitted, no run is started and no webhook is sent.
        Idempotent.

        Admission locks the same row, so it either commits before, or finds the client closed.
        """
        client = clients.c.id == self._client_id
        closed = await self._connection.execute(
            sa.update(clients)
            .where(client)
            .values(closed_at=sa.func.coalesce(clients.c.closed_at, now))
        )
        if not closed.rowcount:
            return
        await self._note_standing(erasure_id)
        keys, webhooks, runs = api_keys.c, webhook_subscriptions.c, engine_runs.c
        for stop in (
            sa.update(api_keys)
            .where(keys.client_id == self._client_id, keys.is_active)
            .values(is_active=False, revoked_at=now),
            sa.update(webhook_subscriptions)
            .where(webhooks.client_id == self._client_id, webhooks.is_active)
            .values(is_active=False, disabled_at=now, disabled_reason="manual"),
            # Without this, the sweeper would start the client's runs.
            sa.update(engine_runs)
            .where(runs.client_id == self._client_id, runs.status == RunStatus.RECEIVED)
            .values(status=RunStatus.FAILED, error_code=ERASED, finished_at=now),
        ):
            await self._connection.execute(stop)

    async def remove_some(self, table: sa.Table) -> int:
        """Remove a batch of the client's rows from a table. Return the number of rows removed, or 0
        if none is left."""
        batch = CHUNKS_AT_ONCE if table is attachment_chunks else BATCH
        some = some_of(table, batch, table.c.client_id == self._client_id)
        return (await self._connection.execute(sa.delete(table).where(some))).rowcount

    async def remove_client(self) -> dict[str, int]:
        """Remove the client, its memberships, and its users who belong to no other client, with
        their sessions and preferences.

        Return the removed rows by table. The caller must have removed all rows that refer to the
        client.
        """
        members = client_users.c.client_id == self._client_id
        client = clients.c.id == self._client_id
        people = set(
            await self._connection.scalars(
                sa.select(client_users.c.user_id)
                .where(members)
                .union(sa.select(clients.c.owner_user_id).where(client))
            )
        )
        belongs_elsewhere = sa.or_(
            sa.exists().where(client_users.c.user_id == users.c.id),
            sa.exists().where(clients.c.owner_user_id == users.c.id),
        )
        removed: dict[str, int] = {}
        alone = sa.and_(users.c.id.in_(people), sa.not_(belongs_elsewhere))
        for table, which in (
            (client_users, members),
            (clients, client),
            (sessions, sessions.c.user_id.in_(sa.select(users.c.id).where(alone))),
            (sign_in_codes, sign_in_codes.c.email.in_(sa.select(users.c.email).where(alone))),
            (
                user_preferences,
                user_preferences.c.user_id.in_(sa.select(users.c.id).where(alone)),
            ),
            (sign_in_links, sign_in_links.c.user_id.in_(sa.select(users.c.id).where(alone))),
            (users, alone),
        ):
            done = await self._connection.execute(sa.delete(table).where(which))
            removed[table.name] = done.rowcount
        # A user who belongs to another client keeps the saved preferences, without the reference to
        # this client.
        await self._connection.execute(
            sa.update(user_preferences)
            .where(user_preferences.c.client_id == self._client_id)
            .values(client_id=None)
        )
        return removed

    async def _note_standing(self, erasure_id: str) -> None:
        used = await self._connection.execute(
            sa.select(usage_counters.c.period, usage_counters.c.tickets_used)
            .where(usage_counters.c.client_id == self._client_id)
            .order_by(usage_counters.c.period)
        )
        credit = await self._connection.scalar(
            sa.select(clients.c.credits_balance).where(clients.c.id == self._client_id)
        )
        standing = ErasureStanding(
            tickets={row.period: row.tickets_used for row in used}, credits_balance=credit or 0
        )
        await self._connection.execute(
            sa.update(erasures)
            .where(erasures.c.id == erasure_id, erasures.c.standing.is_(None))
            .values(standing=standing.model_dump())
        )
