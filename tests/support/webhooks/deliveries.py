"""A shop's webhooks from the sender's view, with each step in a separate transaction."""

from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Final

import sqlalchemy as sa
from sqlalchemy.ext.asyncio import AsyncConnection

from adapters.system import new_ulid, utc_now
from domain.tenants.client import Plan
from domain.webhooks.contracts import DeliverResult
from domain.webhooks.delivery import (
    Delivery,
    DeliveryAttempt,
    DeliveryStatus,
    DeliverySummary,
    FailureKind,
)
from domain.webhooks.webhook import RetryPolicy, Webhook
from store.core.database import Database
from store.tenants.tables import clients
from store.webhooks.deliveries import DeliveryRepository, Outgoing
from store.webhooks.replay import DeliveryReplay
from store.webhooks.subscriptions import WebhookChange, WebhookRepository
from tests.support.tenants.shop import Shop
from tests.support.webhooks.webhooks import Subscribed, subscribe, tell

GOT: Final = DeliveryAttempt(failure=None, duration_ms=7, response_status=204)
BROKEN: Final = DeliveryAttempt(
    failure=FailureKind.HTTP_5XX,
    duration_ms=9,
    error="500",
    response_status=500,
    response_body=b"x",
)
GONE: Final = DeliveryAttempt(failure=FailureKind.HTTP_4XX, duration_ms=3, response_status=410)

SUCCESS: Final = DeliverResult(status=DeliveryStatus.SUCCESS)
FAILED: Final = DeliverResult(status=DeliveryStatus.FAILED)
SKIPPED: Final = DeliverResult(status=DeliveryStatus.SKIPPED)

LONG_AGO: Final = datetime(2020, 1, 1, tzinfo=UTC)


@dataclass(frozen=True)
class Hooks:
    database: Database
    shop: Shop

    def connection(self) -> AbstractAsyncContextManager[AsyncConnection]:
        return self.database.tenant(self.shop.tenant)

    async def subscribe(
        self, *, events: tuple[str, ...] = ("*",), retry_policy: RetryPolicy = RetryPolicy.NONE
    ) -> Subscribed:
        return await subscribe(self.database, self.shop, events=events, retry_policy=retry_policy)

    async def tell(self, *, run_id: str | None = None) -> tuple[str, ...]:
        return await tell(self.database, self.shop, run_id=run_id)

    async def begin(self, delivery_id: str, attempt: int = 1) -> Outgoing | DeliverResult:
        async with self.connection() as connection:
            return await DeliveryRepository(connection, self.shop.tenant).begin(
                delivery_id, attempt, utc_now()
            )

    async def begun(self, delivery_id: str, attempt: int = 1) -> Outgoing:
        """Start a delivery, which must have a request to send."""
        outgoing = await self.begin(delivery_id, attempt)
        assert isinstance(outgoing, Outgoing)
        return outgoing

    async def finish(
        self,
        outgoing: Outgoing,
        done: DeliveryAttempt,
        *,
        attempt: int = 1,
        retry_in_s: float | None = None,
        now: datetime | None = None,
    ) -> DeliverResult:
        async with self.connection() as connection:
            return await DeliveryRepository(connection, self.shop.tenant).finish(
                outgoing,
                attempt,
                done,
                {"X-Service-Event": outgoing.event},
                retry_in_s=retry_in_s,
                now=now or utc_now(),
            )

    async def send(self, delivery_id: str, done: DeliveryAttempt) -> DeliverResult:
        return await self.finish(await self.begun(delivery_id), done)

    async def told_and_sent(self, done: DeliveryAttempt, times: int = 1) -> list[DeliverResult]:
        """Create events and deliver them one after another, to the shop's only webhook."""
        results = []
        for _ in range(times):
            (delivery_id,) = await self.tell()
            results.append(await self.send(delivery_id, done))
        return results

    async def seen(self, webhook: Subscribed) -> Webhook:
        async with self.connection() as connection:
            return await WebhookRepository(connection, self.shop.tenant).read(webhook.id)

    async def pause(self, webhook: Subscribed) -> None:
        await self.change(webhook, WebhookChange(pause=True))

    async def change(self, webhook: Subscribed, change: WebhookChange) -> Webhook:
        async with self.connection() as connection:
            return await WebhookRepository(connection, self.shop.tenant).change(
                webhook.id, change, utc_now()
            )

    async def enable(self, webhook: Subscribed) -> Webhook:
        async with self.connection() as connection:
            return await WebhookRepository(connection, self.shop.tenant).enable(webhook.id)

    async def delete(self, webhook: Subscribed) -> None:
        async with self.connection() as connection:
            await WebhookRepository(connection, self.shop.tenant).delete(webhook.id)

    async def set_plan(self, plan: Plan) -> None:
        async with self.connection() as connection:
            await connection.execute(
                sa.update(clients).where(clients.c.id == self.shop.client_id).values(plan=plan)
            )

    async def record(self, webhook: Subscribed, delivery_id: str) -> Delivery:
        async with self.connection() as connection:
            return await DeliveryRepository(connection, self.shop.tenant).read(
                webhook.id, delivery_id
            )

    async def listed(self, webhook: Subscribed) -> tuple[DeliverySummary, ...]:
        async with self.connection() as connection:
            return await DeliveryRepository(connection, self.shop.tenant).latest(webhook.id)

    async def replay(self, webhook: Subscribed, delivery_id: str) -> str:
        async with self.connection() as connection:
            return await DeliveryReplay(connection, self.shop.tenant).replay(
                webhook.id, delivery_id, new_ulid, utc_now()
            )

    async def replay_missed(
        self, webhook: Subscribed, *, since: datetime = LONG_AGO, limit: int = 99
    ) -> tuple[str, ...]:
        async with self.connection() as connection:
            replayed = await DeliveryReplay(connection, self.shop.tenant).replay_since(
                webhook.id, since, limit=limit, new_id=new_ulid, now=utc_now()
            )
            return replayed.delivery_ids

    async def sample_to(self, webhook: Subscribed) -> str:
        async with self.connection() as connection:
            return await DeliveryReplay(connection, self.shop.tenant).test(
                webhook.id, "ticket.resolved", b"{}", new_ulid, utc_now()
            )
