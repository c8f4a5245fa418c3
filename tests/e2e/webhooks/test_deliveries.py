"""The tour, twice in one folder, and the webhooks that report it: the demo's and a merchant's
own."""

import json
import subprocess
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import psutil
import pytest
import stripe
from standardwebhooks.webhooks import Webhook

from embedded.ports import free_port
from tests.support.core.command_line import answer_of, cli_process, dev_stack, opening_lines
from tests.support.servers.webhook_receiver import Received, webhook_receiver

# How long a tour waits for its webhooks; beside other stacks and browsers, one can be later.
pytestmark = [pytest.mark.slow, pytest.mark.alone]

# Of one tour: twelve tickets from seven customers; nine are answered, one of them by a human. In
# addition, three messages from a visitor, the last answered by a human; and inbound webhooks: two
# questions about an order, a ticket and an email.
TOUR = Counter(
    {"conversation.created": 11, "ticket.resolved": 16, "ticket.escalated": 5},
)
OPENING = Counter({"playbook.activated": 4, "integration.connected": 4})
# The three platforms are connected again. The helpdesk was disconnected at the end of the first
# tour.
OPENING_AGAIN = Counter({"integration.connected": 3, "integration.disconnected": 2})
CLOSING = Counter({"integration.disconnected": 1})
TEST = Counter({"ticket.resolved": 1})


@dataclass(frozen=True)
class Toured:
    """The results of both tours. `first`: what the demo's own webhook received from the first.
    `seen`: what the merchant's receiver got from the second."""

    data: Path
    client_id: str
    webhook_id: str
    secret: str
    first: list[dict[str, str]]
    second: subprocess.CompletedProcess[str]
    seen: list[Received]
    opening: list[str]
    """The last lines of the first tour."""


def deliveries(webhook_id: str, data: Path) -> list[dict[str, str]]:
    """Return the latest deliveries as the command line shows them, with or without a running
    stack."""
    done = cli_process("webhook", "deliveries", webhook_id, "--json", "--data", str(data))
    assert done.returncode == 0, done.stderr
    listed: list[dict[str, str]] = json.loads(done.stdout)["deliveries"]
    return listed


@pytest.fixture(scope="module")
def toured(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Toured]:
    """Run `dev` with its tour, create a webhook, press Ctrl-C, then run `demo` with the next
    tour."""
    data = tmp_path_factory.mktemp("tour") / "data"
    folder = ("--data", str(data))
    with webhook_receiver() as receiver:
        # The stack trusts the demo's certificate authority in addition to this one.
        more = {"WEBHOOK_CA_FILE": str(receiver.ca_file)}
        with dev_stack(data, "--port", str(free_port()), **more) as process:
            opening = opening_lines(process)
            demo = json.loads((data / "demo.json").read_text())
            client_id, first = demo["client_id"], deliveries(demo["webhook"]["id"], data)
            create = (
                "webhook", "create", "--client", client_id, "--url", receiver.url,
                "--event", "*", "--json", *folder,
            )  # fmt: skip
            made = answer_of(cli_process(*create))
        second = cli_process("demo", *folder, **more)
        seen = [*receiver.seen]
        yield Toured(
            data, client_id, made["webhook_id"], made["secret"], first, second, seen, opening
        )


def test_the_last_line_is_the_address_for_people(toured: Toured) -> None:
    ready, entry = toured.opening
    assert ready.startswith("ready http://")
    assert entry.startswith(f"open {ready.removeprefix('ready ')}/app/enter/")


def test_second_tour_is_as_expected(toured: Toured) -> None:
    shown = toured.second.stdout
    # The end first: it contains the table of webhooks, and a long message is truncated.
    assert toured.second.returncode == 0, toured.second.stderr + shown[-8_000:]
    for status in ("completed", "needs_review", "no_playbook"):
        assert status in shown
    # Fourteen tickets, the visitor, three inbound webhooks and the webhooks "as expected", which a
    # narrow terminal wraps.
    assert shown.count("expected") == 19
    # Reopening the shop enables its webhook, which sends a test event.
    assert shown.count("verified") == (TOUR + OPENING_AGAIN + TEST).total()
    assert "mail sent" in shown


def test_receiver_gets_every_event_of_the_tour_once(toured: Toured) -> None:
    told = CLOSING + OPENING_AGAIN + TOUR + CLOSING
    assert Counter(it.headers["x-service-event"] for it in toured.seen) == told
    assert len({it.headers["webhook-id"] for it in toured.seen}) == told.total()
    for it in toured.seen:
        body = json.loads(it.body)
        assert body["event"] == it.headers["x-service-event"]
        assert body["client_id"] == toured.client_id


def test_both_libraries_verify_each(toured: Toured) -> None:
    assert toured.seen
    other = toured.secret[:-1] + ("0" if toured.secret[-1] != "0" else "1")
    for it in toured.seen:
        _verify(it, toured.secret)
        with pytest.raises(stripe.SignatureVerificationError):
            _verify(it, other)


def test_deliveries_show_them(toured: Toured) -> None:
    listed = deliveries(toured.webhook_id, toured.data)

    assert {it["status"] for it in listed} == {"success"}
    assert Counter(it["delivery_id"] for it in listed) == Counter(
        it.headers["x-service-delivery"] for it in toured.seen
    )


def test_demos_own_webhook_was_told_of_all(toured: Toured) -> None:
    """It includes the first tour and the opening of the shop; the webhook is paused while nothing
    runs."""
    demo = json.loads((toured.data / "demo.json").read_text())["webhook"]
    before = {it["delivery_id"] for it in toured.first}
    # Only the latest are kept, so not all of the first.
    listed = deliveries(demo["id"], toured.data)
    later = [it for it in listed if it["delivery_id"] not in before]

    assert Counter(it["event"] for it in toured.first) == OPENING + TOUR
    assert Counter(it["event"] for it in later) == CLOSING + TEST + OPENING_AGAIN + TOUR + CLOSING
    assert {it["status"] for it in [*toured.first, *later]} == {"success"}
    shown = answer_of(
        cli_process("webhook", "show", demo["id"], "--json", "--data", str(toured.data))
    )
    assert not shown["is_active"]
    assert shown["disabled_reason"] == "manual"


def test_nothing_is_left_running(toured: Toured) -> None:
    left = [
        process.pid
        for process in psutil.process_iter(["cmdline"])
        if str(toured.data) in " ".join(process.info["cmdline"] or [])
    ]
    assert left == []


def _verify(request: Received, secret: str) -> None:
    """Raise the library's error if it rejects the signature."""
    stamp = request.headers["x-service-timestamp"]
    signature = request.headers["x-service-signature"]
    stripe.WebhookSignature.verify_header(
        request.body.decode(), f"t={stamp},{signature}", secret, tolerance=300
    )
    Webhook(secret).verify(request.body, dict(request.headers))
