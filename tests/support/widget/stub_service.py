"""A small version of the widget routes, for which a test chooses the responses.

Bodies and headers are created with the service's own schemas, and the script is the real one.
`tests/e2e/widget/test_widget_live.py` uses the real service.
"""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from dataclasses import dataclass, field, replace
from typing import Any, Final, Literal

from pydantic import BaseModel
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import JSONResponse, Response, StreamingResponse
from starlette.routing import Route

from adapters.system import new_ulid, utc_now
from api.http.widget_headers import PREFLIGHT, standing_headers
from api.schemas.widget.chat import ChatAnswer, ChatStatus
from api.schemas.widget.config import WidgetConfig
from api.schemas.widget.session_messages import SessionMessages
from api.schemas.widget.verification import CodeSent, VerifiedSession
from api.widget_feed import message_event, state_event
from api.widget_script.bundle import WidgetScript
from domain.tenants.disclosure import DEFAULT_DISCLOSURE
from domain.widget.shown_message import SessionState, ShownFile, ShownMessage, masked
from tests.support.intake.attachments import PHOTO

KEY: Final = "wk_0123456789abcdef0123456789abcdef"
OTHER_KEY: Final = "wk_fedcba9876543210fedcba9876543210"
CODE: Final = "482913"
ASKS_FOR_AN_ADDRESS: Final = "order"
ASKS_FOR_A_PERSON: Final = "person"
ACKNOWLEDGEMENT: Final = "Thank you."
_LOGO: Final = (
    '<svg xmlns="http://www.w3.org/2000/svg" width="40" height="40">'
    '<rect width="40" height="40" fill="#fff"/></svg>'
)


Endpoint = Callable[[Request], Awaitable[Response]]


@dataclass
class StubSession:
    messages: list[ShownMessage] = field(default_factory=list)
    state: SessionState = field(default_factory=SessionState)
    seen: int = 0
    changes: int = 0

    def add(
        self,
        author: Literal["customer", "agent", "human"],
        text: str,
        files: tuple[ShownFile, ...] = (),
    ) -> None:
        number = len(self.messages) + 1
        self.messages.append(ShownMessage(number, author, text, utc_now(), files))
        self.changes += 1

    def set(self, **facts: Any) -> None:
        self.state = replace(self.state, **facts)
        self.changes += 1

    def after(self, number: int) -> SessionMessages:
        return SessionMessages(messages=tuple(self.messages[number:]), state=self.state)


@dataclass(frozen=True)
class _Planned:
    path: str
    status: int
    code: str
    retry_after: int | None
    after: bool
    event_id: str | None


class StubService:
    """A stub of the widget routes.

    - `chats`: the bodies of chat requests, in order.
    - `answers`: the answers, by text. By default, an answer repeats the text.
    - `let_go`: until this event is set, no request is answered.
    - `buffered`: a proxy buffers the streams.
    - `full`: every stream is rejected.
    - `streams`: the number of open streams.
    """

    def __init__(self) -> None:
        self.url = ""
        self.script = WidgetScript.read()
        self.sessions: dict[str, StubSession] = {}
        self.chats: list[dict[str, Any]] = []
        # Whether the shop asks for ratings, and the received ones: numbers and scores.
        self.asks = False
        self.ratings: list[tuple[int, int]] = []
        self.mails: list[str] = []
        self.streams = 0
        self.answers: dict[str, str] = {}
        self.brand: dict[str, object] = {"display_name": "Chez Nous", "logo_url": None}
        self._planned: list[_Planned] = []
        self.let_go = asyncio.Event()
        self.let_go.set()
        self.closing = False
        self.buffered = False
        self.full = False
        self._ended: set[str] = set()
        self._done: dict[str, ChatAnswer] = {}
        self._asked: dict[str, str] = {}
        routes = {
            "chat": self._chat, "config": self._config, "messages": self._messages,
            "seen": self._seen, "email": self._email, "verify": self._verify,
            "rating": self._rating, "attachments/{file_id}": self._attachment,
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
        """Return the only session with messages."""
        (found,) = (one for one in self.sessions.values() if one.messages)
        return found

    def forget(self) -> None:
        """End all sessions. The next message in a session starts a new one."""
        self._ended.update(self.sessions)
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
        """Reject the next request for that path. `after`: after its effect."""
        self._planned.append(_Planned(path, status, code, retry_after, after, event_id))

    def _guarded(self, name: str, to: Endpoint) -> Endpoint:
        async def endpoint(request: Request) -> Response:
            standing = {
                name.decode(): value.decode() for name, value in standing_headers(request.url.path)
            }
            if request.method == "OPTIONS":
                return Response(status_code=204, headers={**standing, **PREFLIGHT})
            assert not request.headers.get("cookie")
            planned = next((one for one in self._planned if one.path == name), None)
            answer = None if planned and not planned.after else await to(request)
            if planned is not None:
                self._planned.remove(planned)
                answer = _refusal(planned.status, planned.code, planned.event_id)
                if planned.retry_after is not None:
                    answer.headers["retry-after"] = str(planned.retry_after)
            assert answer is not None
            answer.headers.update(standing)
            return answer

        return endpoint

    async def _script(self, _: Request) -> Response:
        return Response(self.script.plain, media_type="text/javascript")

    async def _logo(self, _: Request) -> Response:
        return Response(_LOGO, media_type="image/svg+xml")

    async def _config(self, request: Request) -> Response:
        key = request.query_params["api_key"]
        if key not in {KEY, OTHER_KEY}:
            return _refusal(401, "unauthenticated")
        looks = {
            "color": "#0b5d4e", "on_color": "#ffffff", "ask_rating": self.asks,
            "disclosure": DEFAULT_DISCLOSURE, **self.brand
        }  # fmt: skip
        if key == OTHER_KEY:
            looks["display_name"] = "Chez Elles"
        return _told(WidgetConfig.model_validate({**looks, "session_id": new_ulid()}))

    async def _rating(self, request: Request) -> Response:
        body = await request.json()
        self.ratings.append((body["number"], body["score"]))
        return Response(status_code=204)

    async def _chat(self, request: Request) -> Response:
        body = await request.json()
        self.chats.append(body)
        key = request.headers["idempotency-key"]
        if key not in self._done:
            answer = await self._answer(body)
            if answer.event_id is None:
                return _told(answer)
            self._done[key] = answer
        return _told(self._done[key])

    async def _answer(self, body: dict[str, Any]) -> ChatAnswer:
        token, text = body["session_id"], body["message"]
        if token in self._ended:
            token = new_ulid()
        session = self.sessions.setdefault(token, StubSession())
        unknown = session.state.verified_email is None
        if body["verify_first"] and unknown and ASKS_FOR_AN_ADDRESS in text:
            return ChatAnswer.without_run(token, ChatStatus.VERIFICATION_REQUIRED)
        session.add("customer", text)
        session.set(thinking=True)
        await self.let_go.wait()
        session.set(thinking=False)
        if ASKS_FOR_A_PERSON in text:
            session.set(waiting=True)
            return ChatAnswer(
                session_id=token,
                response="",
                status=ChatStatus.NEEDS_REVIEW,
                event_id=new_ulid(),
                acknowledgement=ACKNOWLEDGEMENT,
            )
        response = self.answers.get(text, f"Answer to: {text}")
        session.add("agent", response)
        return ChatAnswer(
            session_id=token,
            response=response,
            status=ChatStatus.COMPLETED,
            event_id=new_ulid(),
            acknowledgement=None,
        )

    async def _messages(self, request: Request) -> Response:
        token = request.headers["x-widget-session"]
        after = int(request.query_params["after"])
        if request.headers["accept"] != "text/event-stream":
            return _told(self.sessions.get(token, StubSession()).after(after))
        if self.full:
            return _refusal(503, "server_busy")
        return StreamingResponse(self._events(token, after), media_type="text/event-stream")

    async def _events(self, token: str, after: int) -> AsyncIterator[bytes]:
        session = self.sessions.get(token, StubSession())
        self.streams += 1
        try:
            yield b": here\n\n"
            changes = -1
            # An ended session ends its streams.
            while not self.closing and self.sessions.get(token, session) is session:
                if not self.buffered and changes != session.changes:
                    changes = session.changes
                    for one in session.messages[after:]:
                        yield message_event(one)
                    after = len(session.messages)
                    yield state_event(session.state)
                await asyncio.sleep(0.01)
        finally:
            self.streams -= 1

    async def _attachment(self, request: Request) -> Response:
        session = self.sessions.get(request.headers["x-widget-session"], StubSession())
        sent = {file.id for one in session.messages for file in one.files}
        if request.path_params["file_id"] not in sent:
            return _refusal(404, "attachment_not_found")
        return Response(PHOTO.data, media_type=PHOTO.claimed_type)

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
        return _told(CodeSent(), 202)

    async def _verify(self, request: Request) -> Response:
        body = await request.json()
        email = self._asked.get(body["session_id"])
        if body["code"] != CODE or email is None:
            return _refusal(401, "invalid_widget_code")
        # As in the service, the session stays the same but gets another token.
        token = f"{body['session_id'].partition('.')[0]}.{new_ulid()}"
        self.sessions[token] = self.sessions.pop(body["session_id"])
        self.sessions[token].set(verified_email=masked(email))
        return _told(VerifiedSession(session_id=token, customer_email=email))


def _told(answer: BaseModel, status: int = 200) -> Response:
    return Response(answer.model_dump_json(), status, media_type="application/json")


def _refusal(status: int, code: str, event_id: str | None = None) -> Response:
    body = {"error": "planned", "code": code, "request_id": "1"}
    if event_id is not None:
        body["event_id"] = event_id
    return JSONResponse(body, status_code=status)
