"""Counts of outgoing emails per UTC day, across clients."""

from dataclasses import dataclass
from datetime import datetime
from typing import Final

import sqlalchemy as sa
from sqlalchemy.dialects.postgresql import insert
from sqlalchemy.ext.asyncio import AsyncConnection

from domain.core.ids import TenantId
from domain.integrations.mail_allowance import REFUSALS_WITHIN, MailGroup, MailStanding
from domain.tenants.errors import ClientNotFound
from store.integrations.tables import mail_counts
from store.tenants.accounts import subscription_of
from store.tenants.tables import clients

_SCOPES: Final = {group: f"client/{group}" for group in MailGroup}


@dataclass(frozen=True, slots=True)
class MailCount:
    """A counter that each email increments once. `limit` is the maximum number of emails per day
    for `key`."""

    scope: str
    key: str
    limit: int

    @classmethod
    def of_client(cls, client: TenantId, group: MailGroup, limit: int) -> "MailCount":
        return cls(_SCOPES[group], client, limit)


class MailCountRepository:
    def __init__(self, connection: AsyncConnection) -> None:
        self._connection = connection

    async def standing(self, tenant: TenantId, group: MailGroup, now: datetime) -> MailStanding:
        """Return the email counts and account data from which a client's mail limit is computed.
        Raises ClientNotFound if the client does not exist or is being erased."""
        counted = mail_counts.c
        row = (
            await self._connection.execute(
                sa.select(
                    clients.c.created_at,
                    clients.c.plan,
                    clients.c.trial_ends_at,
                    clients.c.next_plan,
                    clients.c.next_plan_from,
                    sa.func.coalesce(sa.func.sum(counted.sent), 0).label("sent"),
                    sa.func.coalesce(sa.func.sum(counted.refused), 0).label("refused"),
                )
                .outerjoin(
                    mail_counts,
                    sa.and_(
                        counted.scope == _SCOPES[group],
                        counted.key == clients.c.id,
                        counted.day > (now - REFUSALS_WITHIN[group]).date(),
                    ),
                )
                .where(clients.c.id == tenant, clients.c.closed_at.is_(None))
                .group_by(clients.c.id)
            )
        ).one_or_none()
        if row is None:
            raise ClientNotFound(tenant)
        return MailStanding(
            row.created_at, subscription_of(row), group, int(row.sent), int(row.refused)
        )

    async def take(self, count: MailCount, now: datetime) -> bool:
        """Increment today's mail count. Return False at the daily limit.

        Emails with the same key wait for this transaction, so keep it short.
        """
        if count.limit <= 0:
            return False
        taken = await self._connection.scalar(
            insert(mail_counts)
            .values(scope=count.scope, key=count.key, day=now.date(), sent=1, created_at=now)
            .on_conflict_do_update(
                index_elements=["scope", "key", "day"],
                set_={"sent": mail_counts.c.sent + 1},
                where=mail_counts.c.sent < count.limit,
            )
            .returning(mail_counts.c.sent)
        )
        return taken is not None

    async def give_back(self, count: MailCount, taken_at: datetime) -> None:
        """Decrement the count of sent emails because the mail server did not accept an email."""
        await self._change(count, taken_at, sent=mail_counts.c.sent - 1)

    async def note_refusal(self, count: MailCount, taken_at: datetime) -> None:
        await self._change(count, taken_at, refused=mail_counts.c.refused + 1)

    async def add_refusals(
        self, tenant: TenantId, group: MailGroup, number: int, now: datetime
    ) -> None:
        """Add to today's count of rejected emails. The emails themselves may have been sent on an
        earlier day."""
        await self._connection.execute(
            insert(mail_counts)
            .values(
                scope=_SCOPES[group],
                key=tenant,
                day=now.date(),
                refused=number,
                created_at=now,
            )
            .on_conflict_do_update(
                index_elements=["scope", "key", "day"],
                set_={"refused": mail_counts.c.refused + number},
            )
        )

    async def _change(
        self, count: MailCount, day_of: datetime, **values: "sa.ColumnElement[int]"
    ) -> None:
        await self._connection.execute(
            sa.update(mail_counts)
            .where(
                mail_counts.c.scope == count.scope,
                mail_counts.c.key == count.key,
                mail_counts.c.day == day_of.date(),
            )
            .values(**values)
        )
