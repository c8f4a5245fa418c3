"""Server-sent events: an answer without a known end, given up when its reader leaves or stalls."""

import asyncio
from collections.abc import AsyncGenerator
from contextlib import aclosing
from typing import Final

from starlette.responses import Response
from starlette.types import Receive, Scope, Send

from api.http.long_response import end_when_gone

STALLED_S: Final = 10.0
"""How long a reader may leave one piece lying."""

_HEADERS: Final = (
    (b"content-type", b"text/event-stream; charset=utf-8"),
    # nginx would collect the pieces.
    (b"x-accel-buffering", b"no"),
)


class EventStream(Response):
    """`pieces` are begun before the status is sent: what they raise first is answered like any
    error. Their end is the stream's, and the browser comes again."""

    def __init__(self, pieces: AsyncGenerator[bytes], *, stalled_s: float = STALLED_S) -> None:
        self.status_code = 200
        self.background = None
        self.body = b""
        self.raw_headers = list(_HEADERS)
        self._pieces = pieces
        self._stalled_s = stalled_s

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:  # noqa: ARG002
        """A reader that leaves or stalls is nobody's error."""
        try:
            async with asyncio.timeout(None) as patience, aclosing(self._pieces) as pieces:
                first = await anext(pieces)
                watching = asyncio.create_task(end_when_gone(receive, patience))
                try:
                    await send(
                        {"type": "http.response.start", "status": 200, "headers": self.raw_headers}
                    )
                    await self._send_piece(first, send)
                    async for piece in pieces:
                        await self._send_piece(piece, send)
                    await send({"type": "http.response.body", "body": b"", "more_body": False})
                finally:
                    watching.cancel()
        except TimeoutError:
            return

    async def _send_piece(self, piece: bytes, send: Send) -> None:
        async with asyncio.timeout(self._stalled_s):
            await send({"type": "http.response.body", "body": piece, "more_body": True})
