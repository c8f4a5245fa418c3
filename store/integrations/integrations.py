"""A client's integrations, with encrypted (sealed) credentials that disconnecting erases.

Each change writes its webhook events in the same transaction. A disconnection is reported once.
"""

from dataclasses import dataclass
from datetime import datetime
from typing import Any, Final, TypeVar

import sqlalchemy as sa

from domain.core.ports import NewId
from domain.integrations.errors import ActionForbidden, IntegrationNotFound
from domain.integrations.integration import (
    Integration,
    IntegrationEntry,
    IntegrationStatus,
    provider_of,
)
from domain.integrations.providers import SHOPS, Provider
from domain.webhooks.outbound_event import IntegrationConnected, IntegrationDisconnected
from store.core.repository import TenantRepository, owner_of
from store.integrations.tables import integrations
from store.tenants.accounts import AccountRepository
from store.webhooks.outbox import Outbox

REPLACED: Final = "replaced"
"""Disconnection reason: the client reconnected to the same provider."""

BY_OPERATOR: Final = "disconnected"
"""Disconnection reason: a user ended the connection."""

_ERASED: Final = ""

Shape = TypeVar("Shape", Integration, IntegrationEntry)

_INTEGRATION: Final = sa.select(*(integrations.c[name] for name in Integration.model_fields))
_LIVE: Final = _INTEGRATION.where(
    integrations.c.client_id == sa.bindparam("tenant"),
    integrations.c.status == IntegrationStatus.CONNECTED,
).order_by(integrations.c.connected_at, integrations.c.id)
_LIVE_ONE: Final = _LIVE.where(integrations.c.provider == sa.bindparam("provider"))
_USABLE: Final = _INTEGRATION.where(
    integrations.c.client_id == sa.bindparam("tenant"),
    integrations.c.id == sa.bindparam("integration"),
    integrations.c.status != IntegrationStatus.DISCONNECTED,
)
_NOT_ENDED: Final = (
    _INTEGRATION.add_columns(integrations.c.status)
    .where(
        integrations.c.client_id == sa.bindparam("tenant"),
        integrations.c.status != IntegrationStatus.DISCONNECTED,
    )
    .order_by(integrations.c.connected_at, integrations.c.id)
)
_HAS_SHOP: Final = sa.select(
    sa.exists().where(
        integrations.c.client_id == sa.bindparam("tenant"),
        integrations.c.status != IntegrationStatus.DISCONNECTED,
        integrations.c.provider.in_(sorted(SHOPS)),
    )
)
_ENTRY: Final = sa.select(*(integrations.c[name] for name in IntegrationEntry.model_fields)).where(
    integrations.c.client_id == sa.bindparam("tenant")
)
_ENTRIES: Final = _ENTRY.order_by(integrations.c.connected_at, integrations.c.id)
_PAGE: Final = (
    _ENTRY.where(integrations.c.id > sa.bindparam("after"))
    .order_by(integrations.c.id)
    .limit(sa.bindparam("limit"))
)
_ONE: Final = _ENTRY.where(integrations.c.id == sa.bindparam("integration"))


@dataclass(frozen=True, slots=True)
class _Ended:
    id: str
    provider: str
    failed: bool


@dataclass(frozen=True, slots=True)
class UsableConnections:
    """A client's active connections, oldest first, and whether the client has connected a shop."""

    connected: tuple[Integration, ...]
    has_shop: bool


class IntegrationRepository(TenantRepository):
    """The integrations of one client.

    Reading methods raise UnknownProvider for a provider that only another version supports. Such a
    connection stays unchanged, but can be ended.
    """

    async def connected(self) -> tuple[Integration, ...]:
        """Return the client's active connections, oldest first."""
        rows = await self._connection.execute(_LIVE, {"tenant": self._tenant})
        return tuple(_read(Integration, row) for row in rows)

    async def has_shop(self) -> bool:
        """Return whether the client has connected a shop, even if the shop currently rejects the
        credentials."""
        return bool(await self._connection.scalar(_HAS_SHOP, {"tenant": self._tenant}))

    async def usable_connections(self) -> UsableConnections:
        """Return `connected` and `has_shop`, with one statement."""
        rows = (await self._connection.execute(_NOT_ENDED, {"tenant": self._tenant})).all()
        live = (row for row in rows if row.status == IntegrationStatus.CONNECTED)
        return UsableConnections(
            connected=tuple(_read(Integration, row) for row in live),
            has_shop=any(row.provider in SHOPS for row in rows),
        )

    async def connected_to(self, provider: Provider) -> Integration | None:
        """Return the client's active connection to the provider, or None."""
        wanted = {"tenant": self._tenant, "provider": provider.value}
        row = (await self._connection.execute(_LIVE_ONE, wanted)).one_or_none()
        return None if row is None else _read(Integration, row)

    async def entries(self) -> tuple[IntegrationEntry, ...]:
        """Return all connections, including ended ones, oldest first, without credentials."""
        rows = await self._connection.execute(_ENTRIES, {"tenant": self._tenant})
        return tuple(_read(IntegrationEntry, row) for row in rows)

    async def page(self, *, after: str | None, limit: int) -> tuple[IntegrationEntry, ...]:
        """Return a page of all connections, including ended ones, ordered by id and therefore by
        creation time. `after` is the last id on the previous page."""
        this = {"tenant": self._tenant, "after": after or "", "limit": limit}
        rows = await self._connection.execute(_PAGE, this)
        return tuple(_read(IntegrationEntry, row) for row in rows)

    async def entry(self, integration_id: str) -> IntegrationEntry:
        """Return a connection without credentials. Raises IntegrationNotFound."""
        this = {"tenant": self._tenant, "integration": integration_id}
        row = await self._one(_ONE, this, IntegrationNotFound(integration_id))
        return _read(IntegrationEntry, row)

    async def usable(self, integration_id: str) -> Integration:
        """Return a connection with its credentials, even if the connection has failed. Raises
        IntegrationNotFound if the connection does not exist or has ended."""
        this = {"tenant": self._tenant, "integration": integration_id}
        row = await self._one(_USABLE, this, IntegrationNotFound(integration_id))
        return _read(Integration, row)

    async def connect(
        self, integration: Integration, now: datetime, new_id: NewId
    ) -> tuple[str, ...]:
        """Store a connection, and end an existing one to the same provider. Return the ids of the
        webhook deliveries to send. Raises ClientNotFound, also during an erasure."""
        # Without this lock, two concurrent calls could both miss the connection that they should
        # end.
        await AccountRepository(self._connection, self._tenant).lock()
        ended = await self._end(integrations.c.provider == integration.provider, now)
        ended_deliveries = await self._tell_if_live(ended, REPLACED, now, new_id)
        await self._connection.execute(
            sa.insert(integrations).values(
                client_id=self._tenant,
                id=integration.id,
                provider=integration.provider,
                status=IntegrationStatus.CONNECTED,
                settings=integration.settings,
                sealed=integration.sealed,
                connected_at=now,
            )
        )
        connected_deliveries = await Outbox(self._connection, self._tenant).add(
            IntegrationConnected(
                integration_id=integration.id,
                provider=integration.provider,
                reason="connected" if ended is None else "reconnected",
            ),
            dedup_key=integration.id,
            now=now,
            new_id=new_id,
        )
        return ended_deliveries + connected_deliveries

    async def require(self, integration_id: str) -> None:
        """Raise IntegrationNotFound if no connection has this id. Unlike the other methods, this
        method accepts an unknown provider."""
        this = {"tenant": self._tenant, "integration": integration_id}
        await self._one(_ONE, this, IntegrationNotFound(integration_id))

    async def disconnect(
        self, integration_id: str, now: datetime, new_id: NewId
    ) -> tuple[str, ...]:
        """End a connection and erase its credentials, unless it has ended. Return the ids of the
        webhook deliveries to send."""
        ended = await self._end(integrations.c.id == integration_id, now)
        return await self._tell_if_live(ended, BY_OPERATOR, now, new_id)

    async def prove(self, integration_id: str, account: str) -> None:
        """Store the platform account with which the connection has authenticated. Installation-wide
        webhooks for it go to this client from now on.

        An ended connection stays unchanged.
        """
        await self._connection.execute(
            sa.update(integrations)
            .where(
                integrations.c.client_id == self._tenant,
                integrations.c.id == integration_id,
                integrations.c.status != IntegrationStatus.DISCONNECTED,
            )
            .values(proved_account=account, account_refused_at=None)
        )

    async def doubt(self, integration_id: str, now: datetime) -> None:
        """Record that the platform rejects the connection's credentials.

        Installation-wide webhooks for its account no longer go to the client, except compliance
        requests. `prove` and `trust` undo this.
        """
        await self._connection.execute(
            sa.update(integrations)
            .where(
                integrations.c.client_id == self._tenant,
                integrations.c.id == integration_id,
                integrations.c.account_refused_at.is_(None),
            )
            .values(account_refused_at=now)
        )

    async def trust(self, integration_id: str) -> None:
        """Record that the platform accepts the connection's credentials again. A connection whose
        status is not `connected` stays unchanged."""
        await self._connection.execute(
            sa.update(integrations)
            .where(
                integrations.c.client_id == self._tenant,
                integrations.c.id == integration_id,
                integrations.c.status == IntegrationStatus.CONNECTED,
            )
            .values(account_refused_at=None)
        )

    async def is_proved(self, integration_id: str) -> bool:
        """Return whether the connection has authenticated with its account."""
        proved = sa.select(integrations.c.proved_account.is_not(None)).where(
            integrations.c.client_id == self._tenant, integrations.c.id == integration_id
        )
        return bool(await self._connection.scalar(proved))

    async def forget_account(self, integration_id: str) -> None:
        """Clear the account of an ended connection. From then on, installation-wide compliance
        requests that name the account are not routed to the client."""
        await self._connection.execute(
            sa.update(integrations)
            .where(
                integrations.c.client_id == self._tenant,
                integrations.c.id == integration_id,
                integrations.c.status == IntegrationStatus.DISCONNECTED,
            )
            .values(proved_account=None)
        )

    async def fail(
        self, integration_id: str, code: str, now: datetime, new_id: NewId, *, run_id: str
    ) -> None:
        """Mark a connection as failed, because the provider rejects its credentials. Webhooks are
        routed as after `doubt`.

        `code` is a stable error code. `run_id` is the run that sends the webhook event. A
        connection that is no longer active stays unchanged, because a new one may have replaced it.
        """
        provider = await self._connection.scalar(
            sa.update(integrations)
            .where(
                integrations.c.client_id == self._tenant,
                integrations.c.id == integration_id,
                integrations.c.status == IntegrationStatus.CONNECTED,
            )
            .values(status=IntegrationStatus.ERROR, error_code=code, account_refused_at=now)
            .returning(integrations.c.provider)
        )
        if provider is not None:
            await self._tell_ended(
                integration_id, provider, code, now=now, new_id=new_id, run_id=run_id
            )

    async def note_refusal(self, integration_id: str, code: str | None) -> None:
        """Store the reason why the provider rejected the connection's last call, or None if the
        provider accepted the call. An active connection stays active."""
        await self._connection.execute(
            sa.update(integrations)
            .where(
                integrations.c.client_id == self._tenant,
                integrations.c.id == integration_id,
                integrations.c.status == IntegrationStatus.CONNECTED,
                integrations.c.error_code.is_distinct_from(code),
            )
            .values(error_code=code)
        )

    async def _end(self, which: sa.ColumnElement[bool], now: datetime) -> _Ended | None:
        """End the connection that matches `which`, and return it. Return None if no connection
        matches."""
        ended = await self._connection.execute(
            sa.update(integrations)
            .where(
                integrations.c.client_id == self._tenant,
                integrations.c.status != IntegrationStatus.DISCONNECTED,
                which,
            )
            .values(
                status=IntegrationStatus.DISCONNECTED,
                sealed=_ERASED,
                disconnected_at=now,
            )
            .returning(integrations.c.id, integrations.c.provider, integrations.c.error_code)
        )
        row = ended.one_or_none()
        if row is None:
            return None
        failed = row.error_code not in {None, ActionForbidden.code}
        return _Ended(row.id, row.provider, failed=failed)

    async def _tell_if_live(
        self, ended: _Ended | None, reason: str, now: datetime, new_id: NewId
    ) -> tuple[str, ...]:
        """Write the webhook event for the end of a connection, unless its failure was already
        reported. Return the ids of the deliveries to send."""
        if ended is None or ended.failed:
            return ()
        return await self._tell_ended(ended.id, ended.provider, reason, now=now, new_id=new_id)

    async def _tell_ended(
        self,
        integration_id: str,
        provider: str,
        reason: str,
        *,
        now: datetime,
        new_id: NewId,
        run_id: str | None = None,
    ) -> tuple[str, ...]:
        return await Outbox(self._connection, self._tenant).add(
            IntegrationDisconnected(
                integration_id=integration_id, provider=provider, reason=reason
            ),
            dedup_key=integration_id,
            now=now,
            new_id=new_id,
            run_id=run_id,
        )


def _read(shape: type[Shape], row: "sa.Row[*tuple[Any, ...]]") -> Shape:
    provider_of(row.id, row.provider)
    return shape.model_validate(row, from_attributes=True)


client_of: Final = owner_of(integrations, IntegrationNotFound)
