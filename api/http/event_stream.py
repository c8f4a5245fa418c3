"""Server-sent events: a response of unknown length that ends when its reader disconnects or
stalls."""

import asyncio
from collections.abc import AsyncGenerator
from contextlib import aclosing
from typing import Final

from starlette.responses import Response
from starlette.types import Message, Receive, Scope, Send

from api.http.long_response import end_when_gone

STALLED_S: Final = 10.0
"""Maximum number of seconds that a reader may take to read one piece of the stream."""

_HEADERS: Final = (
    (b"content-type", b"text/event-stream; charset=utf-8"),
    # Without this header, nginx would buffer the stream.
    (b"x-accel-buffering", b"no"),
)


class EventStream(Response):
    """A response that streams the `pieces`. The first is produced before the status is sent, so an
    early error results in an ordinary response. After the last, the browser reconnects."""

    def __init__(self, pieces: AsyncGenerator[bytes], *, stalled_s: float = STALLED_S) -> None:
        self.status_code = 200
        self.background = None
        self.body = b""
        self.raw_headers = list(_HEADERS)
        self._pieces = pieces
        self._stalled_s = stalled_s

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:  # noqa: ARG002
        """Send the stream. If the reader disconnects or stalls, the stream ends without an
        error."""
        try:
            async with asyncio.timeout(None) as patience, aclosing(self._pieces) as pieces:
                first = await anext(pieces)
                watching = asyncio.create_task(end_when_gone(receive, patience))
                try:
                    await self._send(send, self._start())
                    await self._send(send, _piece(first))
                    async for piece in pieces:
                        await self._send(send, _piece(piece))
                    await self._send(send, _END)
                finally:
                    watching.cancel()
        except TimeoutError:
            return

    def _start(self) -> Message:
        return {"type": "http.response.start", "status": 200, "headers": list(self.raw_headers)}

    async def _send(self, send: Send, message: Message) -> None:
        async with asyncio.timeout(self._stalled_s):
            await send(message)


_END: Final[Message] = {"type": "http.response.body", "body": b"", "more_body": False}


def _piece(body: bytes) -> Message:
    return {"type": "http.response.body", "body": body, "more_body": True}
