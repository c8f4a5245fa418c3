"""An installation whose webhooks are managed on the command line."""

import json
from dataclasses import dataclass
from typing import Any

import stripe

from store.core.database import Database
from tests.support.core.command_line import cli, cli_json
from tests.support.servers.webhook_receiver import Received, WebhookReceiver


@dataclass(frozen=True)
class Installation:
    env: dict[str, str]
    receiver: WebhookReceiver
    database: Database
    client_id: str = ""

    def json(self, *arguments: str) -> dict[str, Any]:
        return cli_json("webhook", *arguments, **self.env)

    def shown(self, *arguments: str) -> str:
        """Return the output on a terminal that wraps nothing."""
        done = cli("webhook", *arguments, **self.env, COLUMNS="300")
        assert done.returncode == 0, done.stderr
        return done.stdout

    def failed(self, *arguments: str) -> dict[str, Any]:
        """Return the output of a command with a failing exit code."""
        done = cli("webhook", *arguments, "--json", **self.env)
        assert done.returncode == 1, (done.returncode, done.stdout, done.stderr)
        assert "error:" not in done.stderr
        answer: dict[str, Any] = json.loads(done.stdout)
        return answer

    def refused(self, *arguments: str, **env: str) -> str:
        """Return the error message."""
        done = cli("webhook", *arguments, **{**self.env, **env})
        assert (done.returncode, done.stdout) == (1, "")
        assert "Traceback" not in done.stderr
        return done.stderr

    def create(self, *events: str) -> tuple[str, str]:
        """Create a webhook, and return its id and secret."""
        given = [word for event in events or ("*",) for word in ("--event", event)]
        made = self.json("create", "--client", self.client_id, "--url", self.receiver.url, *given)
        return made["webhook_id"], made["secret"]

    async def request(self, number: int) -> Received:
        """Return the request with that number, starting at 1."""
        return (await self.receiver.received(number))[number - 1]


def genuine(request: Received, secret: str, name: str = "x-service-signature") -> bool:
    header = f"t={request.headers['x-service-timestamp']},{request.headers[name]}"
    try:
        stripe.WebhookSignature.verify_header(request.body, header, secret, tolerance=300)
    except stripe.SignatureVerificationError:
        return False
    return True
