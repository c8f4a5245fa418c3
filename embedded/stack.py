"""All parts of the service on one machine, as separate processes, started and ended in order."""

import asyncio
import os
import sys
import time
from collections.abc import Awaitable, Callable
from contextlib import ExitStack
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Final

import httpx
from temporalio.client import Client
from temporalio.service import RPCError

from adapters.system import utc_now
from adapters.temporal.client import connect
from adapters.temporal.health import Work, temporal_answers, workers
from domain.core import names
from domain.core.errors import InvalidInput
from embedded.certificates import trusted_authorities
from embedded.data_folder import DataFolder, StackInfo
from embedded.ports import check_free, free_port
from embedded.postgres import EmbeddedPostgres
from embedded.process import Child
from embedded.temporal_server import temporal_command
from store.core.migrate import migrate

_ROOT: Final = Path(__file__).resolve().parent.parent
_START_TIMEOUT_S: Final = 60.0
_POLL_S: Final = 0.05
# What each part gets to finish its work; together well under the 15 s that Ctrl-C may take. Then
# it is asked a second time: the API tells its callers, a worker drops what it has. A webhook whose
# receiver takes longer to answer is sent again by the next run, and counted once.
_STOP_FRONT_S: Final = 5.0
_STOP_BACK_S: Final = 3.0
_STOP_SLOW_S: Final = 2.0

# By queue, what people read of the process that works on it.
_WORKERS: Final = {names.ENGINE_QUEUE: "worker", names.WEBHOOKS_QUEUE: "webhook-worker"}

Progress = Callable[[str], None]


@dataclass(frozen=True, slots=True)
class StackPorts:
    """`None` chooses a free one."""

    api: int | None = None
    temporal: int | None = None
    temporal_ui: int | None = None


class Stack:
    """The running stack. Made by `start`, ended by `stop`; the data stays in its folder."""

    def __init__(self, folder: DataFolder, ports: StackPorts, progress: Progress) -> None:
        self._folder = folder
        self._ports = ports
        self._progress = progress
        self._held = ExitStack()
        self._front: list[Child] = []
        self._back: list[Child] = []
        self._env = dict(os.environ)
        self.info: StackInfo | None = None

    async def start(self) -> StackInfo:
        """Start what is not given by environment, and return when all of it is ready.

        Raises InvalidInput, with one sentence, for what a person can mend.
        """
        port = self._ports.api or free_port()
        check_free(port)
        self._held.enter_context(self._folder.locked())
        self._env |= {
            "PORT": str(port),
            # One set of workers, which nobody promotes.
            "TEMPORAL_DEPLOYMENT": "",
            "TEMPORAL_BUILD_ID": "",
            # The demo's shop is a file of this machine, and its webhook's receiver a server here.
            "ALLOW_LOOPBACK_TARGETS": self._env.get("ALLOW_LOOPBACK_TARGETS") or "true",
            "WEBHOOK_ALLOW_PRIVATE_ADDRESSES": self._env.get("WEBHOOK_ALLOW_PRIVATE_ADDRESSES")
            or "true",
            "WEBHOOK_CA_FILE": str(
                trusted_authorities(
                    self._folder, self._env.get("WEBHOOK_CA_FILE") or None, utc_now()
                )
            ),
            "SEAL_KEY": self._env.get("SEAL_KEY") or self._folder.seal_key(),
            "SESSION_KEY": self._env.get("SESSION_KEY") or self._folder.session_key(),
        }
        self._start_postgres()
        ui_url = await self._start_temporal()
        self._start_mail_sink()
        await self._start_workers()
        await self._start_api(port)
        self.info = StackInfo(
            env={key: self._env[key] for key in _SHARED_ENV if key in self._env},
            api_url=f"http://127.0.0.1:{port}",
            ui_url=ui_url,
            pids={child.name: child.pid for child in (*self._back, *self._front)},
        )
        self._folder.publish(self.info)
        return self.info

    def stop(self) -> None:
        """End every process that was started: first what takes work, then what keeps it."""
        if self.info is not None:  # else the folder may be another stack's
            self._folder.withdraw()
        _end(self._front, _STOP_FRONT_S)
        _end(self._back, _STOP_BACK_S)
        self._held.close()

    def dead(self) -> list[Child]:
        """Parts that ended by themselves."""
        return [child for child in (*self._back, *self._front) if child.exit_code is not None]

    def _start_postgres(self) -> None:
        if url := self._env.get("DATABASE_URL"):
            self._progress("migrations")
            migrate(url)
            return
        self._progress("PostgreSQL")
        server = self._held.enter_context(EmbeddedPostgres(self._folder.postgres))
        self._progress("migrations")
        migrate(server.owner_url)
        self._env["DATABASE_URL"] = server.url

    async def _start_temporal(self) -> str:
        if self._env.get("TEMPORAL_ADDRESS"):
            return ""
        self._progress("Temporal")
        port = self._ports.temporal or free_port()
        ui_port = self._ports.temporal_ui or free_port()
        check_free(port)
        check_free(ui_port)
        command = temporal_command(database=self._folder.temporal, port=port, ui_port=ui_port)
        child = self._spawn("temporal", command, self._back)
        self._env["TEMPORAL_ADDRESS"] = f"127.0.0.1:{port}"
        await self._until(child, self._temporal_answers)
        return f"http://127.0.0.1:{ui_port}"

    def _start_mail_sink(self) -> None:
        if self._env.get("SMTP_URL"):
            return
        self._progress("mail sink")
        port = free_port()
        arguments = ["--folder", str(self._folder.mail), "--port", str(port)]
        self._spawn("mail", [sys.executable, "-m", "embedded.mail_sink", *arguments], self._back)
        self._env["SMTP_URL"] = f"smtp://127.0.0.1:{port}"

    async def _start_workers(self) -> None:
        """Both at once: what takes time is loading them."""
        self._progress("workers")
        # Each process shows its own numbers: the API's port, and one further for each worker.
        metrics = self._env.get("METRICS_PORT", "")
        started: list[tuple[str, Child]] = []
        for number, (queue, name) in enumerate(_WORKERS.items(), 1):
            mine = {"METRICS_PORT": str(int(metrics) + number)} if metrics.isdecimal() else {}
            command = [sys.executable, str(_ROOT / "worker.py"), "--queue", queue]
            started.append((queue, self._spawn(name, command, self._front, **mine)))
        for queue, child in started:
            await self._until(child, partial(self._worker_polls, queue, child.pid))

    async def _start_api(self, port: int) -> None:
        self._progress("API")
        child = self._spawn("api", [sys.executable, str(_ROOT / "cli.py"), "serve"], self._front)
        await self._until(child, lambda: _api_answers(port))

    def _spawn(self, name: str, command: list[str], group: list[Child], **more: str) -> Child:
        env = self._env | {"PYTHONPATH": str(_ROOT)} | more
        child = Child(name, command, log=self._folder.logs / f"{name}.log", env=env)
        group.append(child)
        return child

    async def _until(self, child: Child, ready: Callable[[], Awaitable[bool]]) -> None:
        """Ask a part again and again whether it is ready. Raises InvalidInput if it ends first."""
        try:
            async with asyncio.timeout(_START_TIMEOUT_S):
                while not await ready():
                    if child.exit_code is not None:
                        raise InvalidInput(
                            f"{child.name} ended while starting (exit code {child.exit_code}); "
                            f"the end of {child.log}:\n{child.log_tail()}"
                        )
                    await asyncio.sleep(_POLL_S)
        except TimeoutError:
            raise InvalidInput(
                f"{child.name} was not ready after {_START_TIMEOUT_S:.0f} s, see {child.log}"
            ) from None

    async def _client(self) -> Client:
        namespace = self._env.get("TEMPORAL_NAMESPACE") or "default"
        return await connect(self._env["TEMPORAL_ADDRESS"], namespace)

    async def _temporal_answers(self) -> bool:
        try:
            return await temporal_answers(await self._client())
        except RuntimeError:  # nobody listens
            return False

    async def _worker_polls(self, queue: str, pid: int) -> bool:
        try:
            there = await workers(await self._client(), Work.WORKFLOWS, utc_now(), queue=queue)
        except RPCError:
            return False
        return any(identity.startswith(f"{pid}@") for identity in there)


_SHARED_ENV: Final = (
    "DATABASE_URL",
    "TEMPORAL_ADDRESS",
    "TEMPORAL_NAMESPACE",
    "SEAL_KEY",
    "SESSION_KEY",
    "JWT_JWKS_URL",
    "JWT_ISSUER",
    "JWT_AUDIENCE",
    "JWT_ALGORITHMS",
    "ADMIN_USER_IDS",
    "SMTP_URL",
    "ENGINE_SECRET",
    "ALLOW_LOOPBACK_TARGETS",
    "WEBHOOK_ALLOW_PRIVATE_ADDRESSES",
    "WEBHOOK_CA_FILE",
    "BRAIN_MODEL",
    "BRAIN_BASE_URL",
    "BRAIN_API_KEY",
    "BRAIN_PRICE_IN",
    "BRAIN_PRICE_OUT",
    "BRAIN_FALLBACK_MODEL",
    "BRAIN_FALLBACK_BASE_URL",
    "BRAIN_FALLBACK_API_KEY",
    "BRAIN_FALLBACK_PRICE_IN",
    "BRAIN_FALLBACK_PRICE_OUT",
    "BRAIN_MONTHLY_BUDGET",
    "EMBEDDING_MODEL",
    "EMBEDDING_BASE_URL",
    "EMBEDDING_API_KEY",
    "MAIL_FROM",
)


async def _api_answers(port: int) -> bool:
    async with httpx.AsyncClient(trust_env=False) as client:
        try:
            return (await client.get(f"http://127.0.0.1:{port}/healthz")).status_code == 200
        except httpx.TransportError:
            return False


def _end(children: list[Child], seconds: float) -> None:
    for child in children:
        child.interrupt()  # by a person, as far as the API is concerned: no load balancer looks
    deadline = time.monotonic() + seconds
    slow = [child for child in children if not child.ends_within(deadline - time.monotonic())]
    for child in slow:
        child.interrupt()
    deadline = time.monotonic() + _STOP_SLOW_S
    for child in slow:
        child.wait(max(0.1, deadline - time.monotonic()))
