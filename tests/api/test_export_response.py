"""An answer of any length behind any server: who is too slow, stalls or leaves gets no end."""

import asyncio
from collections.abc import AsyncGenerator

import pytest
from starlette.types import Message

from api.export_response import ExportResponse, ReaderLimits
from api.gateway_traffic import GatewayTraffic

SHORT_S = 0.05
LONG_S = 60.0


class Caller:
    """The server's side of one answer; each piece takes `takes_s` to be sent."""

    def __init__(self, *, takes_s: float = 0.0, leaves: bool = False) -> None:
        self.got: list[Message] = []
        self.is_closed = False
        self._takes_s = takes_s
        self._leaves = leaves
        self._begun = asyncio.Event()

    async def pieces(self) -> AsyncGenerator[bytes]:
        try:
            for _ in range(1000 if self._takes_s or self._leaves else 2):
                yield b"piece"
                await asyncio.sleep(0)
        finally:
            self.is_closed = True

    async def send(self, message: Message) -> None:
        self.got.append(message)
        if message["type"] == "http.response.body":
            # The status is sent at once, as servers do.
            self._begun.set()
            await asyncio.sleep(self._takes_s)

    async def receive(self) -> Message:
        await (self._begun if self._leaves else asyncio.Event()).wait()
        return {"type": "http.disconnect"}

    async def ask(self, limits: ReaderLimits) -> None:
        answer = ExportResponse(self.pieces(), {}, GatewayTraffic(), limits)
        async with asyncio.timeout(LONG_S / 2):
            await answer({"type": "http"}, self.receive, self.send)

    @property
    def got_all(self) -> bool:
        return self.got[-1] == {"type": "http.response.body", "body": b"", "more_body": False}


async def test_a_reader_gets_all() -> None:
    caller = Caller()
    await caller.ask(ReaderLimits())
    assert [message.get("body") for message in caller.got] == [None, b"piece", b"piece", b""]
    assert caller.got_all
    assert caller.is_closed


@pytest.mark.parametrize(
    ("takes_s", "limits"),
    [
        (LONG_S, ReaderLimits(stalled_s=SHORT_S, total_s=LONG_S)),
        (SHORT_S / 10, ReaderLimits(stalled_s=LONG_S, total_s=SHORT_S)),
    ],
    ids=["stalls", "too slow in all"],
)
async def test_a_reader_that_takes_too_long(takes_s: float, limits: ReaderLimits) -> None:
    caller = Caller(takes_s=takes_s)
    await caller.ask(limits)
    assert caller.is_closed
    assert not caller.got_all


async def test_a_reader_that_leaves() -> None:
    caller = Caller(leaves=True)
    await caller.ask(ReaderLimits())
    assert caller.is_closed
    assert not caller.got_all
