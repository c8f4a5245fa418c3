"""Readers of streamed responses, which may stall or disconnect, and their sources."""

import asyncio
from collections.abc import AsyncGenerator
from typing import Final

from starlette.types import Message, Receive, Scope

SCOPE: Final[Scope] = {"type": "http"}


class Source:
    """A source that yields `number` chunks, and then raises `error` if there is one."""

    def __init__(self, number: int, error: Exception | None = None, size: int = 10) -> None:
        self.given = 0
        self.closed = False
        self._number = number
        self._error = error
        self._size = size

    async def pieces(self) -> AsyncGenerator[bytes]:
        try:
            for _ in range(self._number):
                self.given += 1
                yield b"x" * self._size
            if self._error is not None:
                raise self._error
        finally:
            await asyncio.sleep(0)  # closing waits for the database
            self.closed = True


class Reader:
    """A reader that reads up to this many messages, and then stalls."""

    def __init__(self, takes: int = 1_000_000) -> None:
        self.messages: list[Message] = []
        self.stalled = asyncio.Event()
        self.gone = asyncio.Event()
        self._takes = takes

    async def send(self, message: Message) -> None:
        if len(self.messages) >= self._takes:
            self.stalled.set()
            await asyncio.Event().wait()
        self.messages.append(message)

    def receiving(self) -> Receive:
        coming: list[Message] = [{"type": "http.request", "body": b"", "more_body": False}]

        async def receive() -> Message:
            if coming:
                return coming.pop()
            await self.gone.wait()
            return {"type": "http.disconnect"}

        return receive

    @property
    def is_whole(self) -> bool:
        return bool(self.messages) and self.messages[-1].get("more_body") is False
