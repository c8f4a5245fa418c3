"""Freshdesk's ticket API on loopback, as the agent uses it.

The server responds like the published API: basic authentication with an API key, paginated
conversations oldest first, separate replies and notes, and all tags of a ticket set at once.
"""

import base64
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

from tests.support.servers.help_center import HelpArticle, freshdesk_reply
from tests.support.servers.http_service import HttpService, Reply, Request, serving

API_KEY = "CANARYfreshdesk0key"
AGENT_ID = 43
OPEN, RESOLVED = 2, 4


@dataclass
class Ticket:
    requester: str
    status: int = OPEN
    conversations: list[dict[str, Any]] = field(default_factory=list)
    tags: list[str] = field(default_factory=list)


class FreshdeskServer(HttpService):
    """A Freshdesk server that does not deduplicate requests."""

    def __init__(self) -> None:
        super().__init__()
        self.tickets: dict[str, Ticket] = {}
        self.articles: list[HelpArticle] = []
        self.uploads: list[tuple[str, str, bytes]] = []

    def open_ticket(self, requester: str, status: int = OPEN) -> str:
        number = str(len(self.tickets) + 20)
        self.tickets[number] = Ticket(requester, status)
        return number

    def customer_says(self, number: str, body: str) -> None:
        self._add(number, {"body": body, "incoming": True, "private": False, "user_id": 7})

    def route(self, request: Request) -> Reply:
        expected = base64.b64encode(f"{API_KEY}:X".encode()).decode()
        if request.authorization != f"Basic {expected}":
            return Reply(401, {"code": "invalid_credentials", "message": "!"})
        if (request.method, request.path) == ("GET", "/api/v2/agents/me"):
            return Reply(body={"id": AGENT_ID, "contact": {"email": "agent@acme.example"}})
        if request.path.startswith("/api/v2/solutions/"):
            return freshdesk_reply(self.articles, request)
        parts = request.path.removeprefix("/api/v2/tickets/").split("/")
        ticket = self.tickets.get(parts[0])
        if ticket is None:
            return Reply(404, None)
        return self._of_ticket(parts[0], parts[1:], request)

    def _of_ticket(self, number: str, rest: list[str], request: Request) -> Reply:
        ticket = self.tickets[number]
        reply = Reply(405, None)
        match (request.method, rest):
            case ("GET", []):
                reply = Reply(body=_shown(ticket, request))
            case ("GET", ["conversations"]):
                size, page = int(request.query["per_page"]), int(request.query["page"])
                reply = Reply(body=ticket.conversations[size * (page - 1) : size * page])
            case ("POST", ["reply"]):
                reply = self._reply(number, request)
            case ("POST", ["notes"]):
                private = request.body.get("private", True)
                reply = self._write(number, request.body, {"body", "private"}, private=private)
            case ("PUT", []) if request.body.keys() == {"tags"}:
                ticket.tags[:] = request.body["tags"]
                reply = Reply(body=_shown(ticket, request))
        return reply

    def _reply(self, number: str, request: Request) -> Reply:
        body = request.body
        if request.headers["content-type"].startswith("multipart/form-data"):
            body = request.texts
            if any(one[0] != "attachments[]" for one in request.files):
                return Reply(400, {"description": "Validation failed"})
            self.uploads += [one[1:] for one in request.files]
        return self._write(number, body, {"body"}, private=False)

    def _write(self, number: str, body: dict[str, Any], known: set[str], *, private: bool) -> Reply:
        if not body.get("body") or not body.keys() <= known:
            return Reply(400, {"description": "Validation failed", "errors": [{"code": "x"}]})
        said = {"body": f"<div>{body['body']}</div>", "user_id": AGENT_ID}
        return Reply(201, self._add(number, {**said, "incoming": False, "private": private}))

    def _add(self, number: str, said: dict[str, Any]) -> dict[str, Any]:
        conversations = self.tickets[number].conversations
        conversations.append({"id": 1_000 + len(conversations), **said})
        return conversations[-1]


def _shown(ticket: Ticket, request: Request) -> dict[str, Any]:
    shown: dict[str, Any] = {"status": ticket.status, "tags": ticket.tags, "requester_id": 7}
    if request.query.get("include") == "requester":
        shown["requester"] = {"id": 7, "email": ticket.requester}
    return shown


@contextmanager
def freshdesk_server() -> Iterator[FreshdeskServer]:
    with serving(FreshdeskServer()) as server:
        yield server
