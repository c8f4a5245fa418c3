"""Gorgias' REST API on loopback, as the agent uses it: messages and tags of tickets."""

import base64
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

from tests.support.servers.http_service import HttpService, Reply, Request, serving

LOGIN = "agent@acme.example"
API_KEY = "CANARYgorgias0key"
_REQUIRED = ("channel", "from_agent", "via")


@dataclass
class Ticket:
    customer: str | None = None
    messages: list[dict[str, Any]] = field(default_factory=list)
    tags: list[str] = field(default_factory=list)


class GorgiasServer(HttpService):
    """A Gorgias server that does not deduplicate by `external_id`. `page_size` is the maximum
    number of messages per page."""

    def __init__(self) -> None:
        super().__init__()
        self.tickets: dict[str, Ticket] = {}
        self.uploads: dict[str, tuple[str, str, bytes]] = {}
        self.page_size = 100

    def open_ticket(self, customer: str | None = None) -> str:
        ticket_id = str(len(self.tickets) + 52)
        self.tickets[ticket_id] = Ticket(customer)
        return ticket_id

    def route(self, request: Request) -> Reply:
        expected = base64.b64encode(f"{LOGIN}:{API_KEY}".encode()).decode()
        if request.authorization != f"Basic {expected}":
            return Reply(401, {"error": {"msg": "Unauthorized"}})
        match (request.method, request.path):
            case ("GET", "/api/account"):
                return Reply(body={"domain": "acme", "status": {"status": "active"}})
            case ("POST", "/api/upload"):
                return Reply(201, [self._kept(*file[1:]) for file in request.files])
            case ("GET", "/api/messages"):
                return self._messages(request)
        return self._of_ticket(request)

    def _kept(self, name: str, content_type: str, data: bytes) -> dict[str, Any]:
        url = f"https://uploads.gorgias.io/{len(self.uploads)}/{name}"
        self.uploads[url] = (name, content_type, data)
        return {"url": url, "name": name, "content_type": content_type, "size": len(data)}

    def _of_ticket(self, request: Request) -> Reply:
        parts = request.path.removeprefix("/api/tickets/").split("/")
        ticket = self.tickets.get(parts[0])
        if ticket is None:
            return Reply(404, {"error": {"msg": "Ticket not found"}})
        match (request.method, parts[1:]):
            case ("GET", []):
                customer = ticket.customer and {"id": 7, "email": ticket.customer}
                return Reply(body={"id": int(parts[0]), "customer": customer})
            case ("POST", ["messages"]):
                return self._write(ticket, request.body)
            case ("POST", ["tags"]):
                ticket.tags += [name for name in request.body["names"] if name not in ticket.tags]
                return Reply(201, None)
        return Reply(404, {"error": {"msg": "Not found"}})

    def _messages(self, request: Request) -> Reply:
        ticket = self.tickets.get(request.query["ticket_id"], Ticket())
        newest_first = ticket.messages[::-1]
        begin = int(request.query.get("cursor", "0"))
        end = begin + min(self.page_size, int(request.query["limit"]))
        more = str(end) if end < len(newest_first) else None
        return Reply(
            body={
                "object": "list",
                "data": newest_first[begin:end],
                "meta": {"prev_cursor": None, "next_cursor": more},
            }
        )

    def _write(self, ticket: Ticket, body: dict[str, Any]) -> Reply:
        missing = [name for name in _REQUIRED if name not in body]
        public = body.get("channel") != "internal-note"
        if missing or (public and not body.get("receiver", {}).get("email")):
            return Reply(400, {"error": {"msg": "Invalid", "data": dict.fromkeys(missing, "!")}})
        message = {"id": 900 + len(ticket.messages), "public": public, **body}
        ticket.messages.append(message)
        return Reply(201, message)


@contextmanager
def gorgias_server() -> Iterator[GorgiasServer]:
    with serving(GorgiasServer()) as server:
        yield server
