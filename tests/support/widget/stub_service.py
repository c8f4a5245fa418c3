"""The widget's routes as the script sees them, in small: what the service would say is chosen here.

The script is the real one. `tests/e2e/widget/test_widget_live.py` has the real service behind it.
"""

import asyncio
import json
from collections.abc import AsyncIterator, Awaitable, Callable
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any, Final

from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import JSONResponse, Response, StreamingResponse
from starlette.routing import Route

from adapters.system import new_ulid
from api.widget_script.bundle import WidgetScript

KEY: Final = "wk_0123456789abcdef0123456789abcdef"
OTHER_KEY: Final = "wk_fedcba9876543210fedcba9876543210"
CODE: Final = "482913"
ASKS_FOR_AN_ADDRESS: Final = "order"
ASKS_FOR_A_PERSON: Final = "person"
ACKNOWLEDGEMENT: Final = "Thank you."
_CORS: Final = {
    "Access-Control-Allow-Origin": "*",
    "Access-Control-Expose-Headers": "Retry-After",
    "Cache-Control": "no-store",
}
_PREFLIGHT: Final = {
    "Access-Control-Allow-Methods": "GET, POST",
    "Access-Control-Allow-Headers": "content-type, idempotency-key, x-widget-session",
    "Access-Control-Max-Age": "86400",
}
_LOGO: Final = (
    '<svg xmlns="http://www.w3.org/2000/svg" width="40" height="40">'
    '<rect width="40" height="40" fill="#fff"/></svg>'
)


Endpoint = Callable[[Request], Awaitable[Response]]


@dataclass
class StubSession:
    messages: list[dict[str, object]] = field(default_factory=list)
    state: dict[str, object] = field(default_factory=dict)
    seen: int = 0
    changes: int = 0

    def add(self, author: str, text: str) -> None:
        at = datetime.now(UTC).isoformat()
        number = len(self.messages) + 1
        self.messages.append({"number": number, "author": author, "text": text, "created_at": at})
        self.changes += 1

    def set(self, **facts: object) -> None:
        self.state.update(facts)
        self.changes += 1


@dataclass(frozen=True)
class _Planned:
    path: str
    status: int
    code: str
    retry_after: int | None
    after: bool
    event_id: str | None


class StubService:
    """`chats`: the bodies that came to the chat, in order. `answers`: what is said to a text; an
    echo without. `let_go`: no answer before it is set. `buffered`: something between holds the
    streams back. `streams`: how many are open."""

    def __init__(self) -> None:
        self.url = ""
        self.script = WidgetScript.read()
        self.sessions: dict[str, StubSession] = {}
        self.chats: list[dict[str, Any]] = []
        self.mails: list[str] = []
        self.streams = 0
        self.answers: dict[str, str] = {}
        self.brand: dict[str, object] = {"display_name": "Chez Nous", "logo_url": None}
        self._planned: list[_Planned] = []
        self.let_go = asyncio.Event()
        self.let_go.set()
        self.closing = False
        self.buffered = False
        self._done: dict[str, dict[str, object]] = {}
        self._asked: dict[str, str] = {}
        routes = {
            "chat": self._chat, "config": self._config, "messages": self._messages,
            "seen": self._seen, "email": self._email, "verify": self._verify,
        }  # fmt: skip
        self.app = Starlette(
            routes=[
                Route("/widget.js", self._script),
                Route("/logo.svg", self._logo),
                *(
                    Route(
                        f"/api/widget/{name}",
                        self._guarded(name, to),
                        methods=["GET", "POST", "OPTIONS"],
                    )
                    for name, to in routes.items()
                ),
            ]
        )

    @property
    def session(self) -> StubSession:
        """The only one that has messages."""
        (found,) = (one for one in self.sessions.values() if one.messages)
        return found

    def forget(self) -> None:
        """All sessions, as if nobody had written yet."""
        self.sessions.clear()
        self._done.clear()

    def refuse(
        self,
        path: str,
        status: int,
        code: str,
        *,
        retry_after: int | None = None,
        after: bool = False,
        event_id: str | None = None,
    ) -> None:
        """The next request of that path. `after`: once its work is done."""
        self._planned.append(_Planned(path, status, code, retry_after, after, event_id))

    def _guarded(self, name: str, to: Endpoint) -> Endpoint:
        async def endpoint(request: Request) -> Response:
            if request.method == "OPTIONS":
                return Response(status_code=204, headers={**_CORS, **_PREFLIGHT})
            assert not request.headers.get("cookie")
            planned = next((one for one in self._planned if one.path == name), None)
            answer = None if planned and not planned.after else await to(request)
            if planned is not None:
                self._planned.remove(planned)
                answer = _refusal(planned.status, planned.code, planned.event_id)
                if planned.retry_after is not None:
                    answer.headers["retry-after"] = str(planned.retry_after)
            assert answer is not None
            answer.headers.update(_CORS)
            return answer

        return endpoint

    async def _script(self, _: Request) -> Response:
        return Response(self.script.plain, media_type="text/javascript")

    async def _logo(self, _: Request) -> Response:
        return Response(_LOGO, media_type="image/svg+xml")

    async def _config(self, request: Request) -> Response:
        key = request.query_params["api_key"]
        if key not in {KEY, OTHER_KEY}:
            return _refusal(401, "invalid_api_key")
        looks = {"color": "#0b5d4e", "on_color": "#ffffff", **self.brand}
        if key == OTHER_KEY:
            looks["display_name"] = "Chez Elles"
        return JSONResponse({**looks, "session_id": new_ulid()})

    async def _chat(self, request: Request) -> Response:
        body = await request.json()
        self.chats.append(body)
        key = request.headers["idempotency-key"]
        if key not in self._done:
            answer = await self._answer(body)
            if answer["event_id"] is None:
                return JSONResponse(answer)
            self._done[key] = answer
        return JSONResponse(self._done[key])

    async def _answer(self, body: dict[str, Any]) -> dict[str, object]:
        token, text = body["session_id"], body["message"]
        session = self.sessions.setdefault(token, StubSession())
        told = {"session_id": token, "response": "", "event_id": None, "acknowledgement": None}
        unknown = not session.state.get("verified_email")
        if body["verify_first"] and unknown and ASKS_FOR_AN_ADDRESS in text:
            return {**told, "status": "verification_required"}
        session.add("customer", text)
        session.set(thinking=True)
        await self.let_go.wait()
        session.set(thinking=False)
        if ASKS_FOR_A_PERSON in text:
            session.set(waiting=True)
            said = {"event_id": new_ulid(), "acknowledgement": ACKNOWLEDGEMENT}
            return {**told, **said, "status": "needs_review"}
        response = self.answers.get(text, f"Answer to: {text}")
        session.add("agent", response)
        return {**told, "status": "completed", "response": response, "event_id": new_ulid()}

    async def _messages(self, request: Request) -> Response:
        session = self.sessions.get(request.headers["x-widget-session"])
        if session is None:
            return _refusal(404, "widget_session_unknown")
        after = int(request.query_params["after"])
        if request.headers["accept"] != "text/event-stream":
            shown = session.messages[after:]
            return JSONResponse({"messages": shown, "state": session.state})
        return StreamingResponse(self._events(session, after), media_type="text/event-stream")

    async def _events(self, session: StubSession, after: int) -> AsyncIterator[str]:
        self.streams += 1
        try:
            yield ": here\n\n"
            changes = -1
            while not self.closing:
                if not self.buffered and changes != session.changes:
                    changes = session.changes
                    for one in session.messages[after:]:
                        yield f"event: message\nid: {one['number']}\ndata: {json.dumps(one)}\n\n"
                    after = len(session.messages)
                    yield f"event: state\ndata: {json.dumps(session.state)}\n\n"
                await asyncio.sleep(0.01)
        finally:
            self.streams -= 1

    async def _seen(self, request: Request) -> Response:
        body = await request.json()
        session = self.sessions.get(body["session_id"])
        if session is None:
            return _refusal(404, "widget_session_unknown")
        session.seen = max(session.seen, body["number"])
        return Response(status_code=204)

    async def _email(self, request: Request) -> Response:
        body = await request.json()
        self.sessions.setdefault(body["session_id"], StubSession())
        self._asked[body["session_id"]] = body["customer_email"]
        self.mails.append(body["customer_email"])
        return JSONResponse({"status": "sent"}, status_code=202)

    async def _verify(self, request: Request) -> Response:
        body = await request.json()
        email = self._asked.get(body["session_id"])
        if body["code"] != CODE or email is None:
            return _refusal(401, "invalid_widget_code")
        shown = f"{email[0]}…@{email.partition('@')[2]}"
        # As with the service: the same session, by another token.
        token = f"{body['session_id'].partition('.')[0]}.{new_ulid()}"
        self.sessions[token] = self.sessions.pop(body["session_id"])
        self.sessions[token].set(verified_email=shown)
        return JSONResponse({"session_id": token, "customer_email": email})


def _refusal(status: int, code: str, event_id: str | None = None) -> Response:
    body = {"error": "planned", "code": code, "request_id": "1"}
    if event_id is not None:
        body["event_id"] = event_id
    return JSONResponse(body, status_code=status)
