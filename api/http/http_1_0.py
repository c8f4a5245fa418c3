"""Long responses to HTTP/1.0, which has no chunked encoding: the end of the connection ends the
response.

uvicorn would send chunks nevertheless, and a reader could not distinguish a truncated file from a
complete one. Until the response is complete, the connection therefore closes only by a reset.
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
    """Wrap the `send` of a response to HTTP/1.0. A response with a length stays as it is."""

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
            # uvicorn compares the bytes sent with the announced length; here none is announced.
            cycle.expected_content_length = len(message.get("body", b""))
            if not message.get("more_body", False):
                _closing(transport, _ENDS)
        await send(message)

    return send_plain


def _closing(transport: asyncio.Transport, what: bytes) -> None:
    """Set the kernel's behaviour when either side closes the connection."""
    transport.get_extra_info("socket").setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, what)
