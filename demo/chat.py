"""The widget's API calls, sent as the widget's script sends them from a storefront page."""

from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from typing import Final, Literal

import httpx
from pydantic import BaseModel

from demo.widget import DemoWidget

_SESSION: Final = "X-Widget-Session"
# The timeout is slightly longer than the gateway's own deadline, so that the gateway responds
# first.
_TIMEOUT_S: Final = 35


def widget_client(api_url: str, widget: DemoWidget) -> httpx.AsyncClient:
    """Return an HTTP client for the widget's routes, with the API key and a storefront page's
    origin."""
    return httpx.AsyncClient(
        base_url=f"{api_url}/api/widget/",
        params={"api_key": widget.key},
        headers={"Origin": widget.origin},
        timeout=_TIMEOUT_S,
        trust_env=False,
    )


class ChatReply(BaseModel):
    """The service's response to a message. `event_id`: None if no event was stored."""

    session_id: str
    status: str
    response: str
    event_id: str | None


class ChatLine(BaseModel):
    """One message in the conversation, as shown to the visitor."""

    number: int
    author: Literal["customer", "agent", "human"]
    text: str


class _Conversation(BaseModel):
    messages: tuple[ChatLine, ...]


class _OpenedSession(BaseModel):
    session_id: str


class _Verified(BaseModel):
    session_id: str
    customer_email: str


class WidgetChat:
    """One visitor's chat. Each method raises httpx.HTTPStatusError if the service rejects the
    request."""

    def __init__(self, http: httpx.AsyncClient, language: str) -> None:
        """Create the chat. `http` is a client with the widget's key and the page's origin, created
        by `widget_client`."""
        self._http = http
        self._language = language
        self._session = ""

    async def begin(self) -> None:
        answer = await self._http.get("config")
        self._session = _OpenedSession.model_validate_json(_taken(answer)).session_id

    async def say(self, message: str, key: str) -> ChatReply:
        """Send a message, and return the response. A retry with the same idempotency `key` sends no
        second message."""
        answer = ChatReply.model_validate_json(
            await self._post(
                "chat",
                {"message": message, "verify_first": True, "language": self._language},
                key=key,
            )
        )
        self._session = answer.session_id
        return answer

    async def ask_code(self, address: str) -> None:
        await self._post("email", {"customer_email": address, "language": self._language})

    async def enter_code(self, code: str) -> str:
        """Submit the code from the email, and return the verified address."""
        verified = _Verified.model_validate_json(await self._post("verify", {"code": code}))
        self._session = verified.session_id
        return verified.customer_email

    async def messages(self) -> tuple[ChatLine, ...]:
        """Return all messages of the conversation."""
        headers = {_SESSION: self._session}
        answer = await self._http.get("messages", params={"after": 0}, headers=headers)
        return _Conversation.model_validate_json(_taken(answer)).messages

    @asynccontextmanager
    async def listening(self, after: int) -> AsyncIterator[AsyncIterator[ChatLine]]:
        """Open the event stream, and yield an iterator over the messages with numbers above
        `after`, as they arrive."""
        headers = {_SESSION: self._session, "Accept": "text/event-stream"}
        params = {"after": after}
        async with self._http.stream("GET", "messages", params=params, headers=headers) as answer:
            answer.raise_for_status()
            yield messages_in(answer.aiter_lines())

    async def seen(self, number: int) -> None:
        await self._post("seen", {"number": number})

    async def _post(self, path: str, body: Mapping[str, str | int], *, key: str = "") -> bytes:
        headers = {"Idempotency-Key": key} if key else {}
        sent = {"session_id": self._session, **body}
        return _taken(await self._http.post(path, json=sent, headers=headers))


async def messages_in(lines: AsyncIterator[str]) -> AsyncIterator[ChatLine]:
    """Yield the `message` events from the lines of a server-sent events stream."""
    name = ""
    async for line in lines:
        field, _, value = line.partition(": ")
        if field == "event":
            name = value
        elif field == "data" and name == "message":
            yield ChatLine.model_validate_json(value)


def _taken(answer: httpx.Response) -> bytes:
    answer.raise_for_status()
    return answer.content
