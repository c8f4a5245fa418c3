"""listen and trigger: webhooks on a developer's machine."""

import json
import queue
import signal
import threading
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import NamedTuple

import pytest

from adapters.system import new_ulid, utc_now
from domain.webhooks.samples import sample
from domain.webhooks.signature import SECRET_PREFIX, STANDARD_SIGNATURE, standard_signature
from domain.webhooks.webhook import EVENT_IDS
from store.core.database import Database
from store.webhooks.outbox import Outbox
from tests.support.core.command_line import begin, cli
from tests.support.tenants.shop import Shop

SECRET = SECRET_PREFIX + "ab" * 24


class Posted(NamedTuple):
    headers: Mapping[str, str]
    body: bytes

    def check(self, secret: str) -> None:
        """Check the signature as a receiver does."""
        event_id, timestamp = self.headers["webhook-id"], self.headers["webhook-timestamp"]
        expected = standard_signature(secret, event_id, int(timestamp), self.body)
        assert self.headers[STANDARD_SIGNATURE] == expected


@contextmanager
def local_server(status: int = 200) -> Iterator[tuple[str, "queue.Queue[Posted]"]]:
    """Yield the address of a developer's server, and the requests that it receives."""
    seen: queue.Queue[Posted] = queue.Queue()

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            body = self.rfile.read(int(self.headers["content-length"]))
            seen.put(Posted({name.lower(): value for name, value in self.headers.items()}, body))
            self.send_response(status)
            self.end_headers()

        def log_message(self, *_: object) -> None:
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    thread = threading.Thread(target=server.serve_forever)
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_port}/hooks", seen
    finally:
        server.shutdown()
        thread.join()
        server.server_close()


@pytest.mark.parametrize("event", EVENT_IDS)
def test_a_sample_of_each_event_is_sent(event: str) -> None:
    with local_server() as (url, seen):
        done = cli("trigger", event, "--forward-to", url, "--secret", SECRET, "--json")

    posted = seen.get_nowait()
    posted.check(SECRET)
    assert json.loads(posted.body)["event"] == event
    assert (done.returncode, json.loads(done.stdout)["status"]) == (0, 200)


def test_a_new_secret_is_printed() -> None:
    with local_server() as (url, seen):
        done = cli("trigger", "ticket.resolved", "--forward-to", url, "--json")

    secret = json.loads(done.stdout.splitlines()[0])["secret"]
    seen.get_nowait().check(secret)


def test_a_failure_has_an_exit_code() -> None:
    with local_server(500) as (url, _):
        refused = cli("trigger", "ticket.resolved", "--forward-to", url)
    gone = cli("trigger", "ticket.resolved", "--forward-to", url, "--secret", SECRET, "--json")
    unknown = cli("trigger", "ticket.lost", "--forward-to", url)
    no_address = cli("trigger", "ticket.resolved", "--forward-to", "localhost:3000")

    assert (refused.returncode, "500" in refused.stdout) == (1, True)
    assert (gone.returncode, json.loads(gone.stdout)["error"]) == (1, "ConnectError")
    assert "events are ticket.resolved" in unknown.stderr
    assert "is not an address" in no_address.stderr


async def test_live_events_are_forwarded(database: Database, database_url: str, shop: Shop) -> None:
    with local_server() as (url, seen):
        chosen = ("--client", shop.client_id, "--forward-to", url, "--secret", SECRET)
        command = begin("listen", *chosen, "--json", DATABASE_URL=database_url)
        posted: list[Posted] = []
        # The events before its start are not forwarded. It prints the first one before the second.
        while len(posted) < 2:
            async with database.tenant(shop.tenant) as connection:
                event, key = sample("ticket.resolved"), new_ulid()
                outbox = Outbox(connection, shop.tenant)
                await outbox.add(event, dedup_key=key, now=utc_now(), new_id=new_ulid)
            try:
                posted.append(seen.get(timeout=1))
            except queue.Empty:
                assert command.exit_code is None
        command.send(signal.SIGINT)
        done = command.ended()

    for one in posted:
        one.check(SECRET)
    assert json.loads(posted[0].body)["client_id"] == shop.client_id
    assert len({one.headers["webhook-id"] for one in posted}) == 2
    assert "Traceback" not in done.stderr
    _, first, *_ = map(json.loads, done.stdout.splitlines())
    assert (first["event"], first["status"]) == ("ticket.resolved", 200)
