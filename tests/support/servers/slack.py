"""Slack's incoming webhooks on loopback: accepted messages, and error texts."""

from collections.abc import Iterator
from contextlib import contextmanager

from tests.support.servers.http_service import HttpService, Reply, Request, serving

PATH = "/services/T00000001/B00000001/CANARYslack0secret"
WEBHOOK_URL = f"https://hooks.slack.com{PATH}"
_MAX_CHARS = 40_000
_REFUSALS = {
    "gone": Reply(404, "no_service"),
    "revoked": Reply(403, b"invalid_token"),
    "archived": Reply(410, "channel_is_archived"),
}


class SlackServer(HttpService):
    """A Slack server. `told` are the texts in its channel, as users read them. `channel` is `open`,
    `archived`, `gone` (with the app) or `revoked`."""

    def __init__(self) -> None:
        super().__init__()
        self.told: list[str] = []
        self.channel = "open"

    def route(self, request: Request) -> Reply:
        if request.method != "POST" or request.path != PATH:
            return Reply(404, "no_service")
        if self.channel in _REFUSALS:
            return _REFUSALS[self.channel]
        if request.headers.get("content-type") != "application/json":
            return Reply(400, "invalid_payload")
        text = request.body.get("text")
        if not isinstance(text, str) or not text.strip():
            return Reply(400, "no_text")
        if len(text) > _MAX_CHARS or "<" in text or ">" in text:
            # The second rule is not one of Slack's. Our posts must not contain links or mentions.
            return Reply(400, "invalid_payload")
        self.told.append(text.replace("&lt;", "<").replace("&gt;", ">").replace("&amp;", "&"))
        return Reply(200, None)


@contextmanager
def slack_server() -> Iterator[SlackServer]:
    with serving(SlackServer()) as server:
        yield server
