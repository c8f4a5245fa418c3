"""A single manager cannot extend trust: a new credential waits for a second manager."""

from datetime import timedelta
from typing import Any

import httpx
import pytest

from adapters.system import new_ulid, utc_now
from services.core.unit_of_work import UnitsOfWork
from services.playbooks.loosening_approvals import apply_due_loosening
from store.inbound.tables import inbound_webhooks
from store.intake.tables import engine_events
from store.tenants.tables import loosenings
from tests.support.content.content import INTEGRATIONS
from tests.support.core.engine import GATEWAY, LiveEngine
from tests.support.core.rows import only_row, rows
from tests.support.core.units import Recorder
from tests.support.inbound.addresses import ENDPOINT, opened
from tests.support.inbound.arriving import by_standard
from tests.support.inbound.mails import Mail, by_sendgrid, sendgrid_key
from tests.support.inbound.working import Inbox
from tests.support.reviews.dashboard import code
from tests.support.tenants.account import KEYS
from tests.support.tenants.identity import bearer, session_token
from tests.support.tenants.loosenings import LOOSENINGS, another, second_manager
from tests.support.tenants.shop import ORDER_QUESTION, Shop, open_shop
from tests.support.widget.page import page_of, signed

MAPPED = {"mapping": {"message": "text", "customer_verified": "verified"}}
SECRET = "/api/dashboard/widget/secret"


@pytest.fixture
async def shop(front: LiveEngine) -> Shop:
    """A shop with a second manager."""
    opened = await open_shop(front.database)
    await second_manager(front, opened)
    return opened


async def waiting(front: LiveEngine, shop: Shop) -> list[dict[str, Any]]:
    return await rows(front.database, loosenings, of=shop, state="pending")


async def decide(front: LiveEngine, shop: Shop, how: str = "approve") -> httpx.Response:
    """Decide the pending change as another manager."""
    (row,) = await waiting(front, shop)
    path = f"{LOOSENINGS}/{row['id']}/{how}"
    answer: httpx.Response = await front.http.post(path, headers=await another(front, shop))
    return answer


async def connected(
    front: LiveEngine, headers: dict[str, str], provider: str, **body: Any
) -> dict[str, Any]:
    wanted = {"provider": provider, "settings": {}, "credentials": {}, **body}
    answer = await front.http.post(INTEGRATIONS, json=wanted, headers=headers)
    assert answer.status_code == 201, answer.text
    made: dict[str, Any] = answer.json()
    return made


async def test_a_new_key_vouches_once_a_second_manager_agrees(
    engine: LiveEngine,
) -> None:
    """An admin created a key and vouched for any customer with it."""
    shop = await open_shop(engine.database)
    await second_manager(engine, shop)
    owner = bearer(session_token(engine.settings, shop.owner_user_id))
    made = (await engine.http.post(KEYS, json={"label": "x"}, headers=owner)).json()
    event = {
        "client_id": shop.client_id,
        "event_type": "x",
        "customer_email": "victim@example.com",
        "message": ORDER_QUESTION,
        "customer_verified": True,
    }

    async def notices() -> list[str]:
        answer = await engine.http.post(GATEWAY, json=event, headers=bearer(made["key_value"]))
        assert answer.status_code == 200, answer.text
        return [one["code"] for one in answer.json().get("notices", [])]

    assert made["key"]["vouches"] is False
    assert await notices() == ["customer_not_verified"]
    (first,) = await rows(engine.database, engine_events, of=shop)
    assert first["unified"]["customer_verified"] is False

    assert (await decide(engine, shop)).json()["state"] == "applied"

    assert await notices() == []
    key = (await engine.http.get(f"{KEYS}/{made['key']['id']}", headers=owner)).json()
    assert key["vouches"] is True


async def test_a_key_whose_trust_was_refused_never_vouches(
    front: LiveEngine, shop: Shop, owner: dict[str, str]
) -> None:
    made = (await front.http.post(KEYS, json={"label": "x"}, headers=owner)).json()["key"]
    assert (await decide(front, shop, "cancel")).json()["state"] == "cancelled"
    key = (await front.http.get(f"{KEYS}/{made['id']}", headers=owner)).json()
    assert (key["vouches"], key["is_active"]) == (False, True)


async def test_a_day_is_as_good_as_a_second_manager(
    front: LiveEngine, shop: Shop, owner: dict[str, str]
) -> None:
    made = (await front.http.post(KEYS, json={"label": "x"}, headers=owner)).json()["key"]
    (row,) = await waiting(front, shop)

    async def applied_after(hours: int) -> str:
        at = utc_now() + timedelta(hours=hours)
        units = UnitsOfWork(front.database, Recorder(), lambda: at, new_ulid)
        async with units.of(shop.tenant) as work:
            return await apply_due_loosening(work, row["id"], lambda: "")

    assert await applied_after(23) == "pending"
    assert await applied_after(24) == "applied"
    key = (await front.http.get(f"{KEYS}/{made['id']}", headers=owner)).json()
    assert key["vouches"] is True


async def test_one_manager_alone_waits_for_nothing(front: LiveEngine) -> None:
    alone = await open_shop(front.database)
    owner = bearer(session_token(front.settings, alone.owner_user_id))
    made = (await front.http.post(KEYS, json={"label": "x"}, headers=owner)).json()
    assert made["key"]["vouches"] is True
    generic = await connected(front, owner, "generic")
    shown = await opened(front, owner, generic["id"], MAPPED)
    assert shown["endpoint"]["vouches"] is True
    mail = await connected(front, owner, "mailgun", settings={"authserv_id": "mx.shop.test"})
    assert mail["settings"] == {"authserv_id": "mx.shop.test"}
    row = await only_row(front.database, loosenings, of=alone)
    assert (row["state"], row["differences"][0]["place"]) == ("applied", "mailgun: authserv_id")


async def test_the_generic_form_proves_no_customer_before(
    front: LiveEngine, shop: Shop, owner: dict[str, str]
) -> None:
    """An admin opened an address whose mapping contains `customer_verified`, and posted to it."""
    made = await connected(front, owner, "generic")
    inbox = Inbox(front.database, shop, made["id"])

    async def verified() -> bool:
        webhook = await inbox.comes(
            text="refund 1043", verified=True, customer_email="victim@example.com"
        )
        await inbox.work(webhook)
        event = await only_row(
            front.database, engine_events, id=(await inbox.row(webhook))["event_id"]
        )
        found: bool = event["payload"]["customer_verified"]
        return found

    shown = await opened(front, owner, made["id"], MAPPED)
    assert shown["endpoint"]["vouches"] is False
    assert await verified() is False
    assert (await decide(front, shop)).json()["state"] == "applied"
    assert await verified() is True

    rotate = ENDPOINT.format(integration_id=made["id"]) + "/rotate"
    for _ in range(2):
        rotated = await front.http.post(rotate, headers=owner)
        assert rotated.json()["endpoint"]["vouches"] is False
    assert await verified() is False
    older, newer = sorted(await waiting(front, shop), key=lambda row: str(row["id"]))
    admin = await another(front, shop)
    stale = await front.http.post(f"{LOOSENINGS}/{older['id']}/approve", headers=admin)
    assert code(stale) == (409, "loosening_changed")
    fresh = await front.http.post(f"{LOOSENINGS}/{newer['id']}/approve", headers=admin)
    assert fresh.json()["state"] == "applied"
    assert await verified() is True


async def test_an_address_that_was_closed_meanwhile_proves_nothing(
    front: LiveEngine, shop: Shop, owner: dict[str, str]
) -> None:
    made = await connected(front, owner, "generic")
    await opened(front, owner, made["id"], MAPPED)
    inbox = Inbox(front.database, shop, made["id"])
    webhook = await inbox.comes(text="refund 1043", message="x", customer_verified=True)
    path = ENDPOINT.format(integration_id=made["id"])
    assert (await front.http.delete(path, headers=owner)).status_code == 204
    await inbox.work(webhook)
    row = await inbox.row(webhook)
    event = await only_row(front.database, engine_events, id=row["event_id"])
    assert event["payload"]["customer_verified"] is False


@pytest.mark.parametrize("is_closed", [False, True])
async def test_a_later_approval_covers_no_earlier_webhook(
    front: LiveEngine, shop: Shop, owner: dict[str, str], is_closed: bool
) -> None:
    """A manager signed webhooks with a secret of their own. They were queued until a colleague
    refused and replaced that secret and had the new one approved."""
    made = await connected(front, owner, "generic")
    inbox = Inbox(front.database, shop, made["id"])
    admin = await another(front, shop)
    ticket = {"text": "refund 1043", "verified": True, "customer_email": "victim@example.com"}

    async def posts(shown: dict[str, Any]) -> str:
        name = new_ulid()
        request = by_standard(ticket, secret=shown["secret"], name=name)
        answer = await front.http.post(httpx.URL(shown["url"]).path, **request)
        assert answer.status_code == 200, answer.text
        row = await only_row(front.database, inbound_webhooks, of=shop, dedup_key=name)
        return str(row["id"])

    async def is_verified(webhook_id: str) -> bool:
        await inbox.work(webhook_id)
        event_id = (await inbox.row(webhook_id))["event_id"]
        event = await only_row(front.database, engine_events, id=event_id)
        found: bool = event["payload"]["customer_verified"]
        return found

    forged = await posts(await opened(front, owner, made["id"], MAPPED))
    assert (await decide(front, shop, "cancel")).status_code == 200
    path = ENDPOINT.format(integration_id=made["id"])
    if is_closed:
        assert (await front.http.delete(path, headers=admin)).status_code == 204
        replaced = await opened(front, admin, made["id"], MAPPED)
    else:
        replaced = (await front.http.post(f"{path}/rotate", headers=admin)).json()
    early = await posts(replaced)
    (row,) = await waiting(front, shop)
    agreed = await front.http.post(f"{LOOSENINGS}/{row['id']}/approve", headers=owner)
    assert agreed.json()["state"] == "applied"
    proved = await posts(replaced)

    assert [await is_verified(one) for one in (forged, early, proved)] == [False, False, True]


async def test_a_key_that_is_set_later_verified_no_earlier_mail(
    front: LiveEngine, owner: dict[str, str], shop: Shop
) -> None:
    """A stranger posted to a SendGrid address without a key, with the headers of a signed request.
    The email was queued until a key was set."""
    made = await connected(front, owner, "sendgrid")
    shown = await opened(front, owner, made["id"])
    assert (await decide(front, shop)).json()["state"] == "applied"
    path = httpx.URL(shown["url"]).path
    key = sendgrid_key()

    async def posts(name: str) -> str:
        mail = Mail(message_id=f"<{name}@customer.example>")
        request = key.sign(by_sendgrid(mail, spf="pass"))
        answer = await front.http.post(path, content=request.body, headers=dict(request.headers))
        assert answer.status_code == 200, answer.text
        rows_of = await rows(front.database, inbound_webhooks, of=shop)
        return str(max(one["id"] for one in rows_of))

    async def is_authenticated(webhook_id: str) -> bool:
        await inbox.work(webhook_id)
        event_id = (await inbox.row(webhook_id))["event_id"]
        event = await only_row(front.database, engine_events, id=event_id)
        return event["payload"].get("customer_verified") is True

    inbox = Inbox(front.database, shop, made["id"])
    unsigned = await posts(new_ulid())
    secret = ENDPOINT.format(integration_id=made["id"]) + "/secret"
    answer = await front.http.put(secret, json={"secret": key.public}, headers=owner)
    assert answer.status_code == 200, answer.text
    assert (await decide(front, shop)).json()["state"] == "applied"
    signed_mail = await posts(new_ulid())

    assert [await is_authenticated(one) for one in (unsigned, signed_mail)] == [False, True]


@pytest.mark.parametrize(
    ("provider", "body", "vouches"),
    [
        ("generic", {}, False),
        ("generic", {"mapping": {"message": "text"}}, True),
        ("prestashop", {}, False),
        ("postmark", {}, False),
        ("woocommerce", {}, True),
    ],
)
async def test_the_platforms_whose_secret_lets_its_holder_vouch(
    front: LiveEngine,
    shop: Shop,
    owner: dict[str, str],
    provider: str,
    body: dict[str, Any],
    vouches: bool,
) -> None:
    settings = {} if provider in ("generic", "postmark") else {"url": "https://shop.example"}
    made = await connected(front, owner, provider, settings=settings)
    shown = await opened(front, owner, made["id"], body)
    assert shown["endpoint"]["vouches"] is vouches
    assert bool(await waiting(front, shop)) is not vouches


async def test_a_platforms_secret_that_is_set_later_waits(
    front: LiveEngine, shop: Shop, owner: dict[str, str]
) -> None:
    made = await connected(front, owner, "mailgun")
    await opened(front, owner, made["id"])
    assert (await decide(front, shop)).json()["state"] == "applied"
    path = ENDPOINT.format(integration_id=made["id"]) + "/secret"
    answer = await front.http.put(path, json={"secret": "key-0123456789abcdef"}, headers=owner)
    assert answer.status_code == 200, answer.text
    assert answer.json()["vouches"] is False


async def test_a_mail_server_is_believed_once_a_second_manager_agrees(
    front: LiveEngine, shop: Shop, owner: dict[str, str]
) -> None:
    """An admin reconnected the mail provider with a server of their own."""
    wanted = {"authserv_id": "mx.eve.test"}
    made = await connected(front, owner, "mailgun", settings=wanted)
    assert made["settings"] == {}
    (row,) = await waiting(front, shop)
    assert row["differences"] == [
        {"place": "mailgun: authserv_id", "before": "none", "after": "mx.eve.test"}
    ]

    assert (await decide(front, shop)).json()["state"] == "applied"

    listed = (await front.http.get(INTEGRATIONS, headers=owner)).json()["integrations"]
    assert [one["settings"] for one in listed] == [wanted]
    again = await connected(front, owner, "mailgun", settings=wanted)
    assert (again["settings"], await waiting(front, shop)) == (wanted, [])


@pytest.mark.parametrize("settings", [{}, {"answer_as": "public"}])
async def test_answers_that_were_notes_become_public_once_a_second_manager_agrees(
    front: LiveEngine, shop: Shop, owner: dict[str, str], settings: dict[str, str]
) -> None:
    helpdesk = {"domain": "acme", "email": "agent@shop.test"}
    secrets = {"credentials": {"api_key": "k"}}
    noted = await connected(
        front, owner, "freshdesk", settings={**helpdesk, "answer_as": "note"}, **secrets
    )
    # Ending the connection first does not bypass the rule.
    path = f"{INTEGRATIONS}/{noted['id']}"
    assert (await front.http.delete(path, headers=owner)).status_code == 204

    made = await connected(front, owner, "freshdesk", settings={**helpdesk, **settings}, **secrets)

    assert made["settings"]["answer_as"] == "note"
    assert (await decide(front, shop)).json()["state"] == "applied"
    listed = (await front.http.get(INTEGRATIONS, headers=owner)).json()["integrations"]
    assert listed[-1]["settings"] == {**helpdesk, **settings}


async def test_what_was_asked_of_a_connection_that_has_ended_fails(
    front: LiveEngine, shop: Shop, owner: dict[str, str]
) -> None:
    made = await connected(front, owner, "mailgun", settings={"authserv_id": "mx.eve.test"})
    await front.http.delete(f"{INTEGRATIONS}/{made['id']}", headers=owner)
    assert code(await decide(front, shop)) == (404, "integration_not_found")


async def test_a_new_secret_signs_users_of_the_widget_once_a_second_manager_agrees(
    front: LiveEngine, shop: Shop, owner: dict[str, str]
) -> None:
    """An admin rotated the secret and signed a victim's address."""
    page = await page_of(front, shop)
    answer = await front.http.post(SECRET, json={}, headers=owner)
    assert answer.status_code == 200, answer.text
    secret, widget = answer.json()["secret"], answer.json()["widget"]
    assert (widget["has_secret"], widget["vouches"]) == (True, False)

    forged = await page.ask("hello", **signed(secret, "victim@example.com"))
    assert code(forged) == (401, "invalid_user_signature")

    assert (await decide(front, shop)).json()["state"] == "applied"
    shown = (await front.http.get("/api/dashboard/widget", headers=owner)).json()
    assert shown["vouches"] is True


async def test_the_secret_before_signs_until_its_time_is_over(
    front: LiveEngine, shop: Shop, owner: dict[str, str]
) -> None:
    for _ in range(2):
        await front.http.post(SECRET, json={}, headers=owner)
    # Neither was approved, so there is no previous secret.
    shown = (await front.http.get("/api/dashboard/widget", headers=owner)).json()
    assert (shown["vouches"], shown["previous_secret_until"]) == (False, None)
