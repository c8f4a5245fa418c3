"""GET /api/dashboard/inbound: received webhooks and their outcomes."""

from datetime import timedelta
from typing import Any

import httpx

from adapters.system import utc_now
from domain.inbound.logged_webhook import SHOWN_BODY
from domain.tenants.client import Role
from tests.support.core.engine import LiveEngine
from tests.support.inbound.log import a_sender, logged, refused
from tests.support.reviews.dashboard import person
from tests.support.tenants.access import INBOUND
from tests.support.tenants.shop import Shop


async def ask(
    front: LiveEngine, headers: dict[str, str], path: str = "", **params: Any
) -> dict[str, Any]:
    answer: httpx.Response = await front.http.get(INBOUND + path, params=params, headers=headers)
    assert answer.status_code == 200, answer.text
    return dict(answer.json())


async def test_pages_and_filters(front: LiveEngine, shop: Shop, owner: dict[str, str]) -> None:
    sender = await a_sender(front.database, shop)
    ids = [
        await logged(front.database, shop, sender, **fields)
        for fields in (
            {"outcome": "order_updated", "reference": "1001"},
            {"provider": "zendesk", "kind": "ticket", "outcome": "event"},
            {"state": "failed", "outcome": None, "reason": "no_order"},
            {"state": "waiting", "outcome": None, "waits_for": "quota", "not_before": utc_now()},
        )
    ]

    (waiting,) = (await ask(front, owner, limit=1))["webhooks"]
    first = await ask(front, owner, limit=2, cursor=ids[3])
    second = await ask(front, owner, limit=2, cursor=first["next_cursor"])

    assert (waiting["id"], waiting["state"], waiting["waits_for"]) == (ids[3], "waiting", "quota")
    assert waiting["not_before"]
    assert waiting["verdict"].startswith("It waits for the tickets of a new month, or credits")
    assert [one["id"] for one in first["webhooks"]] == [ids[2], ids[1]]
    assert [one["id"] for one in second["webhooks"]] == [ids[0]]
    assert second["next_cursor"] is None
    assert "body" not in first["webhooks"][0]
    assert first["webhooks"][0]["verdict"] == "It could not be processed: no order."
    for asked, found in (
        ({"provider": "zendesk"}, [ids[1]]),
        ({"state": "failed"}, [ids[2]]),
        ({"outcome": "order_updated"}, [ids[0]]),
        ({"provider": "zendesk", "state": "failed"}, []),
    ):
        page = await ask(front, owner, **asked)
        assert [one["id"] for one in page["webhooks"]] == found, asked
    for wrong in ({"provider": "nobody"}, {"limit": "0"}, {"cursor": "x"}, {"refusal_hours": "0"}):
        answer = await front.http.get(INBOUND, params=wrong, headers=owner)
        assert answer.status_code == 400, wrong


async def test_refusals_are_counted_by_the_hour(
    front: LiveEngine, shop: Shop, owner: dict[str, str]
) -> None:
    sender = await a_sender(front.database, shop)
    hour = utc_now().replace(minute=0, second=0, microsecond=0)
    for ago, count in ((0, 3), (30, 5)):
        await refused(
            front.database,
            shop,
            sender,
            reason="signature_wrong",
            hour=hour - timedelta(hours=ago),
            count=count,
        )

    lately = (await ask(front, owner))["refusals"]
    longer = (await ask(front, owner, refusal_hours=48))["refusals"]

    assert [(one["integration_id"], one["reason"], one["count"]) for one in lately] == [
        (sender, "signature_wrong", 3)
    ]
    assert [one["count"] for one in longer] == [3, 5]


async def test_what_was_sent_is_for_managers(
    front: LiveEngine, shop: Shop, owner: dict[str, str]
) -> None:
    secret = {"x-wc-webhook-signature": "c2VjcmV0", "x-wc-webhook-topic": "order.updated"}
    sent = await logged(front.database, shop, headers=secret, body='{"id": "é"}'.encode())
    viewer = await person(front, shop, Role.VIEWER)

    whole = await ask(front, owner, f"/{sent}")
    partly = await ask(front, viewer, f"/{sent}")

    assert whole["headers"] == {
        "x-wc-webhook-signature": "…",
        "x-wc-webhook-topic": "order.updated",
    }
    assert (whole["body"], whole["body_bytes"], whole["is_body_cut"]) == ('{"id": "é"}', 12, False)
    assert (partly["body"], partly["headers"]) == (None, {})
    assert partly["verdict"] == whole["verdict"] == "It concerns nothing here."


async def test_bodies_that_are_long_binary_or_erased(
    front: LiveEngine, shop: Shop, owner: dict[str, str]
) -> None:
    sender = await a_sender(front.database, shop)
    # The text is cut within its last visible character.
    long = b"a" * (SHOWN_BODY - 1) + "é".encode() * 10
    for body, text, size, is_cut in (
        (long, "a" * (SHOWN_BODY - 1), len(long), True),
        (b"\xff\xd8\xff", None, 3, False),
        (b"a\0b", None, 3, False),
        (b"", "", 0, False),
        (None, None, None, False),
    ):
        sent = await logged(front.database, shop, sender, body=body)
        found = await ask(front, owner, f"/{sent}")
        assert (found["body"], found["body_bytes"], found["is_body_cut"]) == (text, size, is_cut)


async def test_replay_of_one_that_failed_and_of_one_that_was_processed(
    front: LiveEngine, shop: Shop, owner: dict[str, str]
) -> None:
    sender = await a_sender(front.database, shop)
    for state, replayed, afterwards in (("failed", True, "working"), ("done", False, "done")):
        sent = await logged(front.database, shop, sender, state=state)

        answer = await front.http.post(f"{INBOUND}/{sent}/replay", headers=owner)

        assert (answer.status_code, answer.json()) == (202, {"replayed": replayed})
        assert (await ask(front, owner, f"/{sent}"))["state"] == afterwards
