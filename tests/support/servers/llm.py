"""Model providers on loopback: OpenAI's chat completions and embeddings, APIs with the same
protocol, Mistral's chat, Anthropic's messages and Google's content generation. They validate
requests and script failures as the providers do."""

import asyncio
import json
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass, field
from typing import Any

from tests.support.servers.llm_google import (
    content_events,
    google_error,
    google_problem,
    images_of_google,
    instructions_of,
    is_google,
    model_of,
    whole_content,
)
from tests.support.servers.llm_images import Image, images_of, is_taken
from tests.support.servers.llm_stream import Calls, completion_events, message_events
from tests.support.servers.llm_whole import whole_completion, whole_message

KEY = "sk-canary-0123456789abcdef"
TOKENS_IN, TOKENS_OUT = 1_000, 100
_OUTPUTS = ("answer", "verdicts")


@dataclass(frozen=True)
class Asked:
    path: str
    headers: dict[str, str]
    body: dict[str, Any]

    @property
    def key(self) -> str:
        """Return the API key. Google and older Anthropic SDKs send it in a separate header."""
        for name in ("x-goog-api-key", "x-api-key"):
            if name in self.headers:
                return self.headers[name]
        return self.headers.get("authorization", "").removeprefix("Bearer ")

    @property
    def model(self) -> str:
        return model_of(self.path) if is_google(self.path) else str(self.body["model"])

    @property
    def is_stream(self) -> bool:
        return bool(self.body.get("stream")) or self.path.endswith(":streamGenerateContent")

    @property
    def tools(self) -> list[str]:
        """Return the names of the tools, except that of the structured answer."""
        return [name for name in self._tools if name not in _OUTPUTS]

    @property
    def output_tool(self) -> str | None:
        """Return the name of the tool of the structured answer, if any."""
        return next((name for name in self._tools if name in _OUTPUTS), None)

    @property
    def _tools(self) -> list[str]:
        tools = self.body.get("tools", [])
        return [one["name"] if "name" in one else one["function"]["name"] for one in tools]

    @property
    def instructions(self) -> str:
        if is_google(self.path):
            return instructions_of(self.body)
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
        if is_google(self.path):
            return json.dumps(self.body["contents"], ensure_ascii=False)
        return json.dumps(
            [one for one in self.body["messages"] if one["role"] not in ("system", "developer")],
            ensure_ascii=False,
        )

    @property
    def texts(self) -> list[str]:
        """Return the texts of the last turn."""
        if is_google(self.path):
            return [part["text"] for part in self.body["contents"][-1]["parts"]]
        content = self.body["messages"][-1]["content"]
        return [content] if isinstance(content, str) else [part["text"] for part in content]

    @property
    def images(self) -> list[Image]:
        if is_google(self.path):
            return images_of_google(self.body)
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
    """Any body, by default with status 200."""

    body: bytes
    headers: dict[str, str] = field(default_factory=dict)
    status: int = 200


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

    def url_of(self, model: str) -> str:
        """Return the URL of the provider of `model`, for example of `openai:gpt-5-mini`."""
        base = f"http://127.0.0.1:{self.port}"
        match model.partition(":")[0]:
            case "openai":
                return self.openai_url
            case "anthropic":
                return self.anthropic_url
            case "openrouter":
                return f"{base}/openrouter/api/v1"
            case "ollama":
                return f"{base}/ollama/v1"
            case provider:
                return f"{base}/{provider}"

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
        if isinstance(reply, Say) and asked.is_stream:
            reply = Calls((), str(reply.answer))
        return await self._reply(writer, asked, reply)

    async def _reply(self, writer: asyncio.StreamWriter, asked: Asked, reply: Reply) -> bool:
        match reply:
            case Calls() if asked.is_stream:
                await self._stream(writer, asked, reply)
            case Say() | Calls():
                await self._send(writer, 200, _json(_answer(asked, reply)))
            case Raw():
                await self._send(writer, reply.status, reply.body, reply.headers)
            case Fail():
                await self._send(writer, reply.status, _json(_error(asked, reply)), reply.headers)
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
        form = content_events if is_google(asked.path) else completion_events
        if asked.path.endswith("/messages"):
            form = message_events
        events = list(form(asked.model, said, (TOKENS_IN, TOKENS_OUT)))
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


# The paths of OpenAI, and of the APIs with the same protocol, and of Mistral.
_COMPLETIONS = {
    "/v1/chat/completions",
    "/azure/openai/v1/chat/completions",
    "/mistral/v1/chat/completions",
    "/ollama/v1/chat/completions",
    "/openrouter/api/v1/chat/completions",
}


def _problem(asked: Asked) -> str | None:
    """Return why the provider would reject the request, or None."""
    if not all(map(is_taken, asked.images)):
        return "Could not process image"
    if is_google(asked.path):
        return google_problem(asked.path, asked.body) if asked.key == KEY else "invalid key"
    match asked.path:
        case "/v1/messages":
            schema = "output_config" in asked.body or "tools" in asked.body
            known = asked.key == KEY and "anthropic-version" in asked.headers
            return None if known and schema and asked.body["max_tokens"] else "invalid request"
        case path if path in _COMPLETIONS:
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


def _answer(asked: Asked, reply: Say | Calls) -> dict[str, Any]:
    tokens = (TOKENS_IN, TOKENS_OUT)
    calls, say = (reply.calls, Say()) if isinstance(reply, Calls) else ((), reply)
    refused, tool = say.refusal is not None, None if calls else asked.output_tool
    if is_google(asked.path):
        reason = "SAFETY" if refused else "STOP"
        return whole_content(asked.model, say.answer, tokens, reason=reason)
    if asked.path.endswith("/messages"):
        return whole_message(asked.model, say.answer, tool, tokens, is_refused=refused, calls=calls)
    completion = whole_completion(asked.model, say.answer, say.refusal, tokens, tool, calls)
    if asked.path.startswith("/openrouter/"):
        completion["provider"] = "OpenAI"
    return completion


def _error(asked: Asked, fail: Fail) -> dict[str, Any]:
    # Some providers repeat the key and the prompt in their errors.
    told = f"no: {asked.headers.get('authorization')} {asked.said}"
    if is_google(asked.path):
        return google_error(fail.status, told, fail.headers.get("retry-after"), fail.code)
    if asked.path.startswith("/mistral/"):
        return {"object": "error", "message": told, "type": "error", "code": fail.code}
    if asked.path.startswith("/openrouter/"):
        return {"error": {"message": told, "code": fail.status, "metadata": {}}}
    return {"error": {"message": told, "type": "error", "code": fail.code}}


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
