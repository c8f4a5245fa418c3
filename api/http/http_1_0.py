"""Long responses over HTTP/1.0, where closing the connection ends the response.

A truncated file must not look complete. Until the response is complete, the connection is therefore
closed only by a TCP reset.
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
    """Return a `send` function that sends a response over HTTP/1.0 without chunks. A response with
    a Content-Length header is not changed."""
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
            # uvicorn compares the number of bytes sent with the announced length. This response
            # announces no length, so set the expected length to the length of each piece.
            cycle.expected_content_length = len(message.get("body", b""))
            if not message.get("more_body", False):
                _closing(transport, _ENDS)
        await send(message)

    return send_plain


def _closing(transport: asyncio.Transport, what: bytes) -> None:
    """Set SO_LINGER, which determines how the kernel closes the connection. `what` is the option's
    value."""
    transport.get_extra_info("socket").setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, what)
