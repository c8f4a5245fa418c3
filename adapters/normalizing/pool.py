"""Normalization where it can be ended: large events in processes of their own.

Source: docs/decisions/0030.
"""

import asyncio
import os
import sys
from asyncio.subprocess import DEVNULL, PIPE, Process
from pathlib import Path
from typing import Final

from adapters.normalizing.inline import normalize_inline
from adapters.normalizing.wire import LENGTH_BYTES, Answer, Request, framed
from domain.core.errors import EngineUnavailable, OverBudget
from domain.intake.event import InboundEvent
from domain.intake.event_size import is_large
from domain.intake.ports import Normalized

PROCESSES: Final = 2
CPU_S: Final = 1.0
"""Processor time for one event and one try. The worst mail that was found takes a third of it."""
TRIES: Final = 2
# With all waiting: below what an activity may take (`workflows/options.py`).
_PATIENCE_S: Final = 10.0

_ROOT: Final = Path(__file__).resolve().parent.parent.parent


class NormalizingFailed(Exception):
    """Normalization raised what nobody expected; the name of its type is the message."""


class NormalizerPool:
    """A `Normalizer`. Small events are normalized at once, large ones in one of `PROCESSES`.

    A process that dies is replaced, and only its own event is affected.
    """

    def __init__(self, *, cpu_s: float = CPU_S) -> None:
        self._cpu_s = cpu_s
        self._slots = asyncio.Semaphore(PROCESSES)
        self._idle: list[Process] = []

    async def normalize(
        self, event: InboundEvent, *, fallback_ticket_id: str, authserv_ids: tuple[str, ...] = ()
    ) -> Normalized:
        """Raises OverBudget when the event takes more than it may, EngineUnavailable when no
        process is free in time."""
        if not is_large(event):
            return normalize_inline(
                event, fallback_ticket_id=fallback_ticket_id, authserv_ids=authserv_ids
            )
        request = Request(
            event=event, fallback_ticket_id=fallback_ticket_id, authserv_ids=authserv_ids
        )
        message = framed(request.model_dump_json().encode())
        try:
            async with asyncio.timeout(_PATIENCE_S), self._slots:
                return await self._ask(message)
        except TimeoutError:
            raise EngineUnavailable("no process was free to normalize a large event") from None

    async def start(self) -> None:
        """Begin the processes before the first large event, which would wait for them."""
        self._idle += [await self._begun() for _ in range(PROCESSES - len(self._idle))]

    async def close(self) -> None:
        while self._idle:
            await _end(self._idle.pop())

    async def _ask(self, message: bytes) -> Normalized:
        for _ in range(TRIES):
            answer = await self._tried(message)
            if answer is None:
                continue
            if answer.failed:
                raise NormalizingFailed(answer.failed)
            if answer.event is None:
                raise OverBudget
            return Normalized(answer.event, answer.steps)
        raise OverBudget

    async def _tried(self, message: bytes) -> Answer | None:
        """The answer of a process; None if it died over it."""
        process = self._idle.pop() if self._idle else await self._begun()
        try:
            answer = await _exchange(process, message)
        except (ConnectionError, asyncio.IncompleteReadError):
            await _end(process)
            return None
        except BaseException:  # the answer to whoever gave up must not be taken for the next one's
            await _end(process)
            raise
        self._idle.append(process)
        return answer

    async def _begun(self) -> Process:
        """A session of its own: the terminal's Ctrl-C ends the worker, and the worker this."""
        return await asyncio.create_subprocess_exec(
            sys.executable, "-m", "adapters.normalizing.child", "--seconds", str(self._cpu_s),
            stdin=PIPE, stdout=PIPE, stderr=DEVNULL, start_new_session=True,
            cwd=_ROOT, env={"PATH": os.environ.get("PATH", "")},
        )  # fmt: skip


async def _exchange(process: Process, message: bytes) -> Answer:
    requests, answers = process.stdin, process.stdout
    if requests is None or answers is None:
        raise RuntimeError("a process without pipes")
    requests.write(message)
    await requests.drain()
    length = int.from_bytes(await answers.readexactly(LENGTH_BYTES))
    return Answer.model_validate_json(await answers.readexactly(length))


async def _end(process: Process) -> None:
    if process.returncode is None:
        process.kill()
    await process.wait()
