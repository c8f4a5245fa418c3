"""A visitor's message, and its session."""

import asyncio
from datetime import timedelta
from typing import Any

import sqlalchemy as sa

from adapters.system import utc_now
from domain.tenants.disclosure import DEFAULT_DISCLOSURE
from domain.widget.widget_session import SESSION_LASTS, VerifiedBy
from store.billing.tables import usage_counters
from store.intake.tables import engine_events
from store.runs.tables import engine_messages
from store.widget.tables import widget_sessions, widgets
from store.widget.visitor_sessions import WidgetSessionRepository
from tests.support.core.engine import LiveEngine
from tests.support.core.rows import only_row, row_counts, rows
from tests.support.tenants.shop import ORDER_QUESTION, Shop, open_shop
from tests.support.widget.page import WidgetPage, page_of, signed, with_secret

EMAIL = "Camille@Free.example"
SPELT = EMAIL.lower()


async def test_the_answer(engine: LiveEngine, shop: Shop) -> None:
    """It contains a session, whose next message is in the same thread."""
    page = await page_of(engine, shop)
    first = await page.say(ORDER_QUESTION, page_url="https://u:p@shop.example/a?token=t#x")
    again = await page.say("Merci", session_id=first["session_id"])

    assert first.keys() == {"session_id", "response", "status", "event_id", "acknowledgement"}
    assert (first["status"], "1042" in first["response"]) == ("completed", True)
    assert first["session_id"] == again["session_id"]
    session_id = page.session(first["session_id"])
    events = await rows(engine.database, engine_events, of=shop)
    event = next(event for event in events if event["id"] == first["event_id"])
    assert (event["source"], event["event_type"]) == ("widget", "widget.chat.message")
    assert event["payload"] == {
        "session_id": session_id,
        "customer_verified": False,
        "page_url": "https://shop.example/a",
    }
    messages = await rows(engine.database, engine_messages, of=shop, widget_session_id=session_id)
    numbers = [message["widget_number"] for message in messages]
    assert sorted(numbers) == [*range(1, len(numbers) + 1)]
    assert len({message["conversation_id"] for message in messages}) == 1
    assert (await only_row(engine.database, usage_counters, of=shop))["tickets_used"] == 2


async def test_config_writes_nothing(front: LiveEngine, shop: Shop) -> None:
    page = await page_of(front, shop)
    counts = await row_counts(front.database, of=shop)

    told = (await page.config()).json()

    assert told.keys() == {
        "display_name", "color", "on_color", "logo_url", "ask_rating", "disclosure", "session_id",
    }  # fmt: skip
    assert told["ask_rating"] is False
    assert told["disclosure"] == DEFAULT_DISCLOSURE
    assert (told["display_name"], told["logo_url"]) == ("Boutique", None)
    assert told["session_id"] != await page.fresh_token()
    assert await row_counts(front.database, of=shop) == counts


async def test_a_session_goes_on_with_its_token_alone(page: WidgetPage) -> None:
    """Another client's token, a modified one or an expired one starts a new session, without an
    error."""
    http = page.engine
    fresh = await page.fresh_token()
    assert (await page.say(session_id=fresh))["session_id"] == fresh
    assert (await page.say())["session_id"] != fresh

    other = await page_of(http, await open_shop(http.database, event_type="shopify.*"))
    theirs = (await other.say())["session_id"]
    long_ago = page.token("01ARZ3NDEKTSV4RRFFQ69G5FAV")
    for token in (
        theirs,
        theirs.partition(".")[0],
        fresh.partition(".")[0] + "." + theirs.partition(".")[2],
        fresh[:-1],
        fresh.lower(),
        f" {fresh}",
        long_ago,
        "x" * 200,
        "",
    ):
        told = await page.say(session_id=token)
        assert told["session_id"] not in (token, fresh, theirs)
        page.session(told["session_id"])
    assert len(await rows(http.database, widget_sessions, of=other.shop)) == 1

    shop, ago = page.shop, SESSION_LASTS - timedelta(minutes=1)
    async with http.database.tenant(shop.tenant) as connection:
        sessions = WidgetSessionRepository(connection, shop.tenant)
        await sessions.open(page.session(long_ago), "fr", utc_now() - ago)
    assert (await page.say(session_id=long_ago))["session_id"] == long_ago
    async with http.database.service() as connection:
        await connection.execute(
            sa.update(widget_sessions)
            .where(widget_sessions.c.id == page.session(long_ago))
            .where(widget_sessions.c.client_id == shop.client_id)
            .values(used_at=utc_now() - SESSION_LASTS)
        )
    assert (await page.say(session_id=long_ago))["session_id"] != long_ago


async def test_no_playbook(page: WidgetPage) -> None:
    told = await page.say()

    assert (told["status"], told["response"], told["event_id"]) == ("no_playbook", "", None)


async def test_the_merchants_signature(page: WidgetPage) -> None:
    """It verifies the session. Without it, or with another user's, the session is not continued:
    the computer has another user."""
    secret = await with_secret(page)
    guest = (await page.say())["session_id"]

    camille = (await page.say(session_id=guest, **signed(secret, EMAIL)))["session_id"]
    assert (camille != guest, page.session(camille)) == (True, page.session(guest))
    row = await only_row(page.engine.database, widget_sessions, id=page.session(camille))
    assert (row["verified_email"], row["verified_by"]) == (SPELT, "signature")
    for spelt in (EMAIL, SPELT):
        same = await page.say(session_id=camille, **signed(secret, spelt))
        assert same["session_id"] == camille

    unsigned = (await page.say(session_id=camille, customer_email=EMAIL))["session_id"]
    lea = (await page.say(session_id=camille, **signed(secret, "lea@b.example")))["session_id"]
    assert len({camille, unsigned, lea}) == 3
    sessions = await rows(page.engine.database, widget_sessions, of=page.shop)
    emails = {row["id"]: row["verified_email"] for row in sessions}
    assert emails == {
        page.session(camille): SPELT,
        page.session(unsigned): None,
        page.session(lea): "lea@b.example",
    }


async def test_a_session_that_a_code_verified(page: WidgetPage) -> None:
    """It continues with its token, and with a signature of the same address."""
    secret = await with_secret(page)
    token = (await page.say())["session_id"]
    database, shop = page.engine.database, page.shop
    async with database.tenant(shop.tenant) as connection:
        await WidgetSessionRepository(connection, shop.tenant).verify(
            page.session(token), SPELT, VerifiedBy.CODE, utc_now()
        )
    before, token = token, page.token(page.session(token), SPELT)

    assert (await page.say(session_id=token, customer_email="x@b.example"))["session_id"] == token
    assert (await page.say(session_id=before, **signed(secret, EMAIL)))["session_id"] == token
    assert (await page.say(session_id=token, **signed(secret, "x@b.example")))[
        "session_id"
    ] != token
    events = await rows(database, engine_events, of=shop)
    mine = [event for event in events if event["customer_email"] == SPELT]
    assert [event["payload"] for event in mine] == [
        {"session_id": page.session(token), "customer_verified": True}
    ] * 2


async def test_wrong_signatures(page: WidgetPage) -> None:
    """Another client's signature, truncated, with an expired secret, or without a secret."""
    database = page.engine.database
    right = signed("wsec_" + "0" * 64, EMAIL)
    refused = await page.ask(**right)
    assert (refused.status_code, refused.json()["code"]) == (401, "invalid_user_signature")
    assert "user_signature" in refused.json()["error"]

    old = await with_secret(page)
    new = await with_secret(page, overlap=timedelta(hours=1))
    for secret in (old, new):
        assert (await page.ask(**signed(secret, EMAIL))).status_code == 200
    other = await page_of(page.engine, await open_shop(database))
    foreign = await with_secret(other)
    good = signed(new, EMAIL)["user_signature"]
    for signature in (
        signed(foreign, EMAIL)["user_signature"],
        signed(new, f"{EMAIL}x")["user_signature"],
        good[:-1],
        good + "0",
        "",
        "é" * 64,
    ):
        answer = await page.ask(customer_email=EMAIL, user_signature=signature)
        assert answer.status_code == 401, signature
    # Another user of a shop that compares the exact text.
    alike = await page.ask(**signed(new, EMAIL.replace("F", "\uff26")))
    assert alike.json()["code"] == "invalid_user_signature"
    nobodys = await page.ask(user_signature=good)
    assert (nobodys.status_code, nobodys.json()["code"]) == (400, "invalid_body")

    async with database.service() as connection:
        await connection.execute(
            sa.update(widgets)
            .where(widgets.c.client_id == page.shop.client_id)
            .values(previous_secret_until=utc_now())
        )
    assert (await page.ask(**signed(old, EMAIL))).status_code == 401
    assert (await page.ask(**signed(new, EMAIL))).status_code == 200


async def test_a_typed_address_is_only_noted(page: WidgetPage) -> None:
    """It does not use a customer's limit: after ten such messages, the real customer is still
    answered."""
    for _ in range(11):
        await page.say(customer_email=EMAIL)

    events = await rows(page.engine.database, engine_events, of=page.shop)
    assert {event["customer_email"] for event in events} == {None}
    assert {event["payload"]["stated_email"] for event in events} == {SPELT}
    messages = await rows(page.engine.database, engine_messages, of=page.shop)
    assert {message["customer_key"] for message in messages} == {None}
    gateway = await page.engine.post(page.shop, customer_email=EMAIL, message="x")
    assert gateway.status_code == 200


async def test_an_order_question_that_waits_for_a_proof(page: WidgetPage) -> None:
    """It is not stored or counted, and the session's token can be used to verify the address."""
    secret = await with_secret(page)
    token = await page.fresh_token()
    counts = await row_counts(page.engine.database, of=page.shop)
    about_order: dict[str, Any] = {
        "message": ORDER_QUESTION,
        "verify_first": True,
        "session_id": token,
    }

    told = await page.say(**about_order, customer_email=EMAIL)
    assert told == {
        "session_id": token,
        "response": "",
        "status": "verification_required",
        "event_id": None,
        "acknowledgement": None,
    }
    assert await row_counts(page.engine.database, of=page.shop) == counts
    for more in ({"verify_first": False}, {"message": "Où est mon colis"}, signed(secret, EMAIL)):
        told = await page.say(**{**about_order, **more})
        expected = "verification_required" if "message" in more else "no_playbook"
        assert told["status"] == expected, more


async def test_an_idempotency_key_is_the_sessions_own(engine: LiveEngine, shop: Shop) -> None:
    """The same key in another session, or without one, does not return this session's messages."""
    page = await page_of(engine, shop)
    token = await page.fresh_token()
    mine = {"message": ORDER_QUESTION, "idempotency_key": "k"}

    first = await page.say(**mine, session_id=token)
    assert await page.say(**mine, session_id=token) == first
    other_body = await page.ask("autre", session_id=token, idempotency_key="k")
    assert (other_body.status_code, other_body.json()["code"]) == (422, "idempotency_key_reused")

    others = [await page.say(**mine), await page.say(**mine)]
    others.append(await page.say(**mine, session_id=others[0]["session_id"].lower()))
    gateway = await engine.http.post(
        "/api/engine/gateway",
        json={"client_id": shop.client_id, "message": ORDER_QUESTION},
        headers={**shop.headers, "idempotency-key": "k"},
    )
    assert gateway.status_code == 200
    found = [first, *others]
    assert len({one["event_id"] for one in found} | {gateway.json()["event_id"]}) == 5
    assert len({one["session_id"] for one in found}) == 4


async def test_many_at_once_with_one_key_are_one_message(page: WidgetPage) -> None:
    token = await page.fresh_token()

    asked = (page.ask(session_id=token, idempotency_key="k") for _ in range(8))
    answers = await asyncio.gather(*asked)

    assert {answer.status_code for answer in answers} == {200}
    assert len(await rows(page.engine.database, engine_messages, of=page.shop)) == 1
