"""The copilot's answer as server-sent events: first the text as it is generated, then its
citations."""

import asyncio
from collections.abc import AsyncGenerator, Awaitable, Callable
from typing import Final

import structlog
from starlette.requests import Request

from api.error_response import error_response
from api.http.json_body import json_bytes
from domain.copilot.answer import CopilotAnswer
from domain.copilot.ports import Say
from domain.core.errors import DomainError

_log = structlog.get_logger("api")

# Number of text fragments buffered for a slow reader. When the buffer is full, the copilot waits.
_MOST_WAITING: Final = 64

EVENTS: Final = "text/event-stream"
"""The media type in the Accept header that requests a streamed answer."""

Ask = Callable[[Say], Awaitable[CopilotAnswer]]


async def copilot_events(ask: Ask, request: Request, request_id: str) -> AsyncGenerator[bytes]:
    """Yield `delta` events with the text, then `citation` and `draft` events, then `done`.

    An error before the first text is raised. A later error is sent as an `error` event. The copilot
    stops when the reader disconnects.
    """
    pieces: asyncio.Queue[str | None] = asyncio.Queue(_MOST_WAITING)

    async def answered() -> CopilotAnswer:
        # A `finally` block would not work here. A disconnect cancels this task, and `put` would
        # then wait forever on a full queue without a reader.
        try:
            answer = await ask(pieces.put)
        except Exception:
            await pieces.put(None)
            raise
        await pieces.put(None)
        return answer

    task = asyncio.create_task(answered())
    started = False
    try:
        while (piece := await pieces.get()) is not None:
            started = True
            yield event_of("delta", {"text": piece})
        try:
            answer = await task
        except DomainError as error:
            if not started:
                raise
            _log.warning("copilot answer interrupted", code=error.code)
            error_reply = error_response(error, request_id, request)
            yield b"event: error\ndata: %s\n\n" % bytes(error_reply.body)
            return
        for one in answer.citations:
            yield event_of("citation", one.model_dump())
        for draft in answer.drafts:
            yield event_of("draft", draft.model_dump())
        rest = {"text", "citations", "drafts"}
        yield event_of("done", answer.model_dump(exclude=rest))
    finally:
        task.cancel()


def event_of(name: str, data: dict[str, object]) -> bytes:
    """Return a server-sent event. The data cannot end the event early, because serialized JSON
    contains no line breaks."""
    return b"event: %s\ndata: %s\n\n" % (name.encode(), json_bytes(data))
