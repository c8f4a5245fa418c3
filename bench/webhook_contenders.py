"""The systems compared in the webhooks benchmark. All run on this machine, including the
receivers."""

import sys
from pathlib import Path
from typing import Final

import sqlalchemy as sa

from adapters.seal import FernetSealer
from adapters.system import new_ulid, utc_now
from adapters.temporal.client import TemporalEngine
from adapters.temporal.connection import connect
from bench.contenders import Contender, GatewayContender
from bench.load import Driver, LoadShop, Phase, Target
from bench.webhook_calls import event
from domain.core.ids import TenantId
from domain.webhooks.delivery import DeliveryStatus, FailureKind
from domain.webhooks.secret import seal_secret
from domain.webhooks.signature import SECRET_BYTES, secret_of
from domain.webhooks.webhook import ALL_EVENTS, RetryPolicy
from embedded.data_folder import StackInfo
from embedded.ports import free_port
from embedded.process import Child
from settings import load_temporal
from store.core.database import Database
from store.webhooks.outbox import Outbox
from store.webhooks.tables import webhook_deliveries, webhook_subscriptions

HANGING_RECEIVERS: Final = 200

# Each event is sent to all receivers. With three events, all receivers have pending deliveries
# until the end.
_EVENTS: Final = 3
_SETTLED_S: Final = 20.0
_STOP_S: Final = 5.0


class WebhookContender(GatewayContender):
    """The whole service. `quiet` is the name of the turns in which only one tenant has deliveries,
    or None if there are none."""

    def __init__(self, name: str, folder: Path, *, quiet: str | None = None) -> None:
        super().__init__(name, folder)
        self._quiet = quiet

    @property
    def info(self) -> StackInfo:
        """Return the running stack's addresses and keys. Raises RuntimeError if the stack has not
        started."""
        if self._stack.info is None:
            raise RuntimeError("not started")
        return self._stack.info

    @property
    def certificate(self) -> Path:
        """Return the path of the CA certificate with which this stack trusts receivers."""
        return self._folder.certificate

    def target(self, *shops: LoadShop) -> Target:
        env = self.info.env
        return Target(
            kind="deliveries",
            address=env["TEMPORAL_ADDRESS"],
            shops=shops,
            ca_file=env["WEBHOOK_CA_FILE"],
            certificate=str(self.certificate),
            database_url=env["DATABASE_URL"],
            seal_key=env["SEAL_KEY"],
        )

    def _targets(self, port: int) -> dict[str, Target]:  # noqa: ARG002 - no API is called
        first, *others = self.shops
        targets = {self.name: self.target(*others)}
        if self._quiet is not None:
            targets[self._quiet] = self.target(first).model_copy(update={"kind": "neighbour"})
        return targets


class ChildrenContender(Contender):
    """Bare child workflows on the Temporal server of the contender `ours`, which must already be
    running. The load driver is also the worker for these workflows."""

    def __init__(self, name: str, ours: WebhookContender) -> None:
        super().__init__(name)
        self._ours = ours

    async def start(self) -> None:
        address = self._ours.info.env["TEMPORAL_ADDRESS"]
        self.pids = {"temporal": self._ours.pids["temporal"]}
        self.drivers[self.name] = await Driver.start(Target(kind="children", address=address))

    def _stop_servers(self) -> None:
        """Do nothing because another contender owns the server."""


class PostsContender(Contender):
    """The baseline. It sends our deliveries' requests as plain HTTP POSTs to a receiver in a
    separate process."""

    def __init__(self, name: str, folder: Path, ours: WebhookContender) -> None:
        super().__init__(name)
        self._folder = folder
        self._ours = ours
        self._receiver: Child | None = None

    async def start(self) -> None:
        self._receiver, url = _receiver(self._folder / "logs" / f"{self.name}.log", self._ours)
        self.pids = {"receiver": self._receiver.pid}
        target = Target(kind="posts", url=url, ca_file=self._ours.info.env["WEBHOOK_CA_FILE"])
        self.drivers[self.name] = await Driver.start(target)

    def _stop_servers(self) -> None:
        _end(self._receiver)


class HangingContender(WebhookContender):
    """One tenant's deliveries while another tenant's receivers never respond."""

    def __init__(self, name: str, folder: Path) -> None:
        super().__init__(name, folder)
        self._receiver: Child | None = None
        self._log = folder / "logs" / f"{name}-receiver.log"

    async def start(self) -> None:
        await super().start()
        self._receiver, url = _receiver(self._log, self)
        await self._hang(TenantId(self.shops[1].client_id), f"{url}/hang")
        # During this time, one delivery to each receiver is attempted and deferred.
        await self.drivers[self.name].run(Phase(concurrency=1, seconds=_SETTLED_S))

    async def check(self) -> None:
        """Raise RuntimeError unless every receiver hung and still had pending deliveries."""
        table = webhook_deliveries.c
        query = (
            sa.select(table.status, table.failure_kind, sa.func.count())
            .where(table.client_id == self.shops[1].client_id)
            .group_by(table.status, table.failure_kind)
        )
        database = Database(self.info.env["DATABASE_URL"], pool_size=1)
        try:
            async with database.service() as connection:
                rows = await connection.execute(query)
                found = {(status, kind): count for status, kind, count in rows}
        finally:
            await database.close()
        waiting = found.pop((DeliveryStatus.PENDING, None), 0)
        if waiting < HANGING_RECEIVERS or set(found) != {
            (DeliveryStatus.FAILED, FailureKind.TIMEOUT)
        }:
            raise RuntimeError(f"{waiting} deliveries are pending, the others ended as {found}")

    def _targets(self, port: int) -> dict[str, Target]:  # noqa: ARG002 - no API is called
        return {self.name: self.target(self.shops[0]).model_copy(update={"kind": "neighbour"})}

    def _stop_servers(self) -> None:
        super()._stop_servers()
        _end(self._receiver)

    async def _hang(self, tenant: TenantId, url: str) -> None:
        """Create the webhooks, add events for them, and send the deliveries. The receivers do not
        respond."""
        env, now = self.info.env, utc_now()
        sealer = FernetSealer(env["SEAL_KEY"])
        ids = [new_ulid() for _ in range(HANGING_RECEIVERS)]
        webhooks = [
            {
                "client_id": tenant,
                "id": one,
                "label": "hangs",
                "url": f"{url}/{one}",
                "events": [ALL_EVENTS],
                "retry_policy": RetryPolicy.NONE,
                "secret_sealed": seal_secret(sealer, tenant, one, secret_of(bytes(SECRET_BYTES))),
                "created_at": now,
            }
            for one in ids
        ]
        database = Database(env["DATABASE_URL"], pool_size=1)
        try:
            async with database.tenant(tenant) as connection:
                await connection.execute(sa.insert(webhook_subscriptions), webhooks)
                outbox = Outbox(connection, tenant)
                sent = [
                    one
                    for number in range(_EVENTS)
                    for one in await outbox.add(
                        event(), dedup_key=f"hang-{number}", now=now, new_id=new_ulid
                    )
                ]
        finally:
            await database.close()
        client = await connect(load_temporal({"TEMPORAL_ADDRESS": env["TEMPORAL_ADDRESS"]}))
        await TemporalEngine(client).send_webhooks(tenant, sent)


def _receiver(log: Path, ours: WebhookContender) -> tuple[Child, str]:
    port = free_port()
    command = [sys.executable, "-m", "bench.receiver", "--port", str(port)]
    command += ["--certificate", str(ours.certificate)]
    return Child("receiver", command, log=log), f"https://localhost:{port}"


def _end(receiver: Child | None) -> None:
    if receiver is not None:
        receiver.terminate()
        receiver.wait(_STOP_S)
