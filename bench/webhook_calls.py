"""The calls in the webhooks benchmark: batches of deliveries, their baselines, and a neighbour
tenant's deliveries."""

import asyncio
import secrets
import time
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Final

import sqlalchemy as sa

from adapters.seal import FernetSealer
from adapters.system import new_ulid, utc_now
from adapters.temporal.client import TemporalEngine
from adapters.temporal.connection import connect
from adapters.webhooks import HttpWebhookSender
from bench.load import Call, Target
from bench.measure import EACH
from bench.webhook_noop import children
from demo.receiver import ReceivedWebhook, receiving
from demo.webhook import Destination, subscribe
from domain.core.ids import TenantId
from domain.core.service_name import ServiceName
from domain.webhooks.delivery import Trigger
from domain.webhooks.envelope import render
from domain.webhooks.outbound_event import OutboundEvent, TicketResolved
from domain.webhooks.signature import SECRET_BYTES, secret_of, signed_headers
from services.core.unit_of_work import UnitsOfWork
from settings import load_temporal
from store.core.database import Database
from store.webhooks.outbox import Outbox
from store.webhooks.tables import webhook_deliveries

_PATIENCE_S: Final = 30.0
_RECORD_PAUSE_S: Final = 0.005
_DELIVERY: Final = "x-service-delivery"


class Deliveries:
    """Tenants with one webhook each, and one receiver for all webhooks in this process."""

    def __init__(self, database: Database, engine: TemporalEngine) -> None:
        self._database = database
        self._engine = engine
        self._arrivals: dict[str, asyncio.Future[float]] = {}

    def heard(self, arrival: ReceivedWebhook) -> None:
        expected = self._arrivals.pop(arrival.headers.get(_DELIVERY, ""), None)
        if expected is not None:
            expected.set_result(time.perf_counter())

    async def send(self, tenant: TenantId, count: int) -> tuple[tuple[str, ...], float]:
        """Add this number of events in one transaction, and send their webhooks. Return the
        deliveries' ids, and the seconds from the commit to the last arrival. Raises
        TimeoutError."""
        now, sent = utc_now(), list[str]()
        async with self._database.tenant(tenant) as connection:
            outbox = Outbox(connection, tenant)
            for _ in range(count):
                key = secrets.token_hex(8)
                sent += await outbox.add(event(), dedup_key=key, now=now, new_id=new_ulid)
        committed, loop = time.perf_counter(), asyncio.get_running_loop()
        expected = [self._arrivals.setdefault(one, loop.create_future()) for one in sent]
        async with asyncio.timeout(_PATIENCE_S):
            await self._engine.send_webhooks(tenant, sent)
            arrived = await asyncio.gather(*expected)
        return tuple(sent), max(arrived) - committed

    async def recorded(self, tenant: TenantId, deliveries: Sequence[str]) -> str:
        """Return "completed" once all deliveries have succeeded, else their states. Raises
        TimeoutError without recorded outcomes."""
        table = webhook_deliveries.c
        query = sa.select(table.status).where(table.client_id == tenant, table.id.in_(deliveries))
        async with asyncio.timeout(_PATIENCE_S):
            while True:
                async with self._database.tenant(tenant) as connection:
                    found = set(await connection.scalars(query))
                if "pending" not in found:
                    return "completed" if found == {"success"} else f"recorded as {found}"
                await asyncio.sleep(_RECORD_PAUSE_S)


def event() -> OutboundEvent:
    return TicketResolved(
        ticket_id="T-1042",
        customer_email="emma@example.com",
        classification="order_status",
        confidence=0.93,
        ai_response="Bonjour, votre commande 1042 est en route. " * 8,
        duration_ms=84,
    )


@asynccontextmanager
async def _deliveries(target: Target) -> AsyncIterator[Deliveries]:
    database = Database(target.database_url, pool_size=8)
    engine = TemporalEngine(await connect(load_temporal({"TEMPORAL_ADDRESS": target.address})))
    sealer = FernetSealer(target.seal_key)
    try:
        async with receiving(Path(target.certificate)) as receiver:
            units = UnitsOfWork(database, engine, utc_now, new_ulid)
            for shop in target.shops:
                async with units.of(TenantId(shop.client_id)) as work:
                    await subscribe(work, Destination(receiver.url, allow_private=True), sealer)
            sending = Deliveries(database, engine)
            receiver.heard = sending.heard
            yield sending
    finally:
        await database.close()


@asynccontextmanager
async def deliveries_call(target: Target) -> AsyncIterator[Call]:
    """Yield a call that stores a batch of deliveries for an idle tenant, sends them and records the
    responses."""
    idle = [TenantId(shop.client_id) for shop in target.shops]
    async with _deliveries(target) as sending:

        async def call() -> str:
            tenant = idle.pop()
            try:
                sent, _ = await sending.send(tenant, EACH)
                return await sending.recorded(tenant, sent)
            finally:
                idle.insert(0, tenant)

        yield call


@asynccontextmanager
async def neighbour_call(target: Target) -> AsyncIterator[Call]:
    """Yield a call that makes one delivery for the neighbour tenant, timed from its commit to its
    arrival."""
    [shop] = target.shops
    async with _deliveries(target) as sending:

        async def call() -> float:
            _, seconds = await sending.send(TenantId(shop.client_id), 1)
            return seconds * 1000

        yield call


@asynccontextmanager
async def children_call(target: Target) -> AsyncIterator[Call]:
    """Yield a call that starts a batch of bare child workflows, with this process as the worker."""
    client = await connect(load_temporal({"TEMPORAL_ADDRESS": target.address}))
    async with children(client) as working:

        async def call() -> str:
            await working.run(f"bare-{secrets.token_hex(8)}", EACH)
            return "completed"

        yield call


@asynccontextmanager
async def posts_call(target: Target) -> AsyncIterator[Call]:
    """Yield a call that makes a batch of bare POSTs, signed and sent like our deliveries."""
    sender = HttpWebhookSender(allow_private=True, ca_file=Path(target.ca_file))
    secret = secret_of(secrets.token_bytes(SECRET_BYTES))
    body = render(event(), new_ulid(), utc_now())

    async def post() -> bool:
        delivery_id = new_ulid()
        headers = signed_headers(
            event="ticket.resolved",
            event_id=delivery_id,
            delivery_id=delivery_id,
            attempt=1,
            trigger=Trigger.EVENT,
            timestamp=int(time.time()),
            body=body,
            service=ServiceName(),
            secrets=[secret],
        )
        return (await sender.post(target.url, headers, body, client_id="bench")).failure is None

    async def call() -> str:
        succeeded = await asyncio.gather(*(post() for _ in range(EACH)))
        return "completed" if all(succeeded) else f"{succeeded.count(False)} POSTs failed"

    yield call
