"""Developers' journeys: webhooks that fail and are sent again, a signature, an incoming webhook."""

from collections import Counter
from typing import Final

import orjson
import pytest
from playwright.async_api import Browser, expect

from domain.integrations.providers import Provider
from domain.webhooks.signature import service_signature
from domain.webhooks.webhook import DISABLED_AT
from store.inbound.tables import inbound_webhooks
from store.runs.tables import engine_runs
from store.webhooks.tables import webhook_deliveries, webhook_subscriptions
from tests.e2e.dashboard.conftest import Served
from tests.support.core.rows import only_row, rows
from tests.support.core.waiting import eventually
from tests.support.dashboard.chromium import seated
from tests.support.inbound.log import a_sender, logged
from tests.support.servers.webhook_receiver import Received, WebhookReceiver
from tests.support.tenants.shop import UNSURE_MESSAGE, Shop
from tests.support.webhooks.sent import sent
from tests.support.webhooks.webhook_engine import subscribed
from tests.support.webhooks.webhooks import tell

pytestmark = pytest.mark.slow

SCRIPTS = [True, False]
LIST: Final = "/app/webhooks"
RERENDERED: Final = "the body was parsed and serialized again"
WITHOUT_PREFIX: Final = "the key is the secret without whsec_"


@pytest.mark.parametrize("scripts", SCRIPTS)
async def test_a_webhook_is_tested_disabled_after_20_failures_and_sends_all_again(
    browser: Browser, outward: Served, receiver: WebhookReceiver, scripts: bool
) -> None:
    engine, (shop, secret) = outward.engine, await outward.owner()
    receiver.answer()
    async with seated(browser, outward.url, secret, scripts=scripts) as seat:
        await seat.open(f"{LIST}/new")
        form = seat.page.locator(f'main form[action="{LIST}"]')
        await form.locator('[name="label"]').fill("ERP")
        await form.locator('[name="url"]').fill(_address(receiver, shop))
        await form.locator('[name="events:*"]').check()
        await form.locator('[name="retry_policy"]').select_option("none")
        async with seat.page.expect_navigation():
            await form.locator("button").first.click()
        key = await seat.page.locator("#secret-text").inner_text()
        webhook = await only_row(engine.database, webhook_subscriptions, of=shop)
        one = f"{LIST}/{webhook['id']}"

        await seat.open(one)
        assert key not in await seat.page.content()
        await seat.send(f"{one}/test", {"event": "ticket.resolved"})
        (request,) = await _received(receiver, shop, 1)
        at = int(request.headers["x-service-timestamp"])
        signature = service_signature(key, at, request.body)
        assert request.headers["x-service-signature"] == signature

        receiver.answer(500)
        events = [(await tell(engine.database, shop))[0] for _ in range(DISABLED_AT)]
        await engine.engine.send_webhooks(shop.client_id, events)
        await eventually(lambda: _is_disabled(outward, shop))
        failed = _ids((await _received(receiver, shop, DISABLED_AT + 1))[1:])
        assert len(failed) == DISABLED_AT
        await seat.open(one)
        assert f"after {DISABLED_AT} failures in a row" in await seat.text()
        await expect(seat.page.locator(".figures").first).to_contain_text("20/20")

        receiver.answer()
        await seat.send(f"{one}/enable")
        await seat.open(f"{one}/replay")
        await seat.press(f"Send {DISABLED_AT} events to localhost")
        assert f"Events on their way: {DISABLED_AT}." in await seat.text()
        seen = await _received(receiver, shop, 2 * DISABLED_AT + 2)
        again = Counter(one.headers["webhook-id"] for one in seen)
        assert {again[it] for it in failed} == {2}, "each event keeps its id"
        await eventually(lambda: _all_delivered(outward, shop))
        await seat.open(f"{one}/replay")
        assert "No missed events since then" in await seat.text()
        assert seat.complaints == []


@pytest.mark.parametrize("scripts", SCRIPTS)
async def test_a_bad_signature_is_explained(
    browser: Browser, outward: Served, receiver: WebhookReceiver, scripts: bool
) -> None:
    """The headers and the body of a received request: with the body serialized again, with the
    wrong key, and unchanged."""
    engine, (shop, secret) = outward.engine, await outward.owner()
    receiver.answer()
    webhook = await subscribed(engine, shop, receiver)
    before = len(receiver.seen)
    delivered = await sent(engine, shop)
    assert delivered["status"] == "success"
    (request,) = receiver.seen[before:]
    debug = f"{LIST}/{webhook.id}/debug"
    headers = "\n".join(f"{name}: {value}" for name, value in request.headers.items())
    at = int(request.headers["x-service-timestamp"])
    wrong_key = headers.replace(
        request.headers["x-service-signature"],
        service_signature(webhook.secret.removeprefix("whsec_"), at, request.body),
    )
    body = request.body.decode()
    rendered = orjson.dumps(orjson.loads(body), option=orjson.OPT_INDENT_2).decode()
    async with seated(browser, outward.url, secret, scripts=scripts) as seat:
        await seat.open(debug)
        for head, text, expected in (
            (headers, rendered, ("Signature does not match", RERENDERED, "differ at byte 1,")),
            (wrong_key, body, ("Signature does not match", WITHOUT_PREFIX)),
            (headers, body, ("Signature matches", delivered["id"])),
        ):
            await seat.send(debug, {"headers": head, "body": text})
            shown = await seat.text()
            assert [one for one in expected if one not in shown] == [], shown
        link = f"{LIST}/{webhook.id}/deliveries/{delivered['id']}"
        async with seat.page.expect_navigation():
            await seat.page.locator(f'main a[href="{link}"]').click()
        assert "200 Delivered" in await seat.text()
        assert seat.complaints == []


@pytest.mark.parametrize("scripts", SCRIPTS)
async def test_an_incoming_webhook_is_processed_again(
    browser: Browser, served: Served, scripts: bool
) -> None:
    """It failed, and becomes one ticket."""
    database = served.engine.database
    shop, secret = await served.owner()
    body = {"event_type": "x", "message": UNSURE_MESSAGE, "customer_email": "a@b.example"}
    webhook_id = await logged(
        database,
        shop,
        await a_sender(database, shop, Provider.GENERIC),
        provider="generic",
        kind="ticket",
        topic="ticket",
        body=orjson.dumps(body),
        state="failed",
        outcome=None,
        reason="unknown_provider",
    )
    one = f"/app/inbound/{webhook_id}"
    async with seated(browser, served.url, secret, scripts=scripts) as seat:
        await seat.open("/app/inbound")
        async with seat.page.expect_navigation():
            await seat.page.locator(f'main a[href="{one}"]').first.click()
        assert "unknown_provider" in await seat.text()
        await seat.page.locator(f'form[action="{one}/replay"] button').dblclick(no_wait_after=True)

        async def done() -> str | None:
            row = await only_row(database, inbound_webhooks, id=webhook_id)
            return str(row["outcome"]) if row["state"] == "done" else None

        assert await eventually(done) == "event"
        run = await only_row(database, engine_runs, of=shop)
        await seat.open(one)
        assert "Ticket created" in await seat.text()
        await expect(seat.page.locator(f'form[action="{one}/replay"]')).to_have_count(0)
        async with seat.page.expect_navigation():
            await seat.page.locator(f'main a[href="/app/runs/{run["id"]}"]').click()
        assert await seat.page.get_by_role("heading", level=1).count() == 1
        assert seat.complaints == []


def _address(receiver: WebhookReceiver, shop: Shop) -> str:
    return f"{receiver.url}/{shop.client_id}"


async def _received(receiver: WebhookReceiver, shop: Shop, count: int) -> list[Received]:
    """Wait for this many requests to the shop's address."""

    async def complete() -> list[Received] | None:
        found = [one for one in receiver.seen if one.path.endswith(shop.client_id)]
        return found if len(found) >= count else None

    return await eventually(complete)


def _ids(requests: list[Received]) -> set[str]:
    return {one.headers["webhook-id"] for one in requests}


async def _is_disabled(outward: Served, shop: Shop) -> bool:
    row = await only_row(outward.engine.database, webhook_subscriptions, of=shop)
    return bool(row["disabled_reason"] == "failures")


async def _all_delivered(outward: Served, shop: Shop) -> bool:
    replays = await rows(
        outward.engine.database, webhook_deliveries, of=shop, trigger="replay", status="success"
    )
    return len(replays) == DISABLED_AT
