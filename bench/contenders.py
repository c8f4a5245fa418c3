"""What is compared: each with its own Temporal server, its own worker and its own load driver.

All run at once and take turns at being called. What an idle one costs was measured: an idle server
takes 0.2 to 2 % of one core (the tuned one most, because of its poll rates), an idle worker or
API 0.3 %; so nothing is frozen between turns. Each turn measures it again (`idle_cpu_percent`).
"""

import asyncio
import sys
from abc import ABC, abstractmethod
from pathlib import Path
from typing import Final, Literal

from temporalio.client import Client

from bench.load import Driver, Shop, Target
from demo.seed import demo_shop
from embedded.data_folder import DataFolder
from embedded.ports import free_port
from embedded.process import Child
from embedded.stack import Stack, StackPorts
from embedded.temporal_server import temporal_command

# So many that no limit for one client, an hour or a month, is reached in a run.
_SHOPS: Final = 24
_START_TIMEOUT_S: Final = 60.0
_STOP_S: Final = 5.0


class Contender(ABC):
    """Made by `start`, ended by `stop`, which may follow a start that failed."""

    def __init__(self, name: str) -> None:
        self.name = name
        self.drivers: dict[str, Driver] = {}
        self.pids: dict[str, int] = {}

    @abstractmethod
    async def start(self) -> None: ...

    async def stop(self) -> None:
        for driver in self.drivers.values():
            await driver.stop()
        self._stop_servers()

    @abstractmethod
    def _stop_servers(self) -> None: ...


class NoopContender(Contender):
    """`naive` on an untuned server, `floor` and `skeleton` on tuned ones."""

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
    """The whole service as `make run` starts it. `mail` answers by SMTP, into the stack's sink."""

    def __init__(self, name: str, mail: str, folder: Path) -> None:
        super().__init__(name)
        self._mail = mail
        self._folder = DataFolder(folder / "stack")
        self._shops = folder / "shops"
        self._stack = Stack(self._folder, StackPorts(), lambda _: None)

    async def start(self) -> None:
        info = await self._stack.start()
        self.pids = {**info.pids, "postgres": _postmaster(self._folder)}
        shops = [await self._shop(number, info.env["DATABASE_URL"]) for number in range(_SHOPS)]
        port = int(info.api_url.rpartition(":")[2])
        target = Target(kind="gateway", port=port, shops=tuple(shops))
        self.drivers[self.name] = await Driver.start(target)
        self.drivers[self._mail] = await Driver.start(target.model_copy(update={"kind": "mail"}))

    def mails(self) -> int:
        """Mails that the sink was given."""
        return sum(1 for _ in self._folder.mail.glob("*.eml"))

    def _stop_servers(self) -> None:
        self._stack.stop()

    async def _shop(self, number: int, database_url: str) -> Shop:
        shop = await demo_shop(DataFolder(self._shops / str(number)), database_url)
        return Shop(client_id=shop.client_id, key=shop.key)


def _postmaster(folder: DataFolder) -> int:
    return int((folder.postgres / "postmaster.pid").read_text().splitlines()[0])


async def _answers(address: str) -> None:
    """Wait until a Temporal server answers. Raises TimeoutError."""
    async with asyncio.timeout(_START_TIMEOUT_S):
        while True:
            try:
                if await (await Client.connect(address)).service_client.check_health():
                    return
            except RuntimeError:  # what the SDK raises while nobody listens
                pass
            await asyncio.sleep(0.1)
