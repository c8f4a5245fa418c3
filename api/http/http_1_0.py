"""Long answers to HTTP/1.0, which knows no chunks: there the end of the connection is the answer's.

uvicorn would send chunks to it all the same, and a reader could not tell a file that broke off from
a whole one. So until the answer is complete the connection can only be reset, however it ends.
"""

import asyncio
import socket
import struct
from typing import Final

from uvicorn._types import ASGISendCallable, ASGISendEvent
from uvicorn.protocols.http.httptools_impl import RequestResponseCycle

_RESETS: Final = struct.pack("ii", 1, 0)
_ENDS: Final = struct.pack("ii", 0, 0)


def without_chunks(
    cycle: RequestResponseCycle, transport: asyncio.Transport, send: ASGISendCallable
) -> ASGISendCallable:
    """The `send` of an answer to HTTP/1.0. One that states its length stays as it is."""

    endless = False

    async def send_plain(message: ASGISendEvent) -> None:
        nonlocal endless
        if message["type"] == "http.response.start":
            names = {name.lower() for name, _ in message.get("headers", ())}
            endless = b"content-length" not in names
            if endless:
                cycle.chunked_encoding = False
                _closing(transport, _RESETS)
        elif message["type"] == "http.response.body" and endless:
            # uvicorn compares what is sent with what was announced: nothing was.
            cycle.expected_content_length = len(message.get("body", b""))
            if not message.get("more_body", False):
                _closing(transport, _ENDS)
        await send(message)

    return send_plain


def _closing(transport: asyncio.Transport, what: bytes) -> None:
    """What the kernel does when the connection is closed, by whomever."""
    transport.get_extra_info("socket").setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, what)
