"""Reading a widget's server-sent event stream, as a browser's script does."""

import asyncio
import json
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import Any

import httpx

from tests.support.widget.page import WidgetPage

MESSAGES = "/api/widget/messages"


@dataclass(frozen=True)
class Event:
    """One event. A comment has no kind."""

    kind: str
    data: dict[str, Any]
    id: int | None = None


@dataclass
class Stream:
    """An event stream. `seen` are all events read so far. `state` is the last state, empty before
    the first."""

    answer: httpx.Response
    seen: list[Event] = field(default_factory=list)

    @property
    def numbers(self) -> list[int]:
        return [event.data["number"] for event in self.seen if event.kind == "message"]

    @property
    def texts(self) -> list[str]:
        return [event.data["text"] for event in self.seen if event.kind == "message"]

    @property
    def state(self) -> dict[str, Any]:
        states = [event.data for event in self.seen if event.kind == "state"]
        return states[-1] if states else {}

    def __post_init__(self) -> None:
        self._lines = self.answer.aiter_lines()

    async def until(self, is_there: Callable[["Stream"], bool], seconds: float = 30) -> None:
        async with asyncio.timeout(seconds):
            while not is_there(self):
                assert await self._next(), "the stream has ended"

    async def to_its_end(self, seconds: float = 30) -> None:
        async with asyncio.timeout(seconds):
            while await self._next():
                pass

    async def _next(self) -> bool:
        fields: dict[str, str] = {}
        async for line in self._lines:
            if not line:
                number = int(fields["id"]) if "id" in fields else None
                data = json.loads(fields.get("data", "{}"))
                self.seen.append(Event(fields.get("event", ""), data, number))
                return True
            name, _, value = line.partition(":")
            fields[name] = value.removeprefix(" ")
        return False


def asking(page: WidgetPage, token: str, **headers: str) -> dict[str, Any]:
    """Return the parameters of a request for messages."""
    return {
        "params": page.params,
        "headers": {**page.headers, "x-widget-session": token, **headers},
    }


async def read_messages(
    page: WidgetPage, token: str, after: int | None = None, **headers: str
) -> httpx.Response:
    asked = asking(page, token, **headers)
    if after is not None:
        asked["params"] = {**asked["params"], "after": str(after)}
    return await page.engine.http.get(MESSAGES, **asked)


@asynccontextmanager
async def streaming(
    page: WidgetPage, base_url: str, token: str, **headers: str
) -> AsyncIterator[Stream]:
    """Open a stream. `headers`: header names with underscores."""
    more = {name.replace("_", "-"): value for name, value in headers.items()}
    asked = asking(page, token, accept="text/event-stream", **more)
    async with (
        httpx.AsyncClient(base_url=base_url, timeout=40) as http,
        http.stream("GET", MESSAGES, **asked) as answer,
    ):
        yield Stream(answer)
