"""The whole service as processes, callers that record their responses, and random faults."""

import asyncio
import random
from collections import Counter
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path

import httpx
import psutil

from embedded.process import Child
from embedded.temporal_server import temporal_command
from settings import Settings
from tests.support.core.engine import GATEWAY
from tests.support.core.own_postgres import OwnPostgres
from tests.support.core.processes import Process, environment
from tests.support.core.temporal import temporal_answers
from tests.support.core.waiting import eventually
from tests.support.tenants.shop import ORDER_QUESTION, UNSURE_MESSAGE, Shop

_STORED = ("answer_delayed", "answer_timeout")


class OwnTemporal:
    """A server with a file, which can be killed and restarted."""

    def __init__(self, folder: Path, port: int) -> None:
        self.address = f"127.0.0.1:{port}"
        self._log = folder / "temporal.log"
        self._command = temporal_command(database=folder / "temporal.db", port=port, ui_port=None)

    async def start(self) -> None:
        """Start the server, and wait until it responds."""
        self._child = Child("temporal", self._command, log=self._log)
        await eventually(lambda: temporal_answers(self.address))

    def kill(self) -> None:
        self._child.kill()


@dataclass
class Stack:
    """The API, engine worker and webhook worker, each restarted after it has ended."""

    settings: Settings
    folder: Path
    port: int
    env: dict[str, str]
    processes: dict[str, Process] = field(default_factory=dict)

    def keep_up(self) -> None:
        for name, arguments in {
            "api": ("cli.py", "serve", "--port", str(self.port)),
            "engine": ("worker.py",),
            "webhooks": ("worker.py", "--queue", "webhooks"),
        }.items():
            running = self.processes.get(name)
            if running is None or running.exit_code is not None:
                env = environment(self.settings, **self.env)
                log = self.folder / f"{name}.log"
                self.processes[name] = Process(*arguments, log=log, env=env)

    def files(self) -> dict[str, int]:
        """Return the number of open files, including sockets, of each process."""
        return {name: psutil.Process(one.pid).num_fds() for name, one in self.processes.items()}


@asynccontextmanager
async def running(stack: Stack) -> AsyncIterator[None]:
    """Run the stack as a supervisor does."""

    async def supervise() -> None:
        while True:
            stack.keep_up()
            await asyncio.sleep(0.2)

    supervising = asyncio.ensure_future(supervise())
    try:
        yield
    finally:
        supervising.cancel()
        for process in stack.processes.values():
            process.terminate()
        for process in stack.processes.values():
            process.wait(10)


@dataclass
class Callers:
    """Callers that send until they are stopped. `told` maps an acknowledged key to its event.
    `refused` are keys without stored data. For other keys, the outcome is unknown."""

    port: int
    shops: list[Shop]
    chance: random.Random
    told: dict[str, str] = field(default_factory=dict)
    refused: set[str] = field(default_factory=set)
    codes: Counter[str] = field(default_factory=Counter)
    over: bool = False

    async def send(self, number: int = 4) -> None:
        """Send this many concurrently, until `over`."""
        async with httpx.AsyncClient(base_url=f"http://127.0.0.1:{self.port}", timeout=40) as http:
            await asyncio.gather(*(self._send_on(http) for _ in range(number)))

    async def _send_on(self, http: httpx.AsyncClient) -> None:
        while not self.over:
            await self.send_one(http)
            await asyncio.sleep(self.chance.uniform(0, 0.5))

    async def send_one(self, http: httpx.AsyncClient) -> None:
        key = f"{self.chance.getrandbits(64):016x}"
        shop = self.chance.choice(self.shops)
        message = self.chance.choice((ORDER_QUESTION, UNSURE_MESSAGE))
        try:
            answer = await http.post(
                GATEWAY,
                json={"client_id": shop.client_id, "message": message},
                headers=shop.headers | {"idempotency-key": key},
            )
        except httpx.TransportError:
            self.codes["no answer"] += 1
            return
        body = answer.json()
        code = body["status"] if answer.status_code == 200 else body["code"]
        self.codes[code] += 1
        if answer.status_code == 200 or code in _STORED:
            self.told[key] = body["event_id"]
        elif code != "answer_unknown":
            self.refused.add(key)


@dataclass
class Faults:
    """Faults that occur singly or in pairs, and are repaired after a moment."""

    stack: Stack
    postgres: OwnPostgres
    temporal: OwnTemporal
    chance: random.Random
    struck: list[str] = field(default_factory=list)

    async def strike_for(self, seconds: float) -> None:
        end = asyncio.get_running_loop().time() + seconds
        # If there is time, each kind occurs at least once, in random order.
        kinds: list[str] = []
        while asyncio.get_running_loop().time() < end:
            if not kinds:
                kinds = ["api", "engine", "webhooks", "postgres", "temporal"]
                self.chance.shuffle(kinds)
            number = 2 if self.chance.random() < 0.3 else 1
            struck, kinds = kinds[:number], kinds[number:]
            self.struck.append("+".join(struck))
            await asyncio.gather(*(self._strike(kind) for kind in struck))
            await asyncio.sleep(self.chance.uniform(1, 4))

    async def _strike(self, kind: str) -> None:
        if kind == "postgres":
            await self.postgres.stop_at_once()
            await asyncio.sleep(self.chance.uniform(0, 2))
            await self.postgres.start()
        elif kind == "temporal":
            self.temporal.kill()
            await asyncio.sleep(self.chance.uniform(0, 2))
            await self.temporal.start()
        else:
            self.stack.processes[kind].kill()
