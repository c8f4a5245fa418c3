"""The demo shop's helpdesk: a small local Zendesk with the API calls that the agent uses, and a web
page of its tickets.

It follows Zendesk's documentation: basic authentication with `email/token`, audits with custom
metadata, and safe updates by `updated_stamp`.
"""

import base64
import hmac
import re
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from html import unescape
from typing import Annotated, Any, Final

from pydantic import BaseModel, Field, ValidationError
from starlette.applications import Starlette
from starlette.middleware import Middleware
from starlette.middleware.trustedhost import TrustedHostMiddleware
from starlette.requests import Request
from starlette.responses import JSONResponse, PlainTextResponse
from starlette.routing import Route

from domain.core.ports import Clock
from embedded.ports import LOOPBACK

AGENT: Final = "agent@maison-lavande.example"
_AGENT_ID: Final = 7
_REQUESTER: Final = 9
_TAG: Final = re.compile(r"</?p>")
_START: Final = datetime(2026, 11, 1, tzinfo=UTC)
_NOT_FOUND: Final = JSONResponse({"error": "RecordNotFound"}, 404)
_CONFLICT: Final = JSONResponse({"error": "UpdateConflict"}, 409)


class _Words(BaseModel):
    html_body: str
    public: bool = True


class _Change(BaseModel):
    comment: _Words | None = None
    metadata: dict[str, str] = {}
    safe_update: bool = False
    updated_stamp: str | None = None


class _Update(BaseModel):
    ticket: _Change


class _Tags(BaseModel):
    tags: tuple[Annotated[str, Field(max_length=200)], ...]


@dataclass(frozen=True, slots=True)
class DeskComment:
    """A comment on a ticket, by the `customer` or the `agent`. `key` is the action key in its
    metadata, if any."""

    by: str
    text: str
    is_public: bool = True
    key: str | None = None
    at: datetime = field(default=_START, compare=False)


@dataclass
class DeskTicket:
    """A ticket with its comments, oldest first. `place` is the number of the latest comment in the
    helpdesk, and serves as a cursor. The update stamp counts changes."""

    number: int
    customer: str
    subject: str
    comments: list[DeskComment]
    place: int = 0
    tags: list[str] = field(default_factory=list)

    @property
    def stamp(self) -> str:
        changed = len(self.comments) + len(self.tags)
        return (_START + timedelta(seconds=changed)).strftime("%Y-%m-%dT%H:%M:%SZ")

    @property
    def answers(self) -> list[DeskComment]:
        return [one for one in self.comments if one.by == "agent"]


class DemoDesk:
    """The helpdesk, with its URL and API token. `first` is the number of its first ticket."""

    def __init__(self, url: str, token: str, first: int, now: Clock) -> None:
        self.url = url
        self.token = token
        self._first = first
        self._now = now
        self._comments = 0
        self.tickets: dict[int, DeskTicket] = {}

    def open(self, customer: str, subject: str, text: str) -> DeskTicket:
        """Create a ticket with a customer's comment, and return it."""
        number = self._first + len(self.tickets)
        ticket = DeskTicket(number, customer, subject, [])
        self.tickets[number] = ticket
        self._add(ticket, DeskComment("customer", text, at=self._now()))
        return ticket

    def application(self) -> Starlette:
        ticket = "/api/v2/tickets/{number:int}"
        return Starlette(
            routes=[
                Route("/", self._page),
                Route("/api/v2/users/me.json", self._me),
                Route("/api/v2/incremental/tickets/cursor.json", self._changed),
                Route(f"{ticket}.json", self._show),
                Route(f"{ticket}.json", self._update, methods=["PUT"]),
                Route(f"{ticket}/audits.json", self._audits),
                Route(f"{ticket}/comments.json", self._said),
                Route(f"{ticket}/tags.json", self._tag, methods=["PUT"]),
            ],
            middleware=[Middleware(TrustedHostMiddleware, [LOOPBACK])],
        )

    async def _page(self, _: Request) -> PlainTextResponse:
        lines = [
            line
            for ticket in self.tickets.values()
            for line in (
                f"Ticket {ticket.number}: {ticket.subject} ({ticket.customer})",
                *(
                    f"  {one.by}{'' if one.is_public else ' (internal)'}: {one.text}"
                    for one in ticket.comments
                ),
            )
        ]
        return PlainTextResponse("\n".join(lines) + "\n")

    async def _me(self, request: Request) -> JSONResponse:
        if not self._may(request):
            return _unauthorized()
        return JSONResponse({"user": {"id": _AGENT_ID, "role": "agent", "email": AGENT}})

    async def _show(self, request: Request) -> JSONResponse:
        ticket = self._found(request)
        if not isinstance(ticket, DeskTicket):
            return ticket
        shown = {
            "id": ticket.number,
            "status": "open",
            "requester_id": _REQUESTER,
            "tags": ticket.tags,
            "updated_at": ticket.stamp,
        }
        users = [{"id": _REQUESTER, "email": ticket.customer}]
        return JSONResponse({"ticket": shown, "users": users})

    async def _update(self, request: Request) -> JSONResponse:
        ticket = self._found(request)
        if not isinstance(ticket, DeskTicket):
            return ticket
        try:
            change = _Update.model_validate_json(await request.body()).ticket
        except ValidationError:
            return JSONResponse({"error": "RecordInvalid"}, 422)
        if change.safe_update and change.updated_stamp != ticket.stamp:
            return _CONFLICT
        if change.comment is not None:
            words = change.comment
            text, key = _plain(words.html_body), change.metadata.get("action_key")
            self._add(ticket, DeskComment("agent", text, words.public, key, self._now()))
        audit = _audit(ticket, len(ticket.comments) - 1)
        return JSONResponse({"ticket": {"id": ticket.number}, "audit": audit})

    async def _audits(self, request: Request) -> JSONResponse:
        ticket = self._found(request)
        if not isinstance(ticket, DeskTicket):
            return ticket
        audits = [_audit(ticket, place) for place in range(len(ticket.comments))]
        meta = {"has_more": False, "after_cursor": None}
        return JSONResponse({"audits": audits[::-1], "meta": meta})

    async def _changed(self, request: Request) -> JSONResponse:
        """Return the tickets that changed after a cursor or since a time, all on one page."""
        if not self._may(request):
            return _unauthorized()
        try:
            after = int(request.query_params.get("cursor", 0))
            since = datetime.fromtimestamp(int(request.query_params.get("start_time", 0)), UTC)
        except (ValueError, OverflowError, OSError):
            return JSONResponse({"error": "InvalidValue"}, 422)
        found = [one for one in self.tickets.values() if one.place > after]
        tickets = [
            {
                "id": one.number,
                "subject": one.subject,
                "status": "open",
                "requester_id": _REQUESTER,
                "created_at": one.comments[0].at.isoformat(),
                "updated_at": one.comments[-1].at.isoformat(),
            }
            for one in found
            if one.comments[-1].at >= since
        ]
        cursor = max((one.place for one in found), default=after)
        return JSONResponse(
            {"tickets": tickets, "after_cursor": str(cursor), "end_of_stream": True}
        )

    async def _said(self, request: Request) -> JSONResponse:
        ticket = self._found(request)
        if not isinstance(ticket, DeskTicket):
            return ticket
        comments = [
            {
                "id": _comment_id(ticket, place),
                "author_id": _REQUESTER if one.by == "customer" else _AGENT_ID,
                "plain_body": one.text,
                "public": one.is_public,
                "created_at": one.at.isoformat(),
            }
            for place, one in enumerate(ticket.comments)
        ]
        users = [
            {"id": _REQUESTER, "email": ticket.customer, "role": "end-user"},
            {"id": _AGENT_ID, "email": AGENT, "role": "agent"},
        ]
        return JSONResponse({"comments": comments[::-1], "users": users})

    def _add(self, ticket: DeskTicket, comment: DeskComment) -> None:
        self._comments += 1
        ticket.place = self._comments
        ticket.comments.append(comment)

    async def _tag(self, request: Request) -> JSONResponse:
        ticket = self._found(request)
        if not isinstance(ticket, DeskTicket):
            return ticket
        wanted = _Tags.model_validate_json(await request.body()).tags
        ticket.tags += [tag for tag in wanted if tag not in ticket.tags]
        return JSONResponse({"tags": ticket.tags})

    def _found(self, request: Request) -> DeskTicket | JSONResponse:
        if not self._may(request):
            return _unauthorized()
        return self.tickets.get(request.path_params["number"]) or _NOT_FOUND

    def _may(self, request: Request) -> bool:
        login = base64.b64encode(f"{AGENT}/token:{self.token}".encode()).decode()
        given = request.headers.get("authorization", "")
        return hmac.compare_digest(given.encode(), f"Basic {login}".encode())


def _plain(html: str) -> str:
    """Return the plain text of an HTML body that contains only paragraphs and line breaks."""
    return unescape(_TAG.sub("", html.replace("</p><p>", "\n\n").replace("<br>", "\n")))


def _unauthorized() -> JSONResponse:
    return JSONResponse({"error": "Couldn't authenticate you"}, 401)


def _comment_id(ticket: DeskTicket, place: int) -> int:
    return 20 * ticket.number + 2 * place + 1


def _audit(ticket: DeskTicket, place: int) -> dict[str, Any]:
    comment = ticket.comments[place]
    return {
        "id": _comment_id(ticket, place) - 1,
        "metadata": {"system": {}, "custom": {"action_key": comment.key} if comment.key else {}},
        "events": [
            {"id": _comment_id(ticket, place), "type": "Comment", "public": comment.is_public}
        ],
    }
