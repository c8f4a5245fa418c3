"""Child processes that process untrusted text and can be killed. Source: docs/decisions/0030."""

import asyncio
import os
import sys
from asyncio.subprocess import DEVNULL, PIPE, Process
from pathlib import Path
from typing import Final

from adapters.processes.framing import LENGTH_BYTES, framed
from domain.core.errors import EngineUnavailable, OverBudget

PROCESSES: Final = 2
CPU_S: Final = 1.0
"""Maximum CPU time for one attempt at a request, in seconds. The most expensive known email takes a
third of this time."""
TRIES: Final = 2
# Timeout for a request including all waiting, in seconds. It is below the activity's timeout
# (`workflows/options.py`).
_PATIENCE_S: Final = 10.0

_ROOT: Final = Path(__file__).resolve().parent.parent.parent


class WorkFailed(Exception):
    """An unexpected error in a child process. The message is the name of the error's type."""


class ProcessPool:
    """A pool of `PROCESSES` child processes that run one module, which calls `serve` from
    `adapters/processes/serving.py`.

    A process that exits is replaced. Only its current request fails.
    """

    def __init__(self, module: str, *, cpu_s: float = CPU_S) -> None:
        self._module = module
        self._cpu_s = cpu_s
        self._slots = asyncio.Semaphore(PROCESSES)
        self._idle: list[Process] = []

    async def ask(self, request: bytes) -> bytes:
        """Return a child process's response to the request.

        Raises OverBudget if the request exceeds its CPU time, and EngineUnavailable if no process
        becomes free in time.
        """
        message = framed(request)
        try:
            async with asyncio.timeout(_PATIENCE_S), self._slots:
                for _ in range(TRIES):
                    answer = await self._tried(message)
                    if answer is not None:
                        return answer
        except TimeoutError:
            raise EngineUnavailable("no process was free for a large text") from None
        raise OverBudget

    async def start(self) -> None:
        """Start the child processes, so that the first request does not wait for them."""
        self._idle += [await self._started() for _ in range(PROCESSES - len(self._idle))]

    async def close(self) -> None:
        while self._idle:
            await _end(self._idle.pop())

    async def _tried(self, message: bytes) -> bytes | None:
        """Return a child process's response to the message, or None if the process exited."""
        process = self._idle.pop() if self._idle else await self._started()
        try:
            answer = await _exchange(process, message)
        except (ConnectionError, asyncio.IncompleteReadError):
            await _end(process)
            return None
        except BaseException:  # A late response must not be used for the next request.
            await _end(process)
            raise
        self._idle.append(process)
        return answer

    async def _started(self) -> Process:
        """Start a child process in its own session. Ctrl-C then reaches only the parent, which
        stops the child."""
        return await asyncio.create_subprocess_exec(
            sys.executable, "-m", self._module, "--seconds", str(self._cpu_s),
            stdin=PIPE, stdout=PIPE, stderr=DEVNULL, start_new_session=True,
            cwd=_ROOT, env={"PATH": os.environ.get("PATH", "")},
        )  # fmt: skip


async def _exchange(process: Process, message: bytes) -> bytes:
    requests, answers = process.stdin, process.stdout
    if requests is None or answers is None:
        raise RuntimeError("a process without pipes")
    requests.write(message)
    await requests.drain()
    length = int.from_bytes(await answers.readexactly(LENGTH_BYTES))
    return await answers.readexactly(length)


async def _end(process: Process) -> None:
    if process.returncode is None:
        process.kill()
    await process.wait()
