"""Model providers on loopback: OpenAI's chat completions and embeddings, Anthropic's messages. They
validate requests and script failures as the providers do."""

import asyncio
import json
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass, field
from typing import Any

from tests.support.servers.llm_images import Image, images_of, is_taken
from tests.support.servers.llm_stream import Calls, completion_events, message_events
from tests.support.servers.llm_whole import whole_completion, whole_message

KEY = "sk-canary-0123456789abcdef"
TOKENS_IN, TOKENS_OUT = 1_000, 100


@dataclass(frozen=True)
class Asked:
    path: str
    headers: dict[str, str]
    body: dict[str, Any]

    @property
    def key(self) -> str:
        """Return the API key. Older Anthropic SDKs send it in a separate header."""
        return self.headers.get("x-api-key") or self.headers.get("authorization", "").removeprefix(
            "Bearer "
        )

    @property
    def instructions(self) -> str:
        if "system" in self.body:  # Anthropic's
            system = self.body["system"]
            return system if isinstance(system, str) else "".join(part["text"] for part in system)
        return "".join(
            message["content"]
            for message in self.body["messages"]
            if message["role"] in ("system", "developer")
        )

    @property
    def said(self) -> str:
        """Return everything except the instructions, as JSON."""
        return json.dumps(
            [one for one in self.body["messages"] if one["role"] not in ("system", "developer")],
            ensure_ascii=False,
        )

    @property
    def images(self) -> list[Image]:
        return images_of(self.body.get("messages", []))


@dataclass(frozen=True)
class Say:
    """A model's output: a structured answer or plain text. `refusal` is a refusal that replaces the
    output."""

    answer: dict[str, Any] | str = ""
    refusal: str | None = None


@dataclass(frozen=True)
class Fail:
    """An HTTP error in the providers' format. `code` is the provider's error code."""

    status: int
    headers: dict[str, str] = field(default_factory=dict)
    code: str | None = None


@dataclass(frozen=True)
class Cut:
    """A response within which the connection breaks."""


@dataclass(frozen=True)
class Flood:
    """A response of ten megabytes."""


@dataclass(frozen=True)
class Drip:
    """A response that arrives byte by byte and outlasts the client's timeout."""


@dataclass(frozen=True)
class Raw:
    """Any body, with status 200."""

    body: bytes
    headers: dict[str, str] = field(default_factory=dict)


@dataclass(frozen=True)
class Think:
    """A reply that depends on the request."""

    of: Callable[[Asked], "Reply"]


Reply = Say | Calls | Fail | Cut | Flood | Drip | Raw | Think
Embed = Callable[[str], list[float]]


class LlmServer:
    """A server for model providers. `script` contains the next replies, the last one repeated.
    `sent` counts the bytes read from the last body."""

    def __init__(self) -> None:
        self.port = 0
        self.script: list[Reply] = []
        self.asked: list[Asked] = []
        self.embed: Embed = lambda text: [float(len(text)), 1.0]
        self.sent = 0
        self.connections: set[asyncio.Task[None]] = set()

    @property
    def openai_url(self) -> str:
        return f"http://127.0.0.1:{self.port}/v1"

    @property
    def anthropic_url(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    async def serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        task = asyncio.current_task()
        assert task is not None
        self.connections.add(task)
        try:
            with suppress(ConnectionError, asyncio.IncompleteReadError, asyncio.CancelledError):
                while await self._one(reader, writer):
                    pass
        finally:
            self.connections.discard(task)
            writer.close()

    async def _one(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> bool:
        head = (await reader.readuntil(b"\r\n\r\n")).decode("latin-1").split("\r\n")
        headers = {
            name.lower(): value.strip()
            for name, _, value in (line.partition(":") for line in head[1:] if line)
        }
        body = json.loads(await reader.readexactly(int(headers["content-length"])))
        asked = Asked(head[0].split()[1].partition("?")[0], headers, body)
        self.asked.append(asked)
        problem = _problem(asked)
        if problem:
            await self._send(writer, 400, _json({"error": {"message": problem}}))
            return True
        if asked.path.endswith("/embeddings") and not self.script:
            await self._send(writer, 200, _json(self._embeddings(asked)))
            return True
        reply = self.script.pop(0) if len(self.script) > 1 else self.script[0]
        if isinstance(reply, Think):
            reply = reply.of(asked)
        if isinstance(reply, Say) and asked.body.get("stream"):
            reply = Calls((), str(reply.answer))
        return await self._reply(writer, asked, reply)

    async def _reply(self, writer: asyncio.StreamWriter, asked: Asked, reply: Reply) -> bool:
        match reply:
            case Calls():
                await self._stream(writer, asked, reply)
            case Say():
                form = _message if asked.path.endswith("/messages") else _completion
                await self._send(writer, 200, _json(form(asked, reply)))
            case Raw():
                await self._send(writer, 200, reply.body, reply.headers)
            case Fail():
                # Some providers repeat the key and the prompt in their errors.
                told = f"no: {asked.headers.get('authorization')} {asked.said}"
                error = {"error": {"message": told, "type": "error", "code": reply.code}}
                await self._send(writer, reply.status, _json(error), reply.headers)
            case Cut():
                writer.write(_head(200, 10_000) + b'{"id": "half of an')
                await writer.drain()
                return False
            case Flood():
                await self._flood(writer)
                return False
            case Drip() | Think():
                writer.write(_head(200, 10_000))
                while True:
                    writer.write(b" ")
                    await writer.drain()
                    await asyncio.sleep(0.02)
        return True

    async def _stream(self, writer: asyncio.StreamWriter, asked: Asked, said: Calls) -> None:
        form = message_events if asked.path.endswith("/messages") else completion_events
        events = list(form(asked.body["model"], said, (TOKENS_IN, TOKENS_OUT)))
        length = sum(map(len, events))
        writer.write(_head(200, length).replace(b"application/json", b"text/event-stream"))
        for event in events:
            writer.write(event)
            await writer.drain()

    async def _flood(self, writer: asyncio.StreamWriter) -> None:
        writer.write(_head(200, 10 * 1024 * 1024))
        self.sent = 0
        for _ in range(160):
            writer.write(b" " * 65_536)
            await writer.drain()
            self.sent += 65_536

    async def _send(
        self,
        writer: asyncio.StreamWriter,
        status: int,
        body: bytes,
        headers: dict[str, str] | None = None,
    ) -> None:
        writer.write(_head(status, len(body), headers) + body)
        await writer.drain()

    def _embeddings(self, asked: Asked) -> dict[str, Any]:
        texts = asked.body["input"]
        data = [
            {"object": "embedding", "index": place, "embedding": self.embed(text)}
            for place, text in enumerate(texts)
        ]
        # The order does not matter, because the index assigns the vectors.
        return {"object": "list", "model": asked.body["model"], "data": data[::-1]}


def _problem(asked: Asked) -> str | None:
    """Return why the provider would reject the request, or None."""
    if not all(map(is_taken, asked.images)):
        return "Could not process image"
    match asked.path:
        case "/v1/messages":
            schema = "output_config" in asked.body or "tools" in asked.body
            known = asked.key == KEY and "anthropic-version" in asked.headers
            return None if known and schema and asked.body["max_tokens"] else "invalid request"
        case "/v1/chat/completions":
            schema = asked.body.get("response_format", {}).get("type") == "json_schema"
            return (
                None
                if asked.key == KEY and (schema or asked.body.get("tools"))
                else "invalid request"
            )
        case "/v1/embeddings":
            fine = isinstance(asked.body["input"], list) and asked.body["model"]
            return None if fine else "invalid request"
        case _:
            return "no such path"


def _completion(asked: Asked, say: Say) -> dict[str, Any]:
    return whole_completion(asked.body["model"], say.answer, say.refusal, (TOKENS_IN, TOKENS_OUT))


def _message(asked: Asked, say: Say) -> dict[str, Any]:
    tool = asked.body["tools"][0]["name"] if "tools" in asked.body else None
    refused = say.refusal is not None
    tokens = (TOKENS_IN, TOKENS_OUT)
    return whole_message(asked.body["model"], say.answer, tool, tokens, is_refused=refused)


def _json(body: dict[str, Any]) -> bytes:
    return json.dumps(body).encode()


def _head(status: int, length: int, headers: dict[str, str] | None = None) -> bytes:
    lines = [f"HTTP/1.1 {status} -", "content-type: application/json", f"content-length: {length}"]
    lines += [f"{name}: {value}" for name, value in (headers or {}).items()]
    return ("\r\n".join(lines) + "\r\n\r\n").encode()


@asynccontextmanager
async def llm_server() -> AsyncIterator[LlmServer]:
    kept = LlmServer()
    server = await asyncio.start_server(kept.serve, "127.0.0.1", 0)
    kept.port = server.sockets[0].getsockname()[1]
    try:
        yield kept
    finally:
        server.close()
        for task in list(kept.connections):
            task.cancel()
        await asyncio.gather(*kept.connections, return_exceptions=True)
