"""The messages between the benchmark and its drivers, which are separate processes."""

import asyncio
import sys
from asyncio.subprocess import PIPE, Process
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Final, Literal

from pydantic import BaseModel, ConfigDict, Field

ROOT: Final = Path(__file__).resolve().parent.parent
_MARGIN_S: Final = 40.0
_LONGEST_LINE: Final = 16 * 1024 * 1024

Call = Callable[[], Awaitable[str | float]]
"""A function that makes one call. It returns "completed", a description of the failure, or, if only
a part is timed, the milliseconds of that part."""


class LoadMessage(BaseModel):
    model_config = ConfigDict(frozen=True)


class LoadShop(LoadMessage):
    client_id: str
    key: str


class Target(LoadMessage):
    """The target that a driver calls: the address of a Temporal server, the port of an API, or the
    URL of a webhook receiver. Fields for files contain paths."""

    kind: Literal[
        "naive", "floor", "skeleton", "gateway", "mail", "usage",
        "children", "deliveries", "posts", "neighbour",
    ]  # fmt: skip
    address: str = ""
    port: int = 0
    shops: tuple[LoadShop, ...] = ()
    url: str = ""
    ca_file: str = ""
    certificate: str = ""
    database_url: str = Field(default="", repr=False)
    seal_key: str = Field(default="", repr=False)


class Phase(LoadMessage):
    """A phase of calls that lasts `seconds`, with `concurrency` concurrent callers.

    With a `rate`, the callers together start that many calls per second. A late call's latency
    counts from its scheduled time. Calls not started by the end are dropped.
    """

    concurrency: int
    seconds: float
    rate: float | None = None


class Sample(LoadMessage):
    """The result of a phase. `failures` are the first few failures, as text."""

    latencies_ms: tuple[float, ...]
    elapsed_s: float
    failed: int
    failures: tuple[str, ...]
    driver_cpu_s: float

    @property
    def per_second(self) -> float:
        return len(self.latencies_ms) / self.elapsed_s


class Driver:
    """The process that calls one contender."""

    def __init__(self, process: Process) -> None:
        self._process = process

    @classmethod
    async def start(cls, target: Target) -> "Driver":
        process = await asyncio.create_subprocess_exec(
            sys.executable, "-m", "bench.driver", stdin=PIPE, stdout=PIPE, cwd=ROOT,
            limit=_LONGEST_LINE, start_new_session=True,
        )  # fmt: skip
        driver = cls(process)
        await driver._send(target)
        return driver

    async def run(self, phase: Phase) -> Sample:
        """Run one phase. Raises RuntimeError if the driver has exited, TimeoutError if it hangs."""
        await self._send(phase)
        assert self._process.stdout is not None  # noqa: S101 - the stream is a pipe
        async with asyncio.timeout(phase.seconds + _MARGIN_S):
            line = await self._process.stdout.readline()
        if not line:
            raise RuntimeError("the load driver ended; its error is above")
        return Sample.model_validate_json(line)

    async def stop(self) -> None:
        """Close the driver's input so that the driver exits. Kill it if it does not exit in
        time."""
        if self._process.stdin is not None:
            self._process.stdin.close()
        try:
            async with asyncio.timeout(3):
                await self._process.wait()
        except TimeoutError:
            self._process.kill()
            await self._process.wait()

    async def _send(self, message: LoadMessage) -> None:
        assert self._process.stdin is not None  # noqa: S101 - the stream is a pipe
        self._process.stdin.write(message.model_dump_json().encode() + b"\n")
        await self._process.stdin.drain()
