"""Customers' requests for their personal data, forwarded by shops or opened by members."""

from collections.abc import Collection
from datetime import datetime
from typing import Final

import sqlalchemy as sa
from sqlalchemy.dialects.postgresql import insert
from sqlalchemy.ext.asyncio import AsyncConnection

from domain.core.ids import TenantId
from domain.inbound.data_request import DataRequest
from domain.inbound.errors import DataRequestNotFound
from domain.intake.customer_email import customer_key
from store.core.repository import TenantRepository, owner_of
from store.inbound.tables import data_requests
from store.tenants.tables import clients, users

_REQUEST: Final = sa.select(*(data_requests.c[name] for name in DataRequest.model_fields)).where(
    data_requests.c.client_id == sa.bindparam("tenant")
)
_PAGE: Final = (
    _REQUEST.where(data_requests.c.id < sa.bindparam("before"))
    .order_by(data_requests.c.id.desc())
    .limit(sa.bindparam("limit"))
)
_ONE: Final = _REQUEST.where(data_requests.c.id == sa.bindparam("request"))
_MOST_OPEN: Final = 1_000
# The addresses are compared in Python because PostgreSQL folds letters differently.
_OPEN: Final = (
    _REQUEST.where(
        data_requests.c.customer_email.is_not(None), data_requests.c.fulfilled_at.is_(None)
    )
    .order_by(data_requests.c.id.desc())
    .limit(_MOST_OPEN)
)
# This text sorts after every ULID.
_NEWEST: Final = "~"


class DataRequestRepository(TenantRepository):
    async def open(
        self,
        request_id: str,
        *,
        integration_id: str | None,
        customer_email: str | None,
        order_ids: Collection[str],
        now: datetime,
        due_at: datetime,
    ) -> bool:
        """Store a data request, or return False if its id is already stored. The owner is notified
        only of a shop's requests because members know about the requests that they opened."""
        added = await self._connection.execute(
            insert(data_requests)
            .values(
                client_id=self._tenant,
                id=request_id,
                integration_id=integration_id,
                customer_email=customer_email,
                order_ids=list(order_ids),
                created_at=now,
                due_at=due_at,
                told_at=now if integration_id is None else None,
            )
            .on_conflict_do_nothing()
            .returning(data_requests.c.id)
        )
        return added.one_or_none() is not None

    async def open_of(self, key: str) -> DataRequest | None:
        """Return the customer's latest unfulfilled request among the latest 1,000, or None. `key`
        is the result of `customer_key`."""
        rows = await self._connection.execute(_OPEN, {"tenant": self._tenant})
        theirs = (row for row in rows if customer_key(row.customer_email) == key)
        row = next(theirs, None)
        return None if row is None else DataRequest.model_validate(row, from_attributes=True)

    async def page(self, *, before: str | None, limit: int) -> tuple[DataRequest, ...]:
        """Return a page of data requests, newest first. `before` is the last id on the previous
        page."""
        this = {"tenant": self._tenant, "before": before or _NEWEST, "limit": limit}
        rows = await self._connection.execute(_PAGE, this)
        return tuple(DataRequest.model_validate(row, from_attributes=True) for row in rows)

    async def read(self, request_id: str) -> DataRequest:
        """Return a data request. Raises DataRequestNotFound."""
        this = {"tenant": self._tenant, "request": request_id}
        row = await self._one(_ONE, this, DataRequestNotFound(request_id))
        return DataRequest.model_validate(row, from_attributes=True)

    async def fulfil(self, request_id: str, *, by: str, now: datetime) -> bool:
        """Record who delivered the data to the customer. Return False, and keep the first record,
        on a repeated call. Raises DataRequestNotFound."""
        done = await self._connection.execute(
            sa.update(data_requests)
            .where(
                data_requests.c.client_id == self._tenant,
                data_requests.c.id == request_id,
                data_requests.c.fulfilled_at.is_(None),
            )
            .values(fulfilled_by=by, fulfilled_at=now)
            .returning(data_requests.c.id)
        )
        if done.one_or_none() is not None:
            return True
        await self.read(request_id)
        return False

    async def mark_notified(self, request_id: str, now: datetime) -> None:
        """Record that the client's owner was notified of a data request by email."""
        await self._connection.execute(
            sa.update(data_requests)
            .where(data_requests.c.client_id == self._tenant, data_requests.c.id == request_id)
            .values(told_at=now)
        )


async def unnotified(connection: AsyncConnection, *, limit: int) -> tuple[tuple[str, str], ...]:
    """Return the client and id of each data request about which the client's owner has not been
    notified by email yet, oldest first. Requires a connection that spans clients."""
    rows = await connection.execute(
        sa.select(data_requests.c.client_id, data_requests.c.id)
        .where(data_requests.c.told_at.is_(None))
        .order_by(data_requests.c.id)
        .limit(limit)
    )
    return tuple((row.client_id, row.id) for row in rows)


async def owner_address(connection: AsyncConnection, tenant: TenantId) -> str | None:
    """Return the email address of the client's owner, or None if the client is being erased.
    Requires a connection that spans clients, because users do not belong to a client."""
    found: str | None = await connection.scalar(
        sa.select(users.c.email)
        .join_from(clients, users, users.c.id == clients.c.owner_user_id)
        .where(clients.c.id == tenant, clients.c.closed_at.is_(None))
    )
    return found


client_of_data_request: Final = owner_of(data_requests, DataRequestNotFound)
