"""The compared systems, each in separate processes with its own load driver.

All run at the same time and are called alternately. An idle system uses 0.2 to 2 % of a core,
measured during every turn (`idle_cpu_percent`).
"""

import asyncio
import os
import sys
import time
from abc import ABC, abstractmethod
from collections.abc import Iterator
from contextlib import AbstractAsyncContextManager, contextmanager, nullcontext
from pathlib import Path
from typing import Final, Literal

from temporalio.client import Client

from adapters.seal import FernetSealer
from adapters.system import new_ulid, utc_now
from bench.full_database import fill
from bench.holds import metrics_port
from bench.load import Driver, LoadShop, Target
from bench.orders import stock
from commands.core.nearby_engine import NearbyEngine
from demo.seed import seed
from domain.core.ids import TenantId
from embedded.data_folder import DataFolder
from embedded.ports import free_port
from embedded.postgres import EmbeddedPostgres
from embedded.process import Child
from embedded.stack import Stack, StackPorts
from embedded.temporal_server import temporal_command
from services.core.unit_of_work import UnitsOfWork
from store.core.database import Database
from store.core.migrate import migrate

# With this many shops, none reaches its limit of 200 messages an hour, even if half of these
# messages are already stored. Each turn uses new customers.
_SHOPS: Final = 32
_START_TIMEOUT_S: Final = 60.0
_STOP_S: Final = 5.0


class Contender(ABC):
    """One compared system. `stop` ends the processes that `start` has started, even if `start`
    failed."""

    def __init__(self, name: str) -> None:
        self.name = name
        self.drivers: dict[str, Driver] = {}
        self.pids: dict[str, int] = {}
        self.metrics_port: int | None = None

    @abstractmethod
    async def start(self) -> None: ...

    def during(self, turn: str) -> AbstractAsyncContextManager[None]:  # noqa: ARG002
        """Return a context manager that is entered for the duration of the turn with this name. The
        default does nothing."""
        return nullcontext()

    async def stop(self) -> None:
        for driver in self.drivers.values():
            await driver.stop()
        self._stop_servers()

    @abstractmethod
    def _stop_servers(self) -> None: ...


class NoopContender(Contender):
    """A no-op workflow with its own Temporal server. `naive` runs on an untuned server, `floor` and
    `skeleton` on tuned ones."""

    def __init__(self, name: Literal["naive", "floor", "skeleton"], folder: Path) -> None:
        super().__init__(name)
        self._kind = name
        self._folder = folder
        self._children: list[Child] = []

    async def start(self) -> None:
        port = free_port()
        address = f"127.0.0.1:{port}"
        server = temporal_command(
            database=self._folder / f"{self.name}.db",
            port=port,
            ui_port=None,
            tuned=self._kind != "naive",
        )
        self._spawn("temporal", server)
        await _answers(address)
        worker = [sys.executable, "-m", "bench.noop_worker", self._kind, "--address", address]
        self._spawn("worker", worker)
        self.pids = {child.name: child.pid for child in self._children}
        self.drivers[self.name] = await Driver.start(Target(kind=self._kind, address=address))

    def _stop_servers(self) -> None:
        for child in reversed(self._children):
            child.terminate()
        for child in reversed(self._children):
            child.wait(_STOP_S)

    def _spawn(self, name: str, command: list[str]) -> None:
        log = self._folder / "logs" / f"{self.name}-{name}.log"
        self._children.append(Child(name, command, log=log))


class GatewayContender(Contender):
    """The whole service, as started by `make run`. `mail` is the name of the turns during which
    answers are sent by SMTP to the stack's mail sink, or None if there are none."""

    def __init__(self, name: str, folder: Path, *, mail: str | None = None) -> None:
        super().__init__(name)
        self._mail = mail
        self._folder = DataFolder(folder / name / "stack")
        self._shop_folder = folder / name / "shops"
        self.metrics_port = metrics_port()
        with _environment(METRICS_PORT=str(self.metrics_port)):
            self._stack = Stack(self._folder, StackPorts(), lambda _: None)
        self.shops: tuple[LoadShop, ...] = ()
        self.database_url = ""
        self.owner_url = ""
        self.port = 0

    async def start(self) -> None:
        with EmbeddedPostgres(self._folder.postgres) as server:
            self.database_url, self.owner_url = server.url, server.owner_url
            await asyncio.to_thread(migrate, server.owner_url)
            self.shops = tuple([await self._shop(number) for number in range(_SHOPS)])
            await self._fill()
        info = await self._stack.start()
        self.pids = {**info.pids, "postgres": _postmaster(self._folder)}
        self.port = _port_of(info.api_url)
        for name, target in self._targets(self.port).items():
            self.drivers[name] = await Driver.start(target)

    def mails(self) -> int:
        """Return the number of emails in the stack's mail sink."""
        return sum(1 for _ in self._folder.mail.glob("*.eml"))

    async def _fill(self) -> None:
        """Add more rows to the database before the service starts."""

    def _targets(self, port: int) -> dict[str, Target]:
        """Return each driver's target, keyed by the name of the driver's turns."""
        target = Target(kind="gateway", port=port, shops=self.shops)
        mail = target.model_copy(update={"kind": "mail"})
        return {self.name: target} | ({self._mail: mail} if self._mail else {})

    def _stop_servers(self) -> None:
        self._stack.stop()

    async def _shop(self, number: int) -> LoadShop:
        folder = DataFolder(self._shop_folder / str(number))
        database = Database(self.database_url, pool_size=1)
        try:
            # Seeding sends nothing to Temporal, so no Temporal server needs to run.
            units = UnitsOfWork(database, NearbyEngine({}), utc_now, new_ulid)
            async with units.spanning(TenantId(new_ulid())) as work:
                sealer = FernetSealer(self._folder.seal_key())
                shop = await seed(work, folder.shop, sealer, to=None)
        finally:
            await database.close()
        await asyncio.to_thread(stock, folder.shop, utc_now())
        return LoadShop(client_id=shop.client_id, key=shop.key)


class FullContender(GatewayContender):
    """The service on the full database. `usage` is the name of the turns that read the usage of all
    clients."""

    def __init__(self, name: str, folder: Path, *, usage: str) -> None:
        super().__init__(name, folder)
        self._usage = usage
        self._clients: tuple[LoadShop, ...] = ()
        self.filled_in_s = 0.0

    async def _fill(self) -> None:
        began = time.monotonic()
        self._clients = await asyncio.to_thread(fill, self.owner_url, self.shops, now=utc_now())
        self.filled_in_s = time.monotonic() - began

    def _targets(self, port: int) -> dict[str, Target]:
        return super()._targets(port) | {self._usage: self.usage_target(port)}

    def usage_target(self, port: int) -> Target:
        """Return a target that reads the usage of one client after another, from this API or from
        another API on the same database."""
        return Target(kind="usage", port=port, shops=self._clients)


class BareContender(Contender):
    """`bench.bare_api` on the full database, which must already be running."""

    def __init__(self, name: str, folder: Path, full: FullContender) -> None:
        super().__init__(name)
        self._log = folder / "logs" / f"{name}.log"
        self._full = full
        self._child: Child | None = None

    async def start(self) -> None:
        port = free_port()
        command = [sys.executable, "-m", "bench.bare_api", "--port", str(port)]
        command += ["--database-url", self._full.owner_url]
        self._child = Child(self.name, command, log=self._log)
        await _listens(port)
        self.pids = {"api": self._child.pid, "postgres": self._full.pids["postgres"]}
        self.drivers[self.name] = await Driver.start(self._full.usage_target(port))

    def _stop_servers(self) -> None:
        if self._child is not None:
            self._child.terminate()
            self._child.wait(_STOP_S)


@contextmanager
def _environment(**more: str) -> Iterator[None]:
    """Set environment variables while a stack is created. The stack reads them only at that
    time."""
    before = dict(os.environ)
    os.environ.update(more)
    try:
        yield
    finally:
        os.environ.clear()
        os.environ.update(before)


def _port_of(url: str) -> int:
    return int(url.rpartition(":")[2])


def _postmaster(folder: DataFolder) -> int:
    return int((folder.postgres / "postmaster.pid").read_text().splitlines()[0])


async def _answers(address: str) -> None:
    """Wait until a Temporal server responds. Raises TimeoutError if it does not respond in time."""
    async with asyncio.timeout(_START_TIMEOUT_S):
        while True:
            try:
                if await (await Client.connect(address)).service_client.check_health():
                    return
            except RuntimeError:  # The SDK raises this error until the server is listening.
                pass
            await asyncio.sleep(0.1)


async def _listens(port: int) -> None:
    """Wait until a process listens on a local port. Raises TimeoutError if none does in time."""
    async with asyncio.timeout(_START_TIMEOUT_S):
        while True:
            try:
                _, writer = await asyncio.open_connection("127.0.0.1", port)
            except ConnectionRefusedError:
                await asyncio.sleep(0.1)
            else:
                writer.close()
                return
