"""Intercom's REST API on loopback, as the agent uses it: parts and tags of conversations.

The server responds like the published API: a bearer token, a version header, known admin ids, tags
by id, and no idempotency key.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

from tests.support.servers.help_center import HelpArticle, intercom_reply
from tests.support.servers.http_service import HttpService, Reply, Request, serving

ACCESS_TOKEN = "CANARYintercom0token"
ADMIN_ID = "991"


@dataclass
class Conversation:
    customer: str
    state: str = "open"
    parts: list[dict[str, Any]] = field(default_factory=list)
    tags: list[str] = field(default_factory=list)


class IntercomServer(HttpService):
    """An Intercom server that does not deduplicate requests."""

    def __init__(self) -> None:
        super().__init__()
        self.conversations: dict[str, Conversation] = {}
        self.tags: list[str] = []
        self.articles: list[HelpArticle] = []

    def open_conversation(self, customer: str, state: str = "open") -> str:
        number = str(len(self.conversations) + 1911149811)
        self.conversations[number] = Conversation(customer, state)
        return number

    def customer_says(self, number: str, body: str) -> None:
        self._add(number, "comment", body, {"type": "user", "id": "u1"})

    def route(self, request: Request) -> Reply:
        if request.authorization != f"Bearer {ACCESS_TOKEN}":
            return _refused(401, "unauthorized")
        if "intercom-version" not in {name.lower() for name in request.headers}:
            return _refused(400, "intercom_version_invalid")
        if request.path.startswith("/articles"):
            return intercom_reply(self.articles, request)
        match (request.method, request.path):
            case ("GET", "/me"):
                return Reply(body={"type": "admin", "id": ADMIN_ID, "email": "a@acme.example"})
            case ("POST", "/tags"):
                name = request.body["name"]
                if name not in self.tags:
                    self.tags.append(name)
                return Reply(body={"type": "tag", "id": str(self.tags.index(name)), "name": name})
        return self._of_conversation(request)

    def _of_conversation(self, request: Request) -> Reply:
        parts = request.path.removeprefix("/conversations/").split("/")
        conversation = self.conversations.get(parts[0])
        if conversation is None:
            return _refused(404, "not_found")
        match (request.method, parts[1:]):
            case ("GET", []):
                return self._show(parts[0])
            case ("POST", ["reply"]):
                return self._reply(parts[0], request.body)
            case ("POST", ["tags"]):
                return self._tag(conversation, request.body)
        return _refused(404, "not_found")

    def _show(self, number: str) -> Reply:
        conversation = self.conversations[number]
        return Reply(
            body={
                "type": "conversation",
                "id": number,
                "state": conversation.state,
                "source": {
                    "id": "1",
                    "author": {"type": "user", "id": "u1", "email": conversation.customer},
                },
                "conversation_parts": {
                    "type": "conversation_part.list",
                    "conversation_parts": conversation.parts,
                },
            }
        )

    def _reply(self, number: str, body: dict[str, Any]) -> Reply:
        if body.get("type") != "admin" or body.get("admin_id") != ADMIN_ID:
            return _refused(404, "admin_not_found")
        if body.get("message_type") not in ("comment", "note") or not body.get("body"):
            return _refused(422, "parameter_invalid")
        self._add(
            number, body["message_type"], body["body"], {"type": "admin", "id": int(ADMIN_ID)}
        )
        return self._show(number)

    def _tag(self, conversation: Conversation, body: dict[str, Any]) -> Reply:
        if body.get("admin_id") != ADMIN_ID or int(body["id"]) >= len(self.tags):
            return _refused(404, "tag_not_found")
        name = self.tags[int(body["id"])]
        if name not in conversation.tags:
            conversation.tags.append(name)
        return Reply(body={"type": "tag", "id": body["id"], "name": name})

    def _add(self, number: str, kind: str, body: str, author: dict[str, Any]) -> None:
        parts = self.conversations[number].parts
        parts.append(
            {"id": str(4412 + len(parts)), "part_type": kind, "body": body, "author": author}
        )


def _refused(status: int, code: str) -> Reply:
    return Reply(status, {"type": "error.list", "errors": [{"code": code, "message": code}]})


@contextmanager
def intercom_server() -> Iterator[IntercomServer]:
    with serving(IntercomServer()) as server:
        yield server
