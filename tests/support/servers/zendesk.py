"""Zendesk's ticket API on loopback, as the agent uses it.

The server responds like the published API: basic authentication with `email/token`, audits with
custom metadata, safe updates with `updated_stamp`, cursor pagination, and no update of a closed
ticket.
"""

import base64
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from typing import Any

from tests.support.servers.help_center import HelpArticle, zendesk_reply
from tests.support.servers.http_service import HttpService, Reply, Request, serving

EMAIL = "agent@acme.example"
API_TOKEN = "CANARYzendesk0token"
_START = datetime(2026, 11, 1, tzinfo=UTC)
_CONFLICT = Reply(409, {"error": "UpdateConflict", "description": "a stale updated_stamp"})
_CLOSED = {"status": [{"description": "Status: closed prevents ticket update"}]}


@dataclass
class Ticket:
    """A ticket with its audits, oldest first. `written` are comments by others. `updates` counts
    changes, and determines the stamp."""

    requester_email: str | None
    status: str = "open"
    tags: list[str] = field(default_factory=list)
    audits: list[dict[str, Any]] = field(default_factory=list)
    updates: int = 0
    written: list[dict[str, Any]] = field(default_factory=list)
    created_at: str = _START.isoformat()

    @property
    def stamp(self) -> str:
        return (_START + timedelta(seconds=self.updates)).strftime("%Y-%m-%dT%H:%M:%SZ")

    @property
    def comments(self) -> list[dict[str, Any]]:
        """Return the agent's comments."""
        return [event for audit in self.audits for event in audit["events"]]


class ZendeskServer(HttpService):
    """A Zendesk server. `page_size` is the maximum number of audits per page. `collide` is the
    number of next updates that arrive too late. `role` is the token user's."""

    def __init__(self) -> None:
        super().__init__()
        self.tickets: dict[str, Ticket] = {}
        self.articles: list[HelpArticle] = []
        self.uploads: dict[str, tuple[str, str, bytes]] = {}
        self.page_size = 100
        self.collide = 0
        self.role = "agent"

    def open_ticket(self, requester_email: str | None, status: str = "open") -> str:
        ticket_id = str(len(self.tickets) + 35436)
        self.tickets[ticket_id] = Ticket(requester_email, status)
        return ticket_id

    def route(self, request: Request) -> Reply:
        expected = base64.b64encode(f"{EMAIL}/token:{API_TOKEN}".encode()).decode()
        if request.authorization != f"Basic {expected}":
            return Reply(401, {"error": "Couldn't authenticate you"})
        if request.path.startswith("/api/v2/help_center/"):
            return zendesk_reply(self.articles, request)
        match (request.method, request.path):
            case ("GET", "/api/v2/users/me.json"):
                return Reply(body={"user": {"id": 9, "role": self.role}})
            case ("GET", "/api/v2/incremental/tickets/cursor.json"):
                return self._changed(request)
            case ("POST", "/api/v2/uploads.json"):
                return self._upload(request)
        return self._of_ticket(request)

    def _of_ticket(self, request: Request) -> Reply:
        parts = request.path.removeprefix("/api/v2/tickets/").removesuffix(".json").split("/")
        ticket = self.tickets.get(parts[0])
        match (ticket, request.method, parts[1:]):
            case (Ticket(), "GET", []):
                reply = self._show(parts[0], ticket)
            case (Ticket(), "GET", ["comments"]):
                reply = self._comments(ticket)
            case (Ticket(), "GET", ["audits"]):
                reply = self._audits(ticket, request)
            case (Ticket(), "PUT", []):
                reply = self._update(parts[0], ticket, request.body["ticket"])
            case (Ticket(), "PUT", ["tags"]):
                reply = self._tag(ticket, request.body)
            case _:
                reply = Reply(404, {"error": "RecordNotFound", "description": "Not found"})
        return reply

    def _upload(self, request: Request) -> Reply:
        """Keep a file until a comment contains its token."""
        token = f"token{len(self.uploads)}"
        self.uploads[token] = (
            request.query["filename"],
            request.headers["content-type"],
            request.raw,
        )
        return Reply(201, {"upload": {"token": token, "attachment": {"id": 1}}})

    def _show(self, ticket_id: str, ticket: Ticket) -> Reply:
        users = [
            {"id": 7, "email": "other@acme.example"},
            {"id": 9, "email": ticket.requester_email},
        ]
        return Reply(
            body={
                "ticket": {
                    "id": int(ticket_id),
                    "status": ticket.status,
                    "requester_id": 9,
                    "tags": ticket.tags,
                    "updated_at": ticket.stamp,
                },
                "users": users,
            }
        )

    def write(self, ticket_id: str, body: str, at: datetime, *, by_staff: bool = False) -> int:
        """Add a comment by the requester or a colleague, and return its id."""
        ticket = self.tickets[ticket_id]
        ticket.written.append(
            {
                "id": 9000 + len(ticket.written),
                "author_id": 7 if by_staff else 9,
                "plain_body": body,
                "body": body,
                "public": True,
                "created_at": at.isoformat(),
            }
        )
        return 9000 + len(ticket.written) - 1

    def _changed(self, request: Request) -> Reply:
        """Return the changes. Only administrators have access. Times within the last minute are
        rejected."""
        if self.role != "admin":
            return Reply(403, {"error": "Forbidden"})
        after = request.query.get("cursor", "")
        if "start_time" in request.query:
            since = datetime.fromtimestamp(int(request.query["start_time"]), UTC)
            if since > datetime.now(UTC) - timedelta(minutes=1):
                return Reply(422, {"error": "InvalidValue", "description": "Too recent"})
        log = [
            (max(one["created_at"] for one in ticket.written), ticket_id, ticket)
            for ticket_id, ticket in self.tickets.items()
            if ticket.written
        ]
        left = sorted((one for one in log if one[0] > after), key=lambda one: one[0])
        page = left[: min(self.page_size, int(request.query["per_page"]))]
        return Reply(
            body={
                "tickets": [
                    {
                        "id": int(ticket_id),
                        "subject": "Question",
                        "status": ticket.status,
                        "created_at": ticket.created_at,
                        "updated_at": at,
                        "requester_id": 9,
                    }
                    for at, ticket_id, ticket in page
                ],
                "after_cursor": page[-1][0] if page else after,
                "end_of_stream": len(page) == len(left),
            }
        )

    def _comments(self, ticket: Ticket) -> Reply:
        users = [
            {"id": 7, "name": "Zoe", "email": "zoe@acme.example", "role": "agent"},
            {"id": 9, "name": "Ann", "email": ticket.requester_email, "role": "end-user"},
        ]
        return Reply(body={"comments": ticket.written[::-1], "users": users})

    def _audits(self, ticket: Ticket, request: Request) -> Reply:
        newest_first = request.query.get("sort") == "-created_at"
        audits = ticket.audits[::-1] if newest_first else ticket.audits
        begin = int(request.query.get("page[after]", "0"))
        end = begin + min(self.page_size, int(request.query["page[size]"]))
        return Reply(
            body={
                "audits": audits[begin:end],
                "meta": {"has_more": end < len(audits), "after_cursor": str(end)},
            }
        )

    def _refusal(self, ticket: Ticket, body: dict[str, Any]) -> Reply | None:
        if ticket.status == "closed":
            return Reply(422, {"error": "RecordInvalid", "details": _CLOSED})
        if self.collide:
            self.collide -= 1
            ticket.updates += 1
        if body.get("safe_update") and body["updated_stamp"] != ticket.stamp:
            return _CONFLICT
        return None

    def _update(self, ticket_id: str, ticket: Ticket, body: dict[str, Any]) -> Reply:
        if refusal := self._refusal(ticket, body):
            return refusal
        ticket.updates += 1
        number = 1000 + 10 * len(ticket.audits)
        comment = {"id": number + 1, "type": "Comment", **body["comment"]}
        audit = {
            "id": number,
            "ticket_id": int(ticket_id),
            "metadata": {"system": {}, "custom": body.get("metadata", {})},
            "events": [{"id": number + 2, "type": "Notification"}, comment],
        }
        ticket.audits.append({**audit, "events": [comment]})
        return Reply(body={"ticket": {"id": int(ticket_id)}, "audit": audit})

    def _tag(self, ticket: Ticket, body: dict[str, Any]) -> Reply:
        if refusal := self._refusal(ticket, body):
            return refusal
        added = [tag for tag in body["tags"] if tag not in ticket.tags]
        ticket.tags += added
        ticket.updates += bool(added)
        return Reply(body={"tags": ticket.tags})


@contextmanager
def zendesk_server() -> Iterator[ZendeskServer]:
    with serving(ZendeskServer()) as server:
        yield server
