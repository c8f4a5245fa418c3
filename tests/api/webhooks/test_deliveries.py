"""/api/dashboard/webhooks/…: listing and resending deliveries."""

import shlex
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from standardwebhooks import Webhook as StandardWebhook
from stripe import WebhookSignature

from adapters.system import new_ulid, utc_now
from domain.core.json_time import rfc3339
from domain.core.service_name import ServiceName
from domain.webhooks.delivery import FailureKind, Trigger
from domain.webhooks.signature import masked, signed_headers
from store.webhooks.tables import webhook_deliveries
from tests.support.core.engine import LiveEngine
from tests.support.core.rows import only_row, row_counts, rows
from tests.support.reviews.dashboard import code, set_clock
from tests.support.tenants.shop import Shop
from tests.support.webhooks.webhook_dashboard import WEBHOOKS, ask, create, end, is_started
from tests.support.webhooks.webhooks import Subscribed, subscribe, tell

SINCE = "2026-01-01T00:00:00Z"
NOTHING = {"queued": 0, "left": 0, "next_since": None}


@pytest.fixture
async def webhook(front: LiveEngine, shop: Shop) -> Subscribed:
    return await subscribe(front.database, shop, sealer=front.app.state.resources.sealer)


async def listed(
    front: LiveEngine, headers: dict[str, str], webhook_id: str, **query: str
) -> list[dict[str, Any]]:
    url = f"{WEBHOOKS}/{webhook_id}/deliveries"
    answer = await front.http.get(url, params=query, headers=headers)
    assert answer.status_code == 200, answer.text
    found: list[dict[str, Any]] = answer.json()["deliveries"]
    return found


# --- Listing --------------------------------------------------------------------------------------


async def test_list(
    front: LiveEngine, shop: Shop, owner: dict[str, str], webhook: Subscribed
) -> None:
    ids = [(await tell(front.database, shop))[0] for _ in range(3)]
    await end(front, shop, ids[0])
    await end(front, shop, ids[1], FailureKind.HTTP_5XX)

    found = await listed(front, owner, webhook.id)

    assert [one["id"] for one in found] == ids[::-1]
    assert [one["status"] for one in found] == ["pending", "failed", "success"]
    assert (found[1]["failure_kind"], found[1]["response_status"]) == ("http_5xx", 500)
    assert not {"request_body", "request_headers", "response_body"} & set(found[0])
    for status, there in {"pending": 2, "failed": 1, "success": 0}.items():
        only = await listed(front, owner, webhook.id, status=status)
        assert [one["id"] for one in only] == [ids[there]]
    assert await listed(front, owner, webhook.id, status="skipped") == []


async def test_bad_queries(front: LiveEngine, owner: dict[str, str], webhook: Subscribed) -> None:
    for query in ("status=", "status=gone", "status=failed&status=failed", "a=1"):
        url = f"{WEBHOOKS}/{webhook.id}/deliveries?{query}"
        assert code(await front.http.get(url, headers=owner)) == (400, "invalid_query")


async def test_the_curl_line_sends_the_same(
    front: LiveEngine, shop: Shop, owner: dict[str, str], webhook: Subscribed
) -> None:
    """Two libraries accept its signatures, with the stored bytes."""
    (delivery_id,) = await tell(front.database, shop)
    row = await only_row(front.database, webhook_deliveries, of=shop)
    sent = signed_headers(
        event=row["event"],
        event_id=row["event_id"],
        delivery_id=delivery_id,
        attempt=1,
        trigger=Trigger.EVENT,
        timestamp=1,
        body=row["request_body"],
        service=ServiceName(),
        secrets=[webhook.secret],
    )
    await end(front, shop, delivery_id, headers=masked(sent))
    now = utc_now()
    set_clock(front, now)

    answer = await ask(front, "delivery", owner, webhook.id, delivery_id.lower())

    assert answer.status_code == 200
    body = answer.json()
    assert body["request_body"].encode() == row["request_body"]
    assert body["request_headers"]["X-Service-Signature"] == "***"
    assert body["curl_valid_until"] == rfc3339(now + timedelta(seconds=300))
    _, url, headers, data = _parsed(body["curl"])
    assert (url, data) == (row["url"], body["request_body"])
    assert list(headers) == list(sent)
    changing = {name for name in sent if headers[name] != sent[name]}
    assert changing == {
        "X-Service-Timestamp", "X-Service-Signature", "webhook-timestamp", "webhook-signature"
    }  # fmt: skip
    _verify(headers, data, webhook.secret)


async def test_in_a_rotations_overlap_both_secrets_sign(
    front: LiveEngine, shop: Shop, owner: dict[str, str], webhook: Subscribed
) -> None:
    (delivery_id,) = await tell(front.database, shop)
    new = (await ask(front, "rotate", owner, webhook.id)).json()["secret"]

    answer = await ask(front, "delivery", owner, webhook.id, delivery_id)

    *_, headers, data = _parsed(answer.json()["curl"])
    _verify(headers, data, webhook.secret)
    StandardWebhook(new).verify(data, headers)
    next_one = f"t={headers['X-Service-Timestamp']},{headers['X-Service-Signature-Next']}"
    assert WebhookSignature.verify_header(data, next_one, new, 300)


def _parsed(line: str) -> tuple[str, str, dict[str, str], str]:
    program, *_, url = (words := shlex.split(line))[:6]
    assert words[-2] == "--data-raw"
    assert set(words[6:-2:2]) == {"--header"}
    headers = dict(word.split(": ", 1) for word in words[7:-2:2])
    return program, url, headers, words[-1]


def _verify(headers: dict[str, str], data: str, secret: str) -> None:
    StandardWebhook(secret).verify(data, headers)
    service = f"t={headers['X-Service-Timestamp']},{headers['X-Service-Signature']}"
    assert WebhookSignature.verify_header(data, service, secret, 300)


@pytest.mark.parametrize("what", ["delivery", "replay"])
async def test_a_delivery_is_its_webhooks(
    front: LiveEngine, shop: Shop, owner: dict[str, str], webhook: Subscribed, what: str
) -> None:
    (delivery_id,) = await tell(front.database, shop)
    await end(front, shop, delivery_id)
    other = await subscribe(front.database, shop)
    before = await row_counts(front.database, of=shop)
    for wanted in (delivery_id, new_ulid(), "nothing"):
        answer = await ask(front, what, owner, other.id, wanted)
        assert code(answer) == (404, "delivery_not_found")
    assert await row_counts(front.database, of=shop) == before


# --- Resending ------------------------------------------------------------------------------------


async def test_replay(
    front: LiveEngine, shop: Shop, owner: dict[str, str], webhook: Subscribed
) -> None:
    (delivery_id,) = await tell(front.database, shop)
    first = await only_row(front.database, webhook_deliveries, of=shop)
    assert code(await ask(front, "replay", owner, webhook.id, delivery_id)) == (
        409, "delivery_pending"
    )  # fmt: skip
    await end(front, shop, delivery_id)
    await ask(front, "change", owner, webhook.id, url="https://hooks.example.com/other")

    answer = await ask(front, "replay", owner, webhook.id, delivery_id)

    assert answer.status_code == 202
    again = await only_row(front.database, webhook_deliveries, id=answer.json()["delivery_id"])
    assert (again["event_id"], again["request_body"]) == (first["event_id"], first["request_body"])
    assert (again["trigger"], again["replay_of"]) == ("replay", delivery_id)
    assert (again["status"], again["url"]) == ("pending", "https://hooks.example.com/other")
    assert await is_started(front, shop, again["id"])


async def test_nothing_is_replayed_to_a_disabled_webhook(
    front: LiveEngine, shop: Shop, owner: dict[str, str], webhook: Subscribed
) -> None:
    (delivery_id,) = await tell(front.database, shop)
    await end(front, shop, delivery_id, FailureKind.TIMEOUT)
    await ask(front, "change", owner, webhook.id, is_active=False)
    for what in ("replay", "replay_since"):
        answer = await ask(front, what, owner, webhook.id, delivery_id)
        assert code(answer) == (409, "webhook_disabled")
    assert len(await rows(front.database, webhook_deliveries, of=shop)) == 1


async def test_what_was_missed_is_replayed(
    front: LiveEngine, shop: Shop, owner: dict[str, str], webhook: Subscribed
) -> None:
    """Failed events and events during a pause are sent; each once, however often the replay is
    requested."""
    (failed,) = await tell(front.database, shop)
    await end(front, shop, failed, FailureKind.DNS)
    (done,) = await tell(front.database, shop)
    await end(front, shop, done)
    await ask(front, "change", owner, webhook.id, is_active=False)
    await tell(front.database, shop)
    enabled = await ask(front, "enable", owner, webhook.id)
    assert enabled.json()["missed"] == 2
    later = (utc_now() + timedelta(minutes=1)).isoformat()

    none = await ask(front, "replay_since", owner, webhook.id, since=later)
    answer = await ask(front, "replay_since", owner, webhook.id, since=SINCE)
    again = await ask(front, "replay_since", owner, webhook.id, since=SINCE)

    assert none.json() == NOTHING
    assert (answer.status_code, answer.json()) == (
        202,
        {"queued": 2, "left": 0, "next_since": None},
    )
    assert again.json() == NOTHING
    replays = await rows(front.database, webhook_deliveries, of=shop, trigger="replay")
    assert len({row["event_id"] for row in replays}) == 2
    assert await is_started(front, shop, min(row["id"] for row in replays))


async def test_a_call_replays_so_many(
    front: LiveEngine,
    shop: Shop,
    owner: dict[str, str],
    webhook: Subscribed,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("services.webhooks.deliveries.REPLAYED_AT_ONCE", 2)
    await ask(front, "change", owner, webhook.id, is_active=False)
    for _ in range(3):
        await tell(front.database, shop)
    await ask(front, "enable", owner, webhook.id)

    first = await ask(front, "replay_since", owner, webhook.id)
    second = await ask(front, "replay_since", owner, webhook.id)

    assert (first.json()["queued"], first.json()["left"]) == (2, 1)
    assert second.json() == {"queued": 1, "left": 0, "next_since": None}

    for row in await rows(front.database, webhook_deliveries, of=shop, trigger="replay"):
        await end(front, shop, row["id"])
    again = (await ask(front, "replay_since", owner, webhook.id, all=True)).json()
    assert (again["queued"], again["left"]) == (2, 1)
    last = await ask(front, "replay_since", owner, webhook.id, all=True, since=again["next_since"])
    assert last.json() == {"queued": 1, "left": 0, "next_since": None}


async def test_bad_moments(front: LiveEngine, owner: dict[str, str], webhook: Subscribed) -> None:
    for since in (
        None, 7, "", "yesterday", "1700000000", "2026-11-01", "2026-11-01T00:00:00",
        "0001-01-01T00:00:00+23:59", "9999-12-31T23:59:59-23:59", "2026-13-01T00:00:00Z",
    ):  # fmt: skip
        answer = await ask(front, "replay_since", owner, webhook.id, since=since)
        assert code(answer) == (400, "invalid_body"), since


# --- Signature mismatches -------------------------------------------------------------------------


async def test_verify(
    front: LiveEngine, shop: Shop, owner: dict[str, str], webhook: Subscribed
) -> None:
    (delivery_id,) = await tell(front.database, shop)
    line = (await ask(front, "delivery", owner, webhook.id, delivery_id)).json()["curl"]
    *_, headers, data = _parsed(line)
    pasted = {
        "signature": headers["X-Service-Signature"],
        "timestamp": headers["X-Service-Timestamp"],
        "body": data,
    }
    other = (await create(front, owner)).json()["webhook"]["id"]
    set_clock(front, datetime.fromtimestamp(int(pasted["timestamp"]), UTC))

    async def verdict(webhook_id: str = webhook.id, **changed: str) -> str:
        answer = await ask(front, "verify", owner, webhook_id, **{**pasted, **changed})
        assert answer.status_code == 200, answer.text
        return str(answer.json()["verdict"])

    assert await verdict() == "matches"
    assert await verdict(body=data + "\n") == "changed_body"
    assert await verdict(other) == "other_webhooks_secret"
    assert await verdict(signature="v1=") == "malformed_signature"
    standard = {"signature": headers["webhook-signature"], "message_id": headers["webhook-id"]}
    assert await verdict(**standard) == "matches"
    set_clock(front, utc_now() + timedelta(hours=1))
    assert await verdict() == "too_old"


async def test_bad_verifications(
    front: LiveEngine, owner: dict[str, str], webhook: Subscribed
) -> None:
    bodies: tuple[dict[str, object], ...] = (
        {"body": 7}, {"body": None}, {"body": "x" * 200_001}, {"body": "é" * 100_001},
        {"signature": None},
        {"signature": "x" * 2_001}, {"timestamp": 1}, {"webhook": "x"},
    )  # fmt: skip
    for body in bodies:
        answer = await ask(front, "verify", owner, webhook.id, **body)
        assert code(answer) == (400, "invalid_body"), body
