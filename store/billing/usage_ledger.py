"""The usage ledger: one row per ticket, in the month of its admission, paid by the quota or a
credit. A ticket that used neither the brain nor the executor is credited back ("returned")."""

from datetime import datetime
from typing import Final

import sqlalchemy as sa
from sqlalchemy.dialects.postgresql import insert
from sqlalchemy.ext.asyncio import AsyncConnection

from domain.billing.quota import PaidBy, QuotaStanding, Threshold
from domain.core.ids import TenantId
from domain.core.ports import NewId
from domain.webhooks.outbound_event import UsageThresholdReached
from store.billing.tables import thresholds_sent
from store.core.repository import TenantRepository
from store.tenants.accounts import lock_if_open
from store.webhooks.outbox import Outbox

# One statement changes the counter and the credit balance only if the ledger row is new. A check
# constraint keeps the balance from falling below zero, even if the code has a bug.
_CHARGE: Final = sa.text("""
    WITH counted AS (
        INSERT INTO usage_ledger (client_id, event_id, period, paid_by, created_at)
        VALUES (:client_id, :event_id, :period, :paid_by, :now)
        ON CONFLICT DO NOTHING
        RETURNING client_id, paid_by
    ), spent AS (
        UPDATE clients SET credits_balance = credits_balance - 1
        FROM counted WHERE clients.id = counted.client_id AND counted.paid_by = 'credit'
        RETURNING clients.id
    ), noted AS (
        INSERT INTO credit_ledger (client_id, id, amount, reason, event_id, created_at)
        SELECT id, :entry_id, -1, 'ticket', :event_id, :now FROM spent
    )
    INSERT INTO usage_counters (client_id, period, tickets_used)
    SELECT client_id, :period, 1 FROM counted
    ON CONFLICT (client_id, period) DO UPDATE SET tickets_used = usage_counters.tickets_used + 1
""")

# The row of a returned ticket is kept as evidence, but is not counted. A repeated return has no
# effect, because the ticket is already returned.
_RETURN: Final = sa.text("""
    WITH returned AS (
        UPDATE usage_ledger SET returned_at = :now
        WHERE client_id = :client_id AND event_id = :event_id AND returned_at IS NULL
        RETURNING client_id, period, paid_by
    ), counted AS (
        UPDATE usage_counters SET tickets_used = tickets_used - 1
        FROM returned
        WHERE usage_counters.client_id = returned.client_id
          AND usage_counters.period = returned.period
    ), refunded AS (
        UPDATE clients SET credits_balance = credits_balance + 1
        FROM returned WHERE clients.id = returned.client_id AND returned.paid_by = 'credit'
        RETURNING clients.id
    )
    INSERT INTO credit_ledger (client_id, id, amount, reason, returned_event_id, created_at)
    SELECT id, :entry_id, 1, 'ticket_returned', :event_id, :now FROM refunded
""")

# The ticket is included again in the count for its month. If no credit is left, the quota pays for
# the ticket, because its message was already admitted.
_TAKE_AGAIN: Final = sa.text("""
    WITH taken AS (
        UPDATE usage_ledger AS ticket
        SET returned_at = NULL,
            paid_by = CASE WHEN client.credits_balance > 0 THEN ticket.paid_by ELSE 'quota' END
        FROM clients AS client
        WHERE ticket.client_id = :client_id AND ticket.event_id = :event_id
          AND ticket.returned_at IS NOT NULL AND client.id = ticket.client_id
        RETURNING ticket.client_id, ticket.period, ticket.paid_by
    ), counted AS (
        UPDATE usage_counters SET tickets_used = tickets_used + 1
        FROM taken
        WHERE usage_counters.client_id = taken.client_id AND usage_counters.period = taken.period
    ), spent AS (
        UPDATE clients SET credits_balance = credits_balance - 1
        FROM taken WHERE clients.id = taken.client_id AND taken.paid_by = 'credit'
        RETURNING clients.id
    )
    INSERT INTO credit_ledger (client_id, id, amount, reason, returned_event_id, created_at)
    SELECT id, :entry_id, -1, 'ticket_reopened', :event_id, :now FROM spent
""")


class UsageLedger(TenantRepository):
    async def charge(
        self,
        event_id: str,
        standing: QuotaStanding,
        paid_by: PaidBy,
        *,
        entry_id: str,
        now: datetime,
    ) -> None:
        """Count an event's ticket in the usage ledger. Idempotent. The caller must hold the
        account's lock."""
        await self._connection.execute(
            _CHARGE,
            {
                "client_id": self._tenant,
                "event_id": event_id,
                "period": standing.period,
                "paid_by": paid_by,
                "entry_id": entry_id,
                "now": now,
            },
        )

    async def give_back(self, event_id: str, *, entry_id: str, now: datetime) -> None:
        """Credit an event's ticket back to its month, with the credit that paid for it, if any.
        Idempotent by event. The caller must hold the account's lock."""
        values = {"client_id": self._tenant, "event_id": event_id, "entry_id": entry_id, "now": now}
        await self._connection.execute(_RETURN, values)

    async def take_again(self, event_id: str, *, entry_id: str, now: datetime) -> None:
        """Count a returned ticket again, with a credit if one paid for it and the client has one
        left. Idempotent by event. The caller must hold the account's lock."""
        values = {"client_id": self._tenant, "event_id": event_id, "entry_id": entry_id, "now": now}
        await self._connection.execute(_TAKE_AGAIN, values)

    async def note_thresholds(
        self,
        standing: QuotaStanding,
        thresholds: tuple[Threshold, ...],
        *,
        now: datetime,
        new_id: NewId,
        run_id: str | None = None,
    ) -> tuple[str, ...]:
        """Record these usage thresholds and write their webhook events, once a month for each
        threshold.

        Return the ids of the deliveries to send. `run_id` is the run that sends them, or None.
        """
        if not thresholds:
            return ()
        reached = {
            "tickets_used": standing.tickets_used,
            "tickets_limit": standing.tickets_limit,
            "credits_balance": standing.credits_balance,
        }
        fresh = await self._connection.scalars(
            insert(thresholds_sent)
            .values(
                [
                    {
                        "client_id": self._tenant,
                        "period": standing.period,
                        "threshold": threshold,
                        "created_at": now,
                        **reached,
                    }
                    for threshold in thresholds
                ]
            )
            .on_conflict_do_nothing()
            .returning(thresholds_sent.c.threshold)
        )
        outbox, deliveries = Outbox(self._connection, self._tenant), list[str]()
        for threshold in sorted(fresh):
            deliveries += await outbox.add(
                UsageThresholdReached(period=standing.period, threshold=threshold, **reached),
                dedup_key=f"{standing.period}:{threshold}",
                now=now,
                new_id=new_id,
                run_id=run_id,
            )
        return tuple(deliveries)


async def take_again(
    connection: AsyncConnection, tenant: TenantId, event_id: str, *, new_id: NewId, now: datetime
) -> None:
    """Lock the client's account, then count a returned ticket again."""
    await lock_if_open(connection, tenant)
    await UsageLedger(connection, tenant).take_again(event_id, entry_id=new_id(), now=now)
