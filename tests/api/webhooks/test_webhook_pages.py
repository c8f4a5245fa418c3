"""The webhook pages: secrets shown once, deliveries replayed, signatures checked."""

import re

from adapters.system import utc_now
from domain.tenants.client import Plan, Role
from domain.webhooks.delivery import FailureKind
from domain.webhooks.signature import service_signature
from domain.webhooks.webhook import Webhook
from store.tenants.accounts import AccountRepository
from store.webhooks.subscriptions import WebhookChange, WebhookRepository
from tests.support.core.engine import LiveEngine
from tests.support.dashboard.visitors import PageVisitor, at_pages, form_of
from tests.support.tenants.shop import Shop, open_shop
from tests.support.webhooks.webhook_dashboard import end, is_started, ready, signs
from tests.support.webhooks.webhooks import subscribe, tell

LIST = "/app/webhooks"
NEW = f"{LIST}/new"
FIELDS = {
    "label": "ERP <script>",
    "url": "https://erp.example.com/in",
    "events:ticket.resolved": "on",
    "retry_policy": "standard",
}


async def read(front: LiveEngine, shop: Shop, webhook_id: str) -> Webhook:
    async with front.database.tenant(shop.tenant) as connection:
        return await WebhookRepository(connection, shop.tenant).read(webhook_id)


async def pause(front: LiveEngine, shop: Shop, webhook_id: str) -> None:
    async with front.database.tenant(shop.tenant) as connection:
        webhooks = WebhookRepository(connection, shop.tenant)
        await webhooks.change(webhook_id, WebhookChange(pause=True), utc_now())


async def only_one(owner: PageVisitor) -> str:
    found = re.search(rf'href="({LIST}/0\w{{25}})"', await owner.see(LIST))
    assert found
    return found.group(1)


async def test_a_webhook_is_added_changed_rotated_and_deleted(
    front: LiveEngine, shop: Shop
) -> None:
    async with at_pages(front, shop) as owner:
        assert "Send events to your own systems" in await owner.see(LIST)
        form = {**form_of(await owner.see(NEW), LIST), **FIELDS}
        made = await owner.http.post(LIST, data=form)
        one = await only_one(owner)
        webhook_id = one.rpartition("/")[2]
        assert await signs(front, shop, webhook_id) in made.text
        assert "crypto.timingSafeEqual" in made.text
        again = await owner.follow(await owner.http.post(LIST, data=form))
        assert "Already created." in again
        assert "ERP &lt;script&gt;" in await owner.see(LIST)

        settings = f"{one}/settings"
        changed = {**FIELDS, "label": "ERP", "events:ticket.escalated": "on"}
        once = {**changed, "once_per_ticket": "on"}
        assert "Saved." in await owner.follow(await owner.send(settings, settings, once))
        now = await read(front, shop, webhook_id)
        assert (now.label, now.events) == ("ERP", ("ticket.resolved", "ticket.escalated"))
        assert now.once_per_ticket
        assert re.search(r'name="once_per_ticket" value="on" checked', await owner.see(settings))
        await owner.http.post(
            settings,
            data={
                **{
                    name: value
                    for name, value in form_of(await owner.see(settings), settings).items()
                    if name != "once_per_ticket"
                },
                **changed,
            },
        )
        assert not (await read(front, shop, webhook_id)).once_per_ticket

        rotated = await owner.send(f"{one}/rotate", f"{one}/rotate", {"overlap_hours": "24"})
        assert await signs(front, shop, webhook_id) in rotated.text
        assert "The old secret also signs" in rotated.text

        wrong = await owner.send(settings, f"{one}/delete", {"confirm": "erp"})
        assert "the name we asked for" in await owner.follow(wrong)
        gone = await owner.send(settings, f"{one}/delete", {"confirm": "ERP"})
        assert "“ERP” was deleted" in await owner.follow(gone)
        assert (await owner.http.get(one)).status_code == 404


async def test_what_was_typed_comes_back_with_the_rule_that_it_broke(
    front: LiveEngine, shop: Shop
) -> None:
    async with at_pages(front, shop) as owner:
        page = await owner.follow(
            await owner.send(NEW, LIST, {**FIELDS, "url": "http://erp.example.com/in"})
        )
        assert "There is a problem" in page
        assert "http://erp.example.com/in" in page
        assert re.search(r'name="events:ticket.resolved" value="on" checked', page)


async def test_a_delivery_says_what_came_of_it_and_is_replayed(
    front: LiveEngine, shop: Shop
) -> None:
    webhook_id, _ = await ready(front, shop)
    (failed,) = await tell(front.database, shop)
    await end(front, shop, failed, FailureKind.HTTP_5XX)
    one = f"{LIST}/{webhook_id}"
    async with at_pages(front, shop) as owner:
        assert "24 hours: 1 of 2 failed" in await owner.see(LIST)
        page = await owner.see(one, status="failed")
        assert "Receiver error" in page
        assert "200 Delivered" not in page
        delivery = f"{one}/deliveries/{failed}"
        page = await owner.see(delivery)
        assert "The receiver failed." in page
        assert "playbook.activated" in page
        assert "curl --include" in page
        replayed = await owner.send(delivery, f"{delivery}/replay")
        assert "Sent again." in await owner.follow(replayed)
        assert await is_started(front, shop, replayed.headers["location"].rpartition("/")[2])


async def test_a_delivery_under_way_has_no_answer_yet(front: LiveEngine, shop: Shop) -> None:
    webhook_id, _ = await ready(front, shop)
    (pending,) = await tell(front.database, shop)
    delivery = f"{LIST}/{webhook_id}/deliveries/{pending}"
    async with at_pages(front, shop) as owner:
        page = await owner.see(delivery)
        assert "No response." not in page
        assert page.count("Reload the page to see the result.") == 2
        await end(front, shop, pending, FailureKind.TIMEOUT, is_answered=False)
        assert "No response." in await owner.see(delivery)


async def test_a_test_is_sent_also_to_a_paused_one(front: LiveEngine, shop: Shop) -> None:
    webhook_id, _ = await ready(front, shop)
    one = f"{LIST}/{webhook_id}"
    async with at_pages(front, shop) as owner:
        paused = await owner.follow(await owner.send(f"{one}/settings", f"{one}/pause"))
        assert "Paused since" in paused
        tested = await owner.send(one, f"{one}/test", {"event": "ticket.escalated"})
        page = await owner.follow(tested)
        assert "Test sent." in page
        assert "<h1>ticket.escalated</h1>" in page
        enabled = await owner.follow(await owner.send(one, f"{one}/enable"))
        assert "Enabled, and a test is on its way" in enabled


async def test_what_was_missed_is_counted_before_it_is_sent(front: LiveEngine, shop: Shop) -> None:
    webhook_id, _ = await ready(front, shop)
    one = f"{LIST}/{webhook_id}"
    for _ in range(2):
        (failed,) = await tell(front.database, shop)
        await end(front, shop, failed, FailureKind.TIMEOUT)
    async with at_pages(front, shop) as owner:
        assert "No missed events" in await owner.see(f"{one}/replay", since="2100-01-01T00:00")
        assert "3 events would be sent" in await owner.see(f"{one}/replay", all="on")
        assert "Send 2 events to hooks.example.com" in await owner.see(f"{one}/replay")
        sent = await owner.send(f"{one}/replay", f"{one}/replay")
        assert "on their way: 2" in await owner.follow(sent)
        await pause(front, shop, webhook_id)
        refused = await owner.see(f"{one}/replay", all="on")
        assert "Disabled. Enable it first." in refused
        assert (await owner.http.get(f"{one}/replay?since=x")).status_code == 400


async def test_a_signature_is_explained(front: LiveEngine, shop: Shop) -> None:
    webhook_id, _ = await ready(front, shop)
    debug = f"{LIST}/{webhook_id}/debug"
    at = int(utc_now().timestamp())
    signature = service_signature(await signs(front, shop, webhook_id), at, b'{"a":1}')
    headers = (
        f"Host: erp.example.com\r\nX-Service-Timestamp: {at}\r\nX-Service-Signature: {signature}"
    )
    async with at_pages(front, shop) as owner:
        right = await owner.send(debug, debug, {"headers": headers, "body": '{"a":1}'})
        assert "Signature matches" in right.text
        wrong = await owner.send(debug, debug, {"headers": headers, "body": '{"a": 1}'})
        assert "the body was parsed and serialized again" in wrong.text
        assert "first differ at byte 5" in wrong.text


async def test_a_plan_without_webhooks_reads(front: LiveEngine, shop: Shop) -> None:
    webhook_id, delivery_id = await ready(front, shop)
    one = f"{LIST}/{webhook_id}"
    async with at_pages(front, shop) as owner:
        form = form_of(await owner.see(one), f"{one}/test")
        async with front.database.tenant(shop.tenant) as connection:
            accounts = AccountRepository(connection, shop.tenant)
            subscription = await accounts.subscription()
            await accounts.save(
                subscription.changed_to(Plan.FREE, utc_now()).unpaid(
                    Plan.PRO, utc_now(), at_period_end=True
                )
            )
        assert "Webhooks need a higher plan" in await owner.see(LIST)
        assert "Webhooks need a higher plan" in await owner.see(NEW)
        assert "200 Delivered" in await owner.see(f"{one}/deliveries/{delivery_id}")
        refused = await owner.http.post(f"{one}/test", data={**form, "event": "ticket.resolved"})
        assert "Your plan does not include this" in await owner.follow(refused)


async def test_the_catalogue_shows_each_event(front: LiveEngine, shop: Shop) -> None:
    async with at_pages(front, shop, language="fr") as owner:
        page = await owner.see(f"{LIST}/events", event="ticket.resolved")
        assert "un ticket reçoit une réponse" in page
        assert "&#34;ai_response&#34;" in page


async def test_webhooks_are_for_managers_of_their_client(front: LiveEngine, shop: Shop) -> None:
    other = await open_shop(front.database)
    theirs = await subscribe(front.database, other)
    async with at_pages(front, shop, Role.AGENT) as agent:
        assert (await agent.http.get(LIST)).status_code == 403
    async with at_pages(front, shop) as owner:
        for path in ("", "/settings", "/debug", "/replay", "/rotate"):
            assert (await owner.http.get(f"{LIST}/{theirs.id}{path}")).status_code == 404
