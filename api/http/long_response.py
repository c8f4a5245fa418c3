"""Streamed responses of any length. If a response fails, it ends without the final chunk, so that
the reader notices the error."""

import asyncio
import time
from collections.abc import AsyncGenerator, AsyncIterator, Mapping
from contextlib import AbstractContextManager, aclosing, asynccontextmanager, nullcontext
from dataclasses import dataclass
from typing import Final, Protocol, TypeVar

import structlog
from starlette.responses import Response
from starlette.types import Receive, Scope, Send

from api.gateway_traffic import GatewayTraffic

T = TypeVar("T")

_log = structlog.get_logger("api")

# Maximum number of bytes per send. Each completed send shows that a slow reader is still reading.
_SENT: Final = 64 * 1024


@dataclass(frozen=True, slots=True)
class ReaderLimits:
    """Timeouts in seconds: one for a stalled reader and one for the entire response. The edge
    closes a stalled connection sooner (`api/http/edge_limits.py`), but the timeout here also works
    with other servers."""

    stalled_s: float = 30
    total_s: float = 15 * 60


DEFAULT_LIMITS: Final = ReaderLimits()


class HeldPlace(Protocol):
    """A limited resource that a response occupies, such as an export slot from `api/exports.py`."""

    lost: asyncio.Event

    def sending(self, size: int) -> AbstractContextManager[None]: ...


class ExportResponse(Response):
    """A response whose body is produced while it is being sent.

    The first of the `pieces` is produced before the status is sent, so an early error results in an
    ordinary response. After a later error, or if `held` is lost, the server closes the connection.
    """

    def __init__(
        self,
        pieces: AsyncGenerator[bytes],
        headers: Mapping[str, str],
        traffic: GatewayTraffic,
        limits: ReaderLimits = DEFAULT_LIMITS,
        held: HeldPlace | None = None,
    ) -> None:
        self.status_code = 200
        self.background = None
        self.body = b""
        self.raw_headers = [(name.encode(), value.encode()) for name, value in headers.items()]
        self._pieces = pieces
        self._traffic = traffic
        self._limits = limits
        self._held = held

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:  # noqa: ARG002
        """Send the response. If the reader disconnects or stalls, log a warning and leave the
        response incomplete, without raising an error."""
        try:
            async with asyncio.timeout(self._limits.total_s) as patience, aclosing(self._pieces):
                watching = [asyncio.create_task(end_when_gone(receive, patience))]
                if self._held is not None:
                    watching.append(asyncio.create_task(_end_when_lost(self._held, patience)))
                try:
                    await self._write(send)
                finally:
                    for one in watching:
                        one.cancel()
        except TimeoutError:
            _log.warning("export aborted: the client disconnected or read too slowly")

    async def _write(self, send: Send) -> None:
        worked, piece = await self._next()
        await send(
            {"type": "http.response.start", "status": 200, "headers": list(self.raw_headers)}
        )
        while piece is not None:
            async with _ended(asyncio.create_task(self._next_after(worked))) as ahead:
                await self._send_piece(piece, send)
                worked, piece = await ahead
        await send({"type": "http.response.body", "body": b"", "more_body": False})

    async def _next_after(self, worked: float) -> tuple[float, bytes | None]:
        """Pause if gateway events are being handled, then return `_next`. Meanwhile, the caller
        sends the previous piece, which took `worked` seconds to produce."""
        await self._traffic.give_way(worked)
        return await self._next()

    async def _next(self) -> tuple[float, bytes | None]:
        """Return the next piece, preceded by the seconds needed to produce it. After the last
        piece, the piece is None."""
        started = time.monotonic()
        piece = await anext(self._pieces, None)
        return time.monotonic() - started, piece

    async def _send_piece(self, piece: bytes, send: Send) -> None:
        for begin in range(0, len(piece), _SENT):
            body = piece[begin : begin + _SENT]
            sending = self._held.sending(len(body)) if self._held else nullcontext()
            async with asyncio.timeout(self._limits.stalled_s):
                with sending:
                    await send({"type": "http.response.body", "body": body, "more_body": True})


@asynccontextmanager
async def _ended(task: "asyncio.Task[T]") -> AsyncIterator["asyncio.Task[T]"]:
    """Yield the task. When the block ends, cancel the task and wait for it, because a generator
    cannot be closed while it is running."""
    try:
        yield task
    finally:
        task.cancel()
        await asyncio.gather(task, return_exceptions=True)


async def end_when_gone(receive: Receive, patience: asyncio.Timeout) -> None:
    """Wait until the caller disconnects, then make `patience` expire. This is needed because the
    server raises no error when it sends to a disconnected caller."""
    while (await receive())["type"] != "http.disconnect":
        pass
    patience.reschedule(asyncio.get_running_loop().time())


async def _end_when_lost(held: HeldPlace, patience: asyncio.Timeout) -> None:
    await held.lost.wait()
    patience.reschedule(asyncio.get_running_loop().time())
