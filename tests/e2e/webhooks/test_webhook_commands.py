"""The webhook commands, with a running worker and a receiver."""

import asyncio
import json
import os
import shlex
import shutil
import subprocess
from collections.abc import AsyncIterator, Iterator
from dataclasses import replace
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from standardwebhooks.webhooks import Webhook

from adapters.system import new_ulid, utc_now
from domain.core.ids import TenantId
from domain.webhooks.samples import sample
from store.core.database import Database
from store.webhooks.outbox import Outbox
from store.webhooks.tables import webhook_deliveries
from tests.support.core.command_line import cli, cli_json
from tests.support.core.engine import settings_of
from tests.support.core.postgres import PostgresServer
from tests.support.core.processes import process
from tests.support.core.rows import only_row
from tests.support.core.temporal import TemporalServer
from tests.support.core.waiting import eventually
from tests.support.servers.webhook_receiver import Received, webhook_receiver
from tests.support.tenants.shop import open_shop
from tests.support.webhooks.installation import Installation, genuine

NOBODY = "01ARZ3NDEKTSV4RRFFQ69G5FAV"


@pytest.fixture(scope="module")
def serving(
    postgres: PostgresServer,
    shared_temporal: TemporalServer,
    tmp_path_factory: pytest.TempPathFactory,
) -> Iterator[Installation]:
    namespace = shared_temporal.take_namespace()
    with postgres.database() as url, webhook_receiver() as receiver:
        settings = settings_of(url, shared_temporal.address, temporal_namespace=namespace)
        env = {
            "DATABASE_URL": url,
            "TEMPORAL_ADDRESS": settings.temporal.address,
            "TEMPORAL_NAMESPACE": settings.temporal.namespace,
            "SEAL_KEY": settings.seal.key.get_secret_value(),
            "WEBHOOK_ALLOW_PRIVATE_ADDRESSES": "true",
        }
        with process(
            "webhooks",
            *("worker.py", "--queue", "webhooks"),
            settings=settings,
            folder=tmp_path_factory.mktemp("webhooks"),
            WEBHOOK_ALLOW_PRIVATE_ADDRESSES="true",
            WEBHOOK_CA_FILE=str(receiver.ca_file),
        ):
            yield Installation(env, receiver, Database(url))


@pytest.fixture
async def installed(serving: Installation) -> AsyncIterator[Installation]:
    """A new client on plan pro for each test."""
    serving.receiver.seen.clear()
    serving.receiver.answer(200)
    client_id = (await open_shop(serving.database)).client_id
    yield replace(serving, client_id=client_id)
    await serving.database.close()


async def test_a_test_and_its_record(installed: Installation) -> None:
    webhook_id, secret = installed.create("ticket.escalated")

    tested = installed.json("test", webhook_id)
    assert (tested["status"], tested["event"]) == ("success", "ticket.resolved")
    request = await installed.request(1)
    assert genuine(request, secret)
    Webhook(secret).verify(request.body, dict(request.headers))
    assert json.loads(request.body)["event"] == "ticket.resolved"
    record = installed.shown("delivery", tested["delivery_id"])
    for expected in ("success, HTTP 200", "X-Service-Signature: ***", "127.0.0.1", "curl "):
        assert expected in record

    installed.receiver.answer(503)
    again = ("webhook", "test", webhook_id, "--event", "usage.threshold_reached")
    failed = cli(*again, **installed.env, COLUMNS="300")
    assert failed.returncode == 1
    assert "webhook tested" in failed.stderr, "the audit entry, and no error"
    assert "error:" not in failed.stderr
    assert "failed, http_5xx, HTTP 503" in failed.stdout
    assert installed.failed("test", webhook_id)["failure_kind"] == "http_5xx"
    assert installed.json("show", webhook_id)["failure_count"] == 0
    _, kept = installed.json("deliveries", webhook_id, "--status", "failed")["deliveries"]
    assert (kept["event"], kept["failure_kind"]) == ("usage.threshold_reached", "http_5xx")
    listed = installed.shown("deliveries", webhook_id)
    assert tested["delivery_id"] in listed
    assert kept["delivery_id"] in listed


@pytest.mark.skipif(not shutil.which("curl"), reason="no curl on this machine")
async def test_the_curl_line_sends_the_same(installed: Installation) -> None:
    webhook_id, secret = installed.create()
    tested = installed.json("test", webhook_id)
    first = await installed.request(1)

    line = shlex.split(installed.json("delivery", tested["delivery_id"])["curl"])
    line[1:1] = ["--silent", "--cacert", str(installed.receiver.ca_file)]
    path = {"PATH": os.environ["PATH"]}
    await asyncio.to_thread(subprocess.run, line, check=True, capture_output=True, env=path)
    second = await installed.request(2)
    assert second.body == first.body
    assert second.headers["webhook-id"] == first.headers["webhook-id"]
    assert genuine(second, secret)


async def test_verify(installed: Installation, tmp_path: Path) -> None:
    webhook_id, secret = installed.create()
    other_id, _ = installed.create()
    installed.json("test", webhook_id)
    installed.json("test", other_id)
    request, theirs = await installed.request(1), await installed.request(2)
    file = tmp_path / "body"

    def verdict(
        body: bytes,
        of: Received = request,
        name: str = "x-service-signature",
        *,
        good: bool = False,
    ) -> Any:
        file.write_bytes(body)
        return (installed.json if good else installed.failed)(
            "verify", webhook_id, "--signature", of.headers[name], "--body-file", str(file),
            "--timestamp", of.headers["x-service-timestamp"], "--id", of.headers["webhook-id"],
        )  # fmt: skip

    right = verdict(request.body, good=True)
    assert (right["verdict"], right["secret"]) == ("matches", "newest")
    assert right["secret_ends"] == secret[-4:]
    assert verdict(request.body, name="webhook-signature", good=True)["verdict"] == "matches"
    parsed = verdict(json.dumps(json.loads(request.body)).encode())
    assert (parsed["verdict"], parsed["mistakes"]) == ("changed_body", ["json_rendered_again"])
    changed = verdict(request.body.replace(b"1042", b"1043"))
    assert changed["verdict"] == "changed_body"
    assert changed["difference"]["at"] == request.body.index(b"1042") + 3
    of_other = verdict(theirs.body, theirs)
    assert of_other["verdict"] == "other_webhooks_secret"
    assert of_other["secret_webhook_id"] == other_id

    rotated = installed.json("rotate", webhook_id, "--overlap-hours", "0.0000001")
    assert rotated["secret"] != secret
    assert verdict(request.body)["verdict"] == "retired_secret"
    pasted = ("--signature", "v1=x", "--timestamp", "1", "--body-file", str(file))
    said = cli("webhook", "verify", webhook_id, *pasted, **installed.env, COLUMNS="300")
    assert said.returncode == 1
    assert "malformed_signature" in said.stdout
    assert "64 lower-case hexadecimal" in said.stdout


async def test_rotation(installed: Installation) -> None:
    webhook_id, old = installed.create()

    first = cli("webhook", "rotate", webhook_id, "--overlap-hours", "2", "--json", **installed.env)
    assert first.returncode == 0
    assert "no longer signs" not in first.stderr
    rotated = json.loads(first.stdout)
    assert rotated["previous_secret_until"]
    installed.json("test", webhook_id)
    request = await installed.request(1)
    assert genuine(request, old)
    assert genuine(request, rotated["secret"], "x-service-signature-next")

    again = cli("webhook", "rotate", webhook_id, "--overlap-hours", "0", "--json", **installed.env)
    assert "the oldest secret no longer signs" in again.stderr
    at_once = json.loads(again.stdout)
    assert at_once["previous_secret_until"] is None
    installed.json("test", webhook_id)
    request = await installed.request(2)
    assert genuine(request, at_once["secret"])
    assert "x-service-signature-next" not in request.headers


async def happen(installed: Installation) -> tuple[str, ...]:
    """Create an event; return the deliveries to send."""
    async with installed.database.service() as connection:
        return await Outbox(connection, TenantId(installed.client_id)).add(
            sample("playbook.activated"), dedup_key="1", now=utc_now(), new_id=new_ulid
        )


async def end_of(installed: Installation, delivery_id: str) -> None:
    async def ended() -> bool:
        delivery = await only_row(installed.database, webhook_deliveries, id=delivery_id)
        return bool(delivery["status"] == "success")

    await eventually(ended)


async def test_pause_enable_replay(installed: Installation) -> None:
    webhook_id, _ = installed.create()
    since = ("--since", (utc_now() - timedelta(minutes=1)).isoformat(timespec="seconds"))
    paused = installed.json("pause", webhook_id)
    assert (paused["is_active"], paused["disabled_reason"]) == (False, "manual")
    assert await happen(installed) == ()
    assert "webhook enable" in installed.refused("replay-since", webhook_id, *since)

    assert "1 event that can be replayed" in installed.shown("show", webhook_id)
    assert "webhook replay-since" in installed.shown("enable", webhook_id)
    assert (await installed.request(1)).headers["x-service-event"] == "ticket.resolved"
    assert installed.json("replay-since", webhook_id, *since)["queued"] == 1
    missed = await installed.request(2)
    assert missed.headers["x-service-event"] == "playbook.activated"
    first_id = missed.headers["x-service-delivery"]
    await end_of(installed, first_id)
    old = cli("webhook", "replay-since", webhook_id, "--since", "2020-01-01", **installed.env)
    assert "0 events are being sent again" in old.stdout
    assert "older than 30 days are no longer stored" in old.stderr
    again = installed.json("replay", first_id)
    third = await installed.request(3)
    assert third.headers["x-service-delivery"] == again["delivery_id"]
    assert third.headers["webhook-id"] == missed.headers["webhook-id"]
    assert third.body == missed.body


async def test_create_list_update_delete(installed: Installation) -> None:
    """Only create shows the secret."""
    webhook_id, secret = installed.create("ticket.resolved", "*")
    mine = ("list", "--client", installed.client_id)

    (listed,) = installed.json(*mine)["webhooks"]
    assert (listed["webhook_id"], listed["label"]) == (webhook_id, "localhost")
    assert (listed["events"], listed["retry_policy"]) == (["*"], "none")
    changed = installed.json(
        "update", webhook_id, "--label", " CRM ", "--event", "playbook.activated",
        "--retry-policy", "standard", "--url", "https://127.0.0.1:9443",
    )  # fmt: skip
    assert (changed["label"], changed["url"]) == ("CRM", "https://127.0.0.1:9443/")
    assert (changed["events"], changed["retry_policy"]) == (["playbook.activated"], "standard")
    outputs = [
        str(listed),
        str(changed),
        installed.shown(*mine),
        installed.shown("show", webhook_id),
    ]
    for output in outputs:
        assert webhook_id in output
        assert secret[6:] not in output
        assert "sealed" not in output
    assert "playbook.activated" in outputs[-1]

    installed.json("delete", webhook_id)
    assert installed.json(*mine)["webhooks"] == []
    assert "no such webhook" in installed.refused("delete", webhook_id)


async def test_one_sentence(installed: Installation) -> None:
    create = ("create", "--client", installed.client_id, "--event", "*", "--url")
    here = installed.receiver.url
    for arguments, named in (
        ((*create, "http://shop.example"), "https://"),
        ((*create, here, "--event", "ticket.opened"), "events are ticket.resolved"),
        (("create", "--client", NOBODY, "--url", here, "--event", "*"), "no such client"),
        (("update", NOBODY), "nothing to change"),
        (("test", NOBODY), "no such webhook"),
        (("replay-since", NOBODY, "--since", "yesterday"), "a time such as 2026-"),
        (("replay-since", NOBODY, "--since", "9999-12-31"), "is in the future"),
        (("replay", NOBODY), "no such delivery"),
    ):
        assert named in installed.refused(*arguments)
    # The workers would reject it, too.
    public_only = installed.refused(*create, here, WEBHOOK_ALLOW_PRIVATE_ADDRESSES="")
    assert "url: the name is of a private network" in public_only
    assert "SEAL_KEY is not set" in installed.refused(*create, here, SEAL_KEY="")


def test_below_pro(installed: Installation) -> None:
    made = cli_json(
        "client", "create", "--brand", "B", "--plan", "starter", "--owner-email", "s@b.example",
        **installed.env,
    )  # fmt: skip
    starter = replace(installed, client_id=made["client_id"])
    refused = starter.refused(
        "create", "--client", starter.client_id, "--url", installed.receiver.url, "--event", "*"
    )
    assert "plan does not include" in refused
    assert "plan_required" in refused
