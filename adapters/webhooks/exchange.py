"""One HTTP/1.1 request and its response, on a separate connection.

No response can use more memory than the size limits, because they are applied as bytes are
received.
"""

import asyncio
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Final
from urllib.parse import SplitResult

import h11

from adapters.webhooks.failures import PostFailed
from adapters.webhooks.parsing_cost import MAX_HEAD, PIECE, ParsingCost
from domain.webhooks.delivery import RESPONSE_KEPT, FailureKind

MAX_BODY: Final = 64 * 1024
"""Maximum number of bytes read from a response body, including chunk framing. After this many
bytes, the connection is closed."""
_MAX_INTERIM: Final = 16
"""Maximum number of 1xx responses before the final response."""
_START: Final = b"HTTP/"


@dataclass(frozen=True, slots=True)
class Head:
    """The status and headers of a response. `retry_after` is the text of the Retry-After header."""

    status: int
    retry_after: str | None


class Exchange:
    """One request and its response. `body`: the stored part of the response body, as raw bytes."""

    def __init__(
        self,
        reader: asyncio.StreamReader,
        writer: asyncio.StreamWriter,
        first_byte: Callable[[], None],
    ) -> None:
        self._reader = reader
        self._writer = writer
        self._first_byte = first_byte
        self._http = h11.Connection(h11.CLIENT, max_incomplete_event_size=MAX_HEAD)
        self._cost = ParsingCost()
        self._start = b""
        self._received = 0
        self.body = b""

    async def ask(self, url: SplitResult, headers: Mapping[str, str], body: bytes) -> Head:
        """Send the POST, and return the response status and headers. Raises PostFailed, and OSError
        if the connection breaks."""
        self._send(url, headers, body)
        for _ in range(_MAX_INTERIM):
            event = await self._next()
            if isinstance(event, h11.Response):
                found = (value for name, value in event.headers if name == b"retry-after")
                value = next(found, None)
                return Head(event.status_code, value.decode("latin-1") if value else None)
        raise _no_http()

    async def read(self) -> None:
        """Read the response body, up to MAX_BODY. Raises the errors of `ask`, with the received
        bytes in `body`."""
        enough = self._received + MAX_BODY
        while self._received < enough and isinstance(event := await self._next(), h11.Data):
            self.body += bytes(event.data[: RESPONSE_KEPT - len(self.body)])

    def _send(self, url: SplitResult, headers: Mapping[str, str], body: bytes) -> None:
        request = h11.Request(
            method="POST",
            target=url.path + (f"?{url.query}" if url.query else ""),
            headers=[
                ("Host", url.netloc),
                *headers.items(),
                ("Content-Length", str(len(body))),
                ("Accept-Encoding", "identity"),
                ("Connection", "close"),
            ],
        )
        # The writes are not awaited, because a receiver may respond before it has read the whole
        # request.
        for event in (request, h11.Data(data=body), h11.EndOfMessage()):
            self._writer.write(self._http.send(event) or b"")

    async def _next(self) -> object:
        while (event := self._parsed()) is h11.NEED_DATA:
            if self._cost.is_spent():
                raise PostFailed(FailureKind.PROTOCOL, "the answer is too costly to parse")
            await asyncio.sleep(0)
            data = await self._reader.read(PIECE)
            self._cost.received(len(data))
            if not self._start:
                if not data:
                    raise PostFailed(
                        FailureKind.CONNECT, "the connection was closed before an answer"
                    )
                self._first_byte()
            self._start = (self._start + data[: len(_START)])[: len(_START)]
            if not _START.startswith(self._start):
                raise _no_http()
            self._received += len(data)
            self._http.receive_data(data)
        return event

    def _parsed(self) -> object:
        try:
            return self._http.next_event()
        except h11.RemoteProtocolError as error:
            # h11 uses the hint 431 (Request Header Fields Too Large) for a response with too many
            # header bytes.
            if error.error_status_hint == 431:
                raise PostFailed(
                    FailureKind.TOO_LARGE, "the answer's headers are too large"
                ) from None
            raise _no_http() from None


def _no_http() -> PostFailed:
    return PostFailed(FailureKind.PROTOCOL, "what came back is no HTTP answer")
