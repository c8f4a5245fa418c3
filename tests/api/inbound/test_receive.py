"""POST /api/webhooks/…: verification, deduplication and responses."""

import asyncio
import json
from dataclasses import replace
from typing import Any

from structlog.testing import capture_logs

from api.inbound_entry_limiter import InboundEntryLimiter, body_room
from domain.inbound.platform_catalogue import PLATFORMS
from domain.integrations.providers import Provider
from services.inbound.refusals import RefusalCounts
from store.inbound.tables import inbound_refusals
from tests.support.core.engine import LiveEngine, database_away
from tests.support.core.rows import rows
from tests.support.inbound.addresses import ENDPOINT
from tests.support.inbound.arriving import (
    ORDER,
    by_shopify,
    by_standard,
    by_woocommerce,
    listening,
    status_of,
    taken,
)
from tests.support.inbound.mails import SIGNING_KEY, Mail, by_mailgun
from tests.support.tenants.shop import Shop

RECEIVED = (200, "received")
REFUSED = (401, "inbound_refused")


async def test_it_is_kept_once(front: LiveEngine, shop: Shop, owner: dict[str, str]) -> None:
    """Duplicates get the same response; the same id with another body has no effect."""
    address = await listening(front, shop, owner)
    delivery = by_shopify(event_id="event-1")
    other = by_shopify({**ORDER, "name": "#1"}, event_id="event-1")

    with capture_logs() as logged:
        answers = [
            await front.http.post(address.path, **one) for one in (delivery, delivery, other)
        ]

    assert {status_of(answer) for answer in answers} == {RECEIVED}
    (row,) = await taken(front, shop)
    assert (row["duplicates"], row["conflicts"], row["state"]) == (1, 1, "working")
    assert (row["topic"], row["kind"], row["body"]) == (
        "orders/updated",
        "fact",
        delivery["content"],
    )
    assert "x-shopify-hmac-sha256" not in row["headers"]
    assert row["headers"]["x-shopify-topic"] == "orders/updated"
    assert "inbound webhook repeated with a different body" in {line["event"] for line in logged}


async def test_a_delivery_of_woocommerce_is_named_by_its_id_and_its_body(
    front: LiveEngine, shop: Shop, owner: dict[str, str]
) -> None:
    """Two orders in one second have the same delivery id: both are stored, each once."""
    address = await listening(front, shop, owner, Provider.WOOCOMMERCE)
    one, other = (
        by_woocommerce({"id": number}, secret=address.secret, delivery="same") for number in (1, 2)
    )

    for delivery in (one, other, one):
        assert status_of(await front.http.post(address.path, **delivery)) == RECEIVED

    kept = await taken(front, shop)
    assert [(row["body"], row["duplicates"], row["conflicts"]) for row in kept] == [
        (one["content"], 1, 0),
        (other["content"], 0, 0),
    ]


async def test_two_hundred_at_once_are_one(
    front: LiveEngine, shop: Shop, owner: dict[str, str]
) -> None:
    address = await listening(front, shop, owner)
    delivery = by_shopify(event_id="event-1")

    answers = await asyncio.gather(*(front.http.post(address.path, **delivery) for _ in range(200)))

    assert {status_of(answer) for answer in answers} == {RECEIVED}
    (row,) = await taken(front, shop)
    assert (row["duplicates"], row["conflicts"]) == (199, 0)


async def test_reliability_row_68(front: LiveEngine, shop: Shop, owner: dict[str, str]) -> None:
    """A wrong signature, an old timestamp; the same id twice in parallel, and from another
    provider."""
    generic = await listening(front, shop, owner, Provider.GENERIC)
    prestashop = await listening(front, shop, owner, Provider.PRESTASHOP)
    body = {"type": "message.created", "message": "Où est ma commande ?"}
    good = by_standard(body, secret=generic.secret, name="event-1")
    forged = by_standard(body, secret=prestashop.secret, name="event-1")
    old = by_standard(body, secret=generic.secret, at=-301)
    future = by_standard(body, secret=generic.secret, at=302)

    refused = [await front.http.post(generic.path, **one) for one in (forged, old, future)]
    parallel = await asyncio.gather(*(front.http.post(generic.path, **good) for _ in range(2)))
    elsewhere = await front.http.post(prestashop.path, **forged)

    assert [status_of(answer) for answer in refused] == [REFUSED] * 3
    assert {status_of(answer) for answer in (*parallel, elsewhere)} == {RECEIVED}
    kept = await taken(front, shop)
    assert sorted(row["provider"] for row in kept) == ["generic", "prestashop"]


async def test_who_is_refused(front: LiveEngine, shop: Shop, owner: dict[str, str]) -> None:
    """An unknown address, another provider's address, and a wrong or missing signature get the same
    response. Each platform receives the status that stops its retries."""
    address = await listening(front, shop, owner)
    delivery = by_shopify()
    unsigned = {**delivery, "headers": {**delivery["headers"], "x-shopify-hmac-sha256": ""}}
    twice = [*delivery["headers"].items(), ("X-Shopify-Topic", "orders/paid")]
    nowhere = "/api/webhooks/{}/" + "A" * 43
    tried = {
        nowhere.format("shopify"): (delivery, 401),
        nowhere.format("stripe"): (delivery, 400),
        nowhere.format("mailgun"): (delivery, 406),
        nowhere.format("postmark"): (delivery, 403),
        f"/api/webhooks/woocommerce/{address.token}": (delivery, 401),
        "/api/webhooks/shopify/short": (delivery, 401),
    }
    answers = [
        (await front.http.post(path, **one), status) for path, (one, status) in tried.items()
    ]
    wrong = (by_shopify(secret="another-secret"), unsigned, {**delivery, "headers": twice})
    answers += [(await front.http.post(address.path, **one), 401) for one in wrong]

    assert [status_of(answer) for answer, _ in answers] == [
        (status, "inbound_refused") for _, status in answers
    ]
    assert len({answer.json()["error"] for answer, _ in answers}) == 1
    unknown = await front.http.post("/api/webhooks/nobody/" + "A" * 43, **delivery)
    assert status_of(unknown) == (404, "inbound_address_unknown")
    assert await taken(front, shop) == []


async def test_no_body_is_read_of_who_has_no_address(front: LiveEngine) -> None:
    async def endless() -> Any:
        yield b"{"
        raise AssertionError("the body was read")

    answer = await front.http.post("/api/webhooks/mailgun/" + "A" * 43, content=endless())

    assert status_of(answer) == (406, "inbound_refused")


async def test_what_cannot_be_read_is_in_the_log(
    front: LiveEngine, shop: Shop, owner: dict[str, str]
) -> None:
    """Signed but unreadable: it is stored as failed, and the platform receives a success."""
    address = await listening(front, shop, owner)
    delivery = by_shopify(topic="?")

    for _ in range(2):
        assert status_of(await front.http.post(address.path, **delivery)) == RECEIVED
    ignored = await front.http.post(address.path, **by_shopify(topic="carts/update"))

    assert status_of(ignored) == RECEIVED
    failed, done = await taken(front, shop)
    assert (failed["state"], failed["duplicates"], bool(failed["reason"])) == ("failed", 1, True)
    assert (done["state"], done["kind"], done["outcome"]) == ("done", "ignored", "ignored")


async def test_the_lane(front: LiveEngine, shop: Shop, owner: dict[str, str]) -> None:
    """One webhook of a queue is processed at a time; later ones wait."""
    address = await listening(front, shop, owner)

    for number in range(3):
        await front.http.post(address.path, **by_shopify(event_id=f"event-{number}"))

    assert [row["state"] for row in await taken(front, shop)] == ["working", "queued", "queued"]


async def test_a_large_body(front: LiveEngine, shop: Shop, owner: dict[str, str]) -> None:
    """It would always be too large, so the platform receives a status that stops retries."""
    address = await listening(front, shop, owner)
    padded = by_shopify(json.dumps(ORDER).encode() + b" " * (1024 * 1024))

    async def chunks() -> Any:
        yield padded["content"]

    answers = [
        await front.http.post(address.path, **padded),
        await front.http.post(address.path, content=chunks(), headers=padded["headers"]),
    ]

    assert [status_of(answer) for answer in answers] == [(401, "body_too_large")] * 2
    assert await taken(front, shop) == []


async def test_a_mail_with_large_files(
    front: LiveEngine, shop: Shop, owner: dict[str, str]
) -> None:
    """An email near the size limit, read in a thread and stored completely."""
    address = await listening(front, shop, owner, Provider.POSTMARK)
    file = {"Name": "a.pdf", "ContentType": "application/pdf", "Content": "A" * 24_000_000}
    mail = {"MessageID": "m-1", "From": "eve@example.com", "Attachments": [file]}

    answer = await front.http.post(address.path, json=mail)

    assert status_of(answer) == RECEIVED
    (row,) = await taken(front, shop)
    assert (row["dedup_key"], row["kind"]) == ("m-1", "ticket")
    assert len(row["body"]) > 24_000_000


async def test_large_bodies_find_room_or_come_again(
    front: LiveEngine, shop: Shop, owner: dict[str, str]
) -> None:
    """The size of concurrent large bodies is limited in total and per address."""
    address = await listening(front, shop, owner)
    large = by_shopify({**ORDER, "note": "x" * 200_000})
    inbound: InboundEntryLimiter = front.app.state.resources.inbound
    narrow = replace(inbound, room=body_room(600_000, 250_000))
    front.app.state.resources = replace(front.app.state.resources, inbound=narrow)
    entered, go_on = asyncio.Event(), asyncio.Event()

    async def slow() -> Any:
        yield large["content"][:150_000]
        entered.set()
        await go_on.wait()
        yield large["content"][150_000:]

    headers = {**large["headers"], "content-length": str(len(large["content"]))}
    first = asyncio.create_task(front.http.post(address.path, content=slow(), headers=headers))
    await entered.wait()
    busy = await front.http.post(address.path, **by_shopify({**ORDER, "note": "y" * 200_000}))
    small = await front.http.post(address.path, **by_shopify())
    go_on.set()
    assert status_of(await first) == RECEIVED
    after = await front.http.post(address.path, **by_shopify({**ORDER, "note": "z" * 200_000}))

    assert status_of(busy) == (503, "inbound_busy")
    assert int(busy.headers["retry-after"]) >= 1
    assert status_of(small) == RECEIVED
    assert status_of(after) == RECEIVED


async def test_limits(front: LiveEngine, shop: Shop, owner: dict[str, str]) -> None:
    """After too many rejections from one address, a helpdesk's endpoint returns 429 before reading
    the body; a shop's endpoint still accepts signed webhooks."""
    shopify = await listening(front, shop, owner)
    gorgias = await listening(front, shop, owner, Provider.GORGIAS)
    wrong = by_shopify(secret="another-secret")
    posts = [front.http.post(path, **wrong) for path in (shopify.path, gorgias.path) * 61]

    answers = [status_of(answer) for answer in await asyncio.gather(*posts)]

    assert answers.count(REFUSED) == 120
    assert answers.count((429, "too_many_requests")) == 2

    async def endless() -> Any:
        yield b"{"
        raise AssertionError("the body was read")

    full = await front.http.post(gorgias.path, content=endless())
    assert status_of(full) == (429, "too_many_requests")
    assert int(full.headers["retry-after"]) >= 1
    assert status_of(await front.http.post(shopify.path, **by_shopify())) == RECEIVED
    counts: RefusalCounts = front.app.state.resources.inbound.refusals
    await counts.write()
    counted = await rows(front.database, inbound_refusals, client_id=shop.client_id)
    assert sum(row["count"] for row in counted) == 61 + 61 + 1
    assert {(row["integration_id"], row["reason"]) for row in counted} == {
        (shopify.integration_id, "signature_wrong"),
        (gorgias.integration_id, "signature_missing"),
        (gorgias.integration_id, "too_many"),
    }


async def test_unreadable_forms_do_not_close_an_address(
    front: LiveEngine, shop: Shop, owner: dict[str, str]
) -> None:
    """A stranger's emails with 500 attachments caused rejections of Mailgun's own address."""
    mailgun = await listening(front, shop, owner, Provider.MAILGUN)
    path = ENDPOINT.format(integration_id=mailgun.integration_id) + "/secret"
    given = await front.http.put(path, json={"secret": SIGNING_KEY}, headers=owner)
    assert given.status_code == 200, given.text
    form = {"content-type": "application/x-www-form-urlencoded"}
    posts = [front.http.post(mailgun.path, content=b"a=1&" * 500, headers=form) for _ in range(61)]
    answers = [answer.status_code for answer in await asyncio.gather(*posts)]
    mail = by_mailgun(Mail())

    real = await front.http.post(mailgun.path, content=mail.body, headers=dict(mail.headers))

    assert set(answers) == {PLATFORMS[Provider.MAILGUN].refusal_status}
    assert status_of(real) == RECEIVED


async def test_the_database_is_away(front: LiveEngine, shop: Shop, owner: dict[str, str]) -> None:
    """The response never makes the platform stop retrying."""
    address = await listening(front, shop, owner)

    with database_away(front.app.state.resources.database):
        answer = await front.http.post(address.path, **by_shopify())

    assert status_of(answer) == (500, "engine_unavailable")
    assert status_of(await front.http.post(address.path, **by_shopify())) == RECEIVED


async def test_the_token_is_in_no_log(front: LiveEngine, shop: Shop, owner: dict[str, str]) -> None:
    """The path is logged as its template, whatever it contains."""
    address = await listening(front, shop, owner)
    with capture_logs() as logged:
        for path in (address.path, address.path + "x", address.path + "/more"):
            await front.http.post(path, **by_shopify())
        await front.http.get(address.path)

    assert logged
    assert address.token not in json.dumps(logged, default=str)
