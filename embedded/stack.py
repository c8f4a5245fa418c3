"""All parts of the service on one machine, each a separate process. The stack starts and stops them
in order."""

import asyncio
import os
import socket
import sys
import time
from collections.abc import Awaitable, Callable, Mapping, Sequence
from contextlib import ExitStack, suppress
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from types import MappingProxyType
from typing import Final

from temporalio.client import Client
from temporalio.service import RPCError

from adapters.system import new_ulid, utc_now
from adapters.temporal.connection import connect
from adapters.temporal.health import Work, temporal_answers, workers
from domain.core import names
from domain.core.errors import EngineUnavailable, InvalidInput
from embedded.certificates import trusted_authorities
from embedded.data_folder import DataFolder, StackInfo
from embedded.instance import instance_at
from embedded.ports import LOOPBACK, PortTaken, free_port, is_free, listening, listens, port_of
from embedded.postgres import EmbeddedPostgres
from embedded.process import Child
from embedded.shared_environment import SHARED
from embedded.temporal_server import temporal_command
from settings import load_temporal
from store.core.migrate import migrate

_ROOT: Final = Path(__file__).resolve().parent.parent
_START_TIMEOUT_S: Final = 120.0
_POLL_S: Final = 0.05
# The number of seconds that each group of processes has after the first SIGINT. The sum is below
# Ctrl-C's limit. A slower process receives a second SIGINT: the API sends errors, and a worker
# abandons its work. An interrupted webhook delivery is retried later, and counted once.
_STOP_FRONT_S: Final = 5.0
_STOP_BACK_S: Final = 3.0
_STOP_SLOW_S: Final = 2.0

# Display names of the worker processes, by task queue.
_WORKERS: Final = {names.ENGINE_QUEUE: "worker", names.WEBHOOKS_QUEUE: "webhook-worker"}

# Maximum number of attempts to start Temporal if other processes take its chosen ports first.
_TRIES: Final = 5
_EVERYWHERE: Final = ("0.0.0.0", "::")

Progress = Callable[[str], None]


@dataclass(frozen=True, slots=True)
class StackPorts:
    """The ports of a stack. `None` selects a free port. `api_if_free` is preferred if `api` is
    None."""

    api: int | None = None
    api_if_free: int | None = None
    temporal: int | None = None
    temporal_ui: int | None = None


class Stack:
    """The service's processes on one machine, from `start` to `stop`. Data remains in the data
    folder."""

    def __init__(
        self, folder: DataFolder, ports: StackPorts, progress: Progress, *, host: str = LOOPBACK
    ) -> None:
        """Create the stack without starting it. The API and the metrics listen on `host`, and all
        other parts on loopback."""
        self._folder = folder
        self._ports = ports
        self._host = host
        self._progress = progress
        self._held = ExitStack()
        self._front: list[Child] = []
        self._back: list[Child] = []
        self._env = dict(os.environ)
        self.info: StackInfo | None = None

    async def start(self) -> StackInfo:
        """Start every part that the environment does not already provide, and return once all parts
        are ready.

        Raises InvalidInput, with a one-sentence message, for problems that the user can fix.
        """
        listener = self._held.enter_context(self._listener())
        self._held.enter_context(self._folder.locked())
        self._folder.close()
        self._env |= {
            "HOST": self._host,
            "PORT": str(port_of(listener)),
            "INSTANCE_ID": new_ulid(),
            # No worker deployment is needed, because all workers run the same build.
            "TEMPORAL_DEPLOYMENT": "",
            "TEMPORAL_BUILD_ID": "",
            # Local targets are allowed because the demo shop is a local file and its webhook
            # receiver is a local server.
            "ALLOW_LOOPBACK_TARGETS": self._env.get("ALLOW_LOOPBACK_TARGETS") or "true",
            # Members of a new account may try the agent on the account's own demo shop.
            "DEMO_SHOPS": self._env.get("DEMO_SHOPS") or str(self._folder.demo_shops),
            "WEBHOOK_ALLOW_PRIVATE_ADDRESSES": self._env.get("WEBHOOK_ALLOW_PRIVATE_ADDRESSES")
            or "true",
            "WEBHOOK_CA_FILE": str(
                trusted_authorities(
                    self._folder, self._env.get("WEBHOOK_CA_FILE") or None, utc_now()
                )
            ),
            "ERROR_SPOOL": self._env.get("ERROR_SPOOL") or str(self._folder.error_reports),
            "SEAL_KEY": self._env.get("SEAL_KEY") or self._folder.seal_key(),
            "SESSION_KEY": self._env.get("SESSION_KEY") or self._folder.session_key(),
        }
        # Links in emails and from the copilot must point to this stack's API. Its port can vary.
        self._env["DASHBOARD_URL"] = self._env.get("DASHBOARD_URL") or f"{self._api_url}/app"
        self._start_postgres()
        ui_url = await self._start_temporal()
        if ui_url:
            self._env.setdefault("TEMPORAL_UI_URL", ui_url)
        self._start_mail_sink()
        await self._start_workers()
        await self._start_api(listener)
        self.info = StackInfo(
            env={key: self._env[key] for key in SHARED if key in self._env},
            api_url=self._api_url,
            ui_url=ui_url,
            pids={child.name: child.pid for child in (*self._back, *self._front)},
        )
        self._folder.publish(self.info)
        return self.info

    def _listener(self) -> socket.socket:
        """Return the API's listening socket. The stack opens it first, so that no other process
        takes the port."""
        if self._ports.api is None and self._ports.api_if_free is not None:
            with suppress(PortTaken):
                return listening(self._ports.api_if_free, self._host)
        return listening(self._ports.api, self._host)

    @property
    def _api_url(self) -> str:
        host = LOOPBACK if self._host in _EVERYWHERE else self._host
        return f"http://{f'[{host}]' if ':' in host else host}:{self._env['PORT']}"

    def stop(self) -> None:
        """Stop every started process: first the API and the workers, then the services that they
        depend on."""
        # Without this check, the stack could delete another stack's `stack.json`.
        if self.info is not None:
            self._folder.withdraw()
        _end(self._front, _STOP_FRONT_S)
        _end(self._back, _STOP_BACK_S)
        self._held.close()

    def dead(self) -> list[Child]:
        """Return the processes that have exited."""
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
        for _ in range(_TRIES):
            port = self._ports.temporal or free_port()
            ui_port = self._ports.temporal_ui or free_port()
            try:
                await self._start_temporal_on(port, ui_port)
            except PortTaken:
                if port == self._ports.temporal or ui_port == self._ports.temporal_ui:
                    raise
            else:
                return f"http://{LOOPBACK}:{ui_port}"
        raise InvalidInput("Temporal found no free port")

    async def _start_temporal_on(self, port: int, ui_port: int) -> None:
        """Start Temporal on these ports. Raises PortTaken if one is used.

        Temporal opens them itself, so the outcome is known once it listens or exits.
        """
        command = temporal_command(database=self._folder.temporal, port=port, ui_port=ui_port)
        child = self._spawn("temporal", command, self._back)
        self._env["TEMPORAL_ADDRESS"] = f"{LOOPBACK}:{port}"

        async def has_them() -> bool:
            if child.exit_code is not None and not (is_free(port) and is_free(ui_port)):
                self._back.remove(child)
                taken = ui_port if is_free(port) else port
                raise PortTaken(taken)
            # A response is not sufficient proof, because another stack's Temporal may be listening
            # on the port.
            return listens(child.pid, port) and await self._temporal_answers()

        await self._until(child, has_them)

    def _start_mail_sink(self) -> None:
        if self._env.get("SMTP_URL"):
            return
        self._progress("mail sink")
        with listening() as listener:
            arguments = ["--folder", str(self._folder.mail), "--fd", str(listener.fileno())]
            command = [sys.executable, "-m", "embedded.mail_sink", *arguments]
            self._spawn("mail", command, self._back, fds=[listener.fileno()])
            self._env["SMTP_URL"] = f"smtp://{LOOPBACK}:{port_of(listener)}"

    async def _start_workers(self) -> None:
        """Start both workers in parallel because loading them takes time."""
        self._progress("workers")
        # Each process serves its metrics on a separate port: the API on METRICS_PORT, the workers
        # on the subsequent ports.
        metrics = self._env.get("METRICS_PORT", "")
        started: list[tuple[str, Child]] = []
        for number, (queue, name) in enumerate(_WORKERS.items(), 1):
            mine = {"METRICS_PORT": str(int(metrics) + number)} if metrics.isdecimal() else {}
            command = [sys.executable, str(_ROOT / "worker.py"), "--queue", queue]
            started.append((queue, self._spawn(name, command, self._front, more=mine)))
        for queue, child in started:
            await self._until(child, partial(self._worker_polls, queue, child.pid))

    async def _start_api(self, listener: socket.socket) -> None:
        self._progress("API")
        number = listener.fileno()
        command = [sys.executable, str(_ROOT / "cli.py"), "serve", "--fd", str(number)]
        child = self._spawn("api", command, self._front, fds=[number])
        # If this process kept its copy of the socket open, the port would stay in use after the API
        # process exits.
        listener.close()
        await self._until(child, self._api_answers)

    def _spawn(
        self,
        name: str,
        command: list[str],
        group: list[Child],
        *,
        fds: Sequence[int] = (),
        more: Mapping[str, str] = MappingProxyType({}),
    ) -> Child:
        env = {**self._env, "PYTHONPATH": str(_ROOT), **more}
        child = Child(name, command, log=self._folder.logs / f"{name}.log", env=env, fds=fds)
        group.append(child)
        return child

    async def _until(self, child: Child, ready: Callable[[], Awaitable[bool]]) -> None:
        """Poll until the process is ready. Raises InvalidInput if the process exits first or takes
        too long."""
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

    async def _api_answers(self) -> bool:
        return await instance_at(self._api_url) == self._env["INSTANCE_ID"]

    async def _client(self) -> Client:
        return await connect(load_temporal(self._env))

    async def _temporal_answers(self) -> bool:
        try:
            return await temporal_answers(await self._client())
        except EngineUnavailable:  # Temporal is not listening yet.
            return False

    async def _worker_polls(self, queue: str, pid: int) -> bool:
        try:
            there = await workers(await self._client(), Work.WORKFLOWS, utc_now(), queue=queue)
        except RPCError:
            return False
        return any(identity.startswith(f"{pid}@") for identity in there)


def _end(children: list[Child], seconds: float) -> None:
    for child in children:
        child.interrupt()  # SIGINT skips the API's drain delay, because there is no load balancer.
    deadline = time.monotonic() + seconds
    slow = [child for child in children if not child.ends_within(deadline - time.monotonic())]
    for child in slow:
        child.interrupt()
    deadline = time.monotonic() + _STOP_SLOW_S
    for child in slow:
        child.wait(max(0.1, deadline - time.monotonic()))
