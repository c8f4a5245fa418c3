"""The activity that makes one attempt at a webhook delivery, from acquiring a permit to recording
the outcome."""

import time
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager, suppress
from datetime import timedelta
from typing import Final

from temporalio import activity

from activities.runtime.heartbeat import beating
from activities.runtime.insisting import insisting
from activities.webhooks.delivery_limiter import DeliveryLimiter
from activities.webhooks.network_self_check import WAITS_AT_MOST_S, NetworkSelfCheck
from domain.core import names
from domain.core.errors import EngineUnavailable
from domain.core.ids import TenantId
from domain.core.ports import Clock, Sealer
from domain.core.service_name import ServiceName
from domain.webhooks.contracts import DeliverInput, DeliverResult
from domain.webhooks.delivery import DeliveryAttempt, Trigger
from domain.webhooks.errors import Deferred
from domain.webhooks.ports import WatchDeliveries, WebhookSender
from domain.webhooks.retries import retry_in_s
from domain.webhooks.secret import unseal_secret
from domain.webhooks.signature import masked, signed_headers
from store.core.database import Database
from store.webhooks.deliveries import DeliveryRepository, Outgoing

# Pauses between attempts to record an outcome, in seconds. The database may restart between the
# POST and the record. Waiting avoids a second POST.
RECORD_PAUSES_S: Final = (0.1, 0.3, 1.0, 3.0)
# If the wait for a permit exceeds this time, in seconds, the webhook is loaded again, because it
# may have been disabled or changed.
_STALE_S: Final = 0.5


class Deliver:
    """The activity that delivers webhooks. `randomness`: returns a random number from 0 to 1, used
    to spread retries over time."""

    def __init__(
        self,
        database: Database,
        sealer: Sealer,
        sender: WebhookSender,
        delivery_limiter: DeliveryLimiter,
        network: NetworkSelfCheck,
        *,
        watch: WatchDeliveries,
        now: Clock,
        randomness: Callable[[], float],
        service: ServiceName,
    ) -> None:
        self._service = service
        self._database = database
        self._sealer = sealer
        self._sender = sender
        self._permits = delivery_limiter
        self._network = network
        self._watch = watch
        self._now = now
        self._chance = randomness

    @activity.defn(name=names.DELIVER)
    async def deliver(self, step: DeliverInput) -> DeliverResult:
        """Send the delivery once, and record the outcome.

        Idempotency key: (delivery, attempt). After a crash before the record, the attempt is
        repeated with the same webhook-id and counted once. Raises Deferred if too many of the
        tenant's deliveries are waiting, or if our network failed, which does not count against the
        receiver.

        A secret that cannot be unsealed raises ValueError and is reported. The delivery is retried
        until the key is available again.
        """
        async with beating():
            asked = time.monotonic()
            outgoing = await self._begin(step)
            if isinstance(outgoing, DeliverResult):
                return self._ended(outgoing, None)
            async with self._putting_off(step):
                tries = self._tries(outgoing)
                if tries is not None:
                    self._network.admit(step.client_id, outgoing.url, tries=tries)
                async with self._permits.of(step.client_id, outgoing.webhook_id):
                    if time.monotonic() - asked > _STALE_S:
                        outgoing = await self._begin(step)
                        if isinstance(outgoing, DeliverResult):
                            return self._ended(outgoing, None)
                    headers = self._headers(step, outgoing)
                    done = await self._sender.post(
                        outgoing.url, headers, outgoing.body, client_id=step.client_id
                    )
                if tries is not None:
                    await self._network.judge(step.client_id, outgoing.url, done, tries=tries)
            return self._ended(await self._record(step, outgoing, done, headers), done)

    async def _begin(self, step: DeliverInput) -> Outgoing | DeliverResult:
        tenant = TenantId(step.client_id)
        async with self._database.tenant(tenant) as connection:
            return await DeliveryRepository(connection, tenant).begin(
                step.delivery_id, step.attempt, self._now()
            )

    def _tries(self, outgoing: Outgoing) -> int | None:
        """Return the attempt number, or None to send without the network check. Test events skip
        the check because a user is waiting. Deliveries that have waited longer than
        `WAITS_AT_MOST_S` skip it too."""
        info = activity.info()
        waited = self._now() - info.scheduled_time
        if outgoing.trigger is Trigger.TEST or waited.total_seconds() > WAITS_AT_MOST_S:
            return None
        return info.attempt

    @asynccontextmanager
    async def _putting_off(self, step: DeliverInput) -> AsyncIterator[None]:
        """Run an attempt. If it raises Deferred, store the time of the next attempt, so that the
        sweep does not start the delivery earlier."""
        try:
            yield
        except Deferred as deferred:
            tenant = TenantId(step.client_id)
            until = self._now() + timedelta(seconds=deferred.retry_after_s)
            with suppress(EngineUnavailable):
                async with self._database.tenant(tenant) as connection:
                    repository = DeliveryRepository(connection, tenant)
                    await repository.put_off(step.delivery_id, step.attempt, until)
            raise

    def _headers(self, step: DeliverInput, outgoing: Outgoing) -> dict[str, str]:
        return signed_headers(
            event=outgoing.event,
            event_id=outgoing.event_id,
            delivery_id=outgoing.delivery_id,
            attempt=step.attempt,
            trigger=outgoing.trigger,
            timestamp=int(self._now().timestamp()),
            body=outgoing.body,
            service=self._service,
            secrets=[
                unseal_secret(self._sealer, step.client_id, outgoing.webhook_id, sealed)
                for sealed in outgoing.sealed_secrets
            ],
        )

    async def _record(
        self, step: DeliverInput, outgoing: Outgoing, done: DeliveryAttempt, headers: dict[str, str]
    ) -> DeliverResult:
        again = None
        if done.failure is not None:
            again = retry_in_s(
                done, step.attempt, outgoing.trigger, outgoing.retry_policy, self._chance()
            )
        return await insisting(RECORD_PAUSES_S)(self._finish, step, outgoing, done, headers, again)

    async def _finish(
        self,
        step: DeliverInput,
        outgoing: Outgoing,
        done: DeliveryAttempt,
        headers: dict[str, str],
        again: float | None,
    ) -> DeliverResult:
        tenant = TenantId(step.client_id)
        async with self._database.tenant(tenant) as connection:
            return await DeliveryRepository(connection, tenant).finish(
                outgoing, step.attempt, done, masked(headers), retry_in_s=again, now=self._now()
            )

    def _ended(self, result: DeliverResult, done: DeliveryAttempt | None) -> DeliverResult:
        self._watch.tried(result.status, done)
        return result
