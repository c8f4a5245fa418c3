"""POST /api/engine/gateway, success: the response and the stored records."""

import pytest

from domain.agent.brain import SETTLED_BY
from domain.core.ids import parse_ulid
from domain.reviews.escalation import EscalationStatus
from domain.tenants.disclosure import DEFAULT_DISCLOSURE
from store.intake.tables import engine_events
from store.reviews.tables import escalation_tickets
from store.runs.tables import (
    action_ledger,
    ai_conversations,
    engine_messages,
    engine_runs,
    sentiment_logs,
)
from tests.support.core.engine import ENGINE_SECRET, GATEWAY, LiveEngine
from tests.support.core.mail_parts import plain_text
from tests.support.core.rows import only_row, row_counts, rows
from tests.support.dashboard.visitors import at_pages
from tests.support.servers.mail import MailServer
from tests.support.tenants.shop import ORDER_QUESTION, UNSURE_MESSAGE, Shop, open_shop, with_sender

FIELDS = {
    "event_id", "run_id", "status", "classification", "confidence", "response", "steps_executed",
    "duration_ms",
}  # fmt: skip


async def test_completed_run_is_answered_and_kept(engine: LiveEngine, shop: Shop) -> None:
    answer = await engine.post(
        shop,
        event_type="shopify.ticket.created",
        source="  Shopify ÉTÉ ",
        customer_email="Camille@Example.com",
        message=ORDER_QUESTION,
        order_number=1042,
        tags=["vip", {"nested": None}],
    )

    assert answer.status_code == 200
    body = answer.json()
    assert set(body) == FIELDS
    assert body["status"] == "completed"
    assert body["classification"] == "order_status"
    assert 0.7 <= body["confidence"] <= 1
    assert body["response"] == "Bonjour, votre commande 1042 est en route."
    assert body["steps_executed"] == 1
    assert isinstance(body["duration_ms"], int)
    assert parse_ulid(body["event_id"]) == body["event_id"]

    event = await only_row(engine.database, engine_events, id=body["event_id"])
    assert event["source"] == "  Shopify ÉTÉ "
    assert event["payload"] == {"order_number": 1042, "tags": ["vip", {"nested": None}]}
    assert event["outcome"] == "run"
    run = await only_row(engine.database, engine_runs, id=body["run_id"])
    assert (run["status"], run["event_id"]) == ("completed", body["event_id"])
    assert (run["playbook_id"], run["playbook_version"]) == (shop.playbook_id, 1)
    assert run["response"] == body["response"]
    assert run["duration_ms"] == body["duration_ms"] > 0
    assert set(run["timings"]) == {"normalize", "lookup", "brain", "execute"}
    assert all((spent > 0) is (step != "lookup") for step, spent in run["timings"].items())
    assert run["citations"][0]["kind"] == "template"
    messages = await rows(engine.database, engine_messages, event_id=body["event_id"])
    assert {(m["direction"], m["author"], m["body"]) for m in messages} == {
        ("inbound", "customer", ORDER_QUESTION),
        ("outbound", "agent", body["response"]),
    }
    conversation = await only_row(engine.database, ai_conversations, of=shop)
    assert conversation["key"] == "email:camille@example.com"
    assert [turn["author"] for turn in conversation["turns"]] == ["customer", "agent"]
    ledger = await only_row(engine.database, action_ledger, run_id=body["run_id"])
    assert (ledger["action"], ledger["state"]) == ("reply", "done")


async def test_conversation_remembers_both_messages(engine: LiveEngine, shop: Shop) -> None:
    for _ in range(2):
        await engine.post(shop, customer_email="a@b.example", message=ORDER_QUESTION)

    conversation = await only_row(engine.database, ai_conversations, of=shop)
    assert [turn["author"] for turn in conversation["turns"]] == ["customer", "agent"] * 2


async def test_unsure_run_needs_review(engine: LiveEngine, shop: Shop) -> None:
    answer = await engine.post(shop, message=UNSURE_MESSAGE)

    body = answer.json()
    assert (answer.status_code, body["status"]) == (200, "needs_review")
    assert body["response"] == ""
    assert body["steps_executed"] == 0
    assert body["confidence"] < 0.7
    escalation = await only_row(engine.database, escalation_tickets, run_id=body["run_id"])
    assert escalation["status"] == EscalationStatus.PENDING
    outbound = await rows(engine.database, engine_messages, of=shop, direction="outbound")
    assert outbound == []


@pytest.mark.parametrize(
    ("sent", "stored"),
    [
        ({"event_type": "a.b.c", "source": "email"}, "a.b.c"),
        ({"source": "widget"}, "widget"),
        ({}, "api_direct"),
        ({"event_type": None, "source": None}, "api_direct"),
    ],
)
async def test_event_type_falls_back(
    engine: LiveEngine, shop: Shop, sent: dict[str, str | None], stored: str
) -> None:
    body = (await engine.post(shop, message=ORDER_QUESTION, **sent)).json()

    event = await only_row(engine.database, engine_events, id=body["event_id"])
    assert event["event_type"] == stored
    assert event["source"] == sent.get("source")


async def test_no_playbook_stores_the_event_and_its_message_alone(engine: LiveEngine) -> None:
    shop = await open_shop(engine.database, event_type="email.*")

    answer = await engine.post(shop, event_type="shopify.ticket.created", message="x")

    assert answer.status_code == 200
    body = answer.json()
    assert set(body) == {"status", "message"}
    assert body["status"] == "no_playbook"
    assert "shopify.ticket.created" in body["message"]
    event = await only_row(engine.database, engine_events, of=shop)
    assert event["outcome"] == "no_playbook"
    counts = await row_counts(engine.database, of=shop)
    assert counts["engine_messages"] == 1, "it counts against the limits of messages"
    assert counts["engine_runs"] == counts["usage_ledger"] == counts["usage_counters"] == 0


async def test_mail_is_answered_by_mail(engine: LiveEngine, shop: Shop, mail: MailServer) -> None:
    await with_sender(engine.database, shop)
    body = (
        await engine.post(
            shop,
            event_type="email.inbound",
            source="email",
            subject="Ma commande",
            message_id="<first@example.com>",
            **{"from": "Léa Petit <lea@example.com>"},
            html_body=f"<p>{ORDER_QUESTION}</p><blockquote type=cite>ancien message</blockquote>",
        )
    ).json()

    assert (body["status"], body["steps_executed"]) == ("completed", 1)
    (sent,) = mail.mails
    assert sent["To"] == "lea@example.com"
    assert sent["Subject"] == "Re: Votre message", "nothing proves whose the mail's subject is"
    assert sent["In-Reply-To"] == "<first@example.com>"
    assert sent["Auto-Submitted"] == "auto-replied"
    # The email contains the AI disclosure. The response contains only the answer.
    said = plain_text(sent).strip().splitlines()
    assert said == [*body["response"].splitlines(), "", DEFAULT_DISCLOSURE["fr"]]
    assert DEFAULT_DISCLOSURE["fr"] not in body["response"]
    event = await only_row(engine.database, engine_events, of=shop)
    assert event["text"] == ORDER_QUESTION


async def test_refused_mail_fails_the_run(engine: LiveEngine, shop: Shop, mail: MailServer) -> None:
    await with_sender(engine.database, shop)
    mail.recipient_reply = "550 no such user"

    answer = await engine.post(
        shop, event_type="email.inbound", customer_email="x@example.com", message=ORDER_QUESTION
    )

    body = answer.json()
    assert (answer.status_code, body["status"], body["steps_executed"]) == (200, "failed", 1)
    run = await only_row(engine.database, engine_runs, of=shop)
    assert run["steps"][0] == {
        "kind": "reply_by_email", "state": "failed", "detail": "mail_refused", "begun": True,
    }  # fmt: skip


async def test_a_client_without_a_sender_mails_no_stranger(
    engine: LiveEngine, shop: Shop, mail: MailServer
) -> None:
    answer = await engine.post(
        shop, event_type="email.inbound", customer_email="x@example.com", message=ORDER_QUESTION
    )

    assert "1042" in answer.json()["response"]
    run = await only_row(engine.database, engine_runs, of=shop)
    assert run["steps"][0]["detail"] == "mail_recipient_unproved"
    assert mail.mails == []


async def test_mail_of_unknown_fate_waits_for_a_human(
    engine: LiveEngine, shop: Shop, mail: MailServer
) -> None:
    """The email was transmitted but not acknowledged: it is not sent again automatically."""
    await with_sender(engine.database, shop)
    mail.reply = None

    body = (
        await engine.post(
            shop, event_type="email.inbound", customer_email="x@b.example", message=ORDER_QUESTION
        )
    ).json()

    assert (body["status"], body["response"]) == ("needs_review", "")
    assert len(mail.mails) == 1
    escalation = await only_row(engine.database, escalation_tickets, of=shop)
    assert escalation["reason"] == "tool_failure"
    ledger = await only_row(engine.database, action_ledger, of=shop)
    assert ledger["state"] == "unknown"


async def test_automatic_mail_is_never_answered(
    engine: LiveEngine, shop: Shop, mail: MailServer
) -> None:
    body = (
        await engine.post(
            shop,
            event_type="email.inbound",
            customer_email="list@example.com",
            message=ORDER_QUESTION,
            headers={"Auto-Submitted": "auto-replied"},
        )
    ).json()

    assert body["steps_executed"] == 0
    assert mail.mails == []
    assert await rows(engine.database, engine_messages, of=shop, direction="outbound") == []


@pytest.mark.parametrize("message", ["", " \n\t"])
async def test_a_blank_message_waits_without_a_draft(
    engine: LiveEngine, shop: Shop, message: str
) -> None:
    body = (await engine.post(shop, customer_email="a@b.example", message=message)).json()

    assert (body["status"], body["response"], body["steps_executed"]) == ("needs_review", "", 0)
    assert (body["classification"], body["confidence"]) == ("other", 0)
    review = await only_row(engine.database, escalation_tickets, of=shop)
    assert (review["reason"], review["draft"]) == ("unsupported_request", "")
    run = await only_row(engine.database, engine_runs, of=shop)
    assert run["model"] == SETTLED_BY
    async with at_pages(engine, shop) as owner:
        page = await owner.see(f"/app/reviews/{review['id']}")
        assert "This message has no text." in page


@pytest.mark.parametrize(
    "sent",
    [
        {"event_type": "email.inbound", "headers": {"Auto-Submitted": "auto-replied"}},
        {"message": ""},
    ],
)
async def test_what_nobody_wrote_has_no_mood(
    engine: LiveEngine, shop: Shop, sent: dict[str, object]
) -> None:
    angry = {"customer_email": "a@b.example", "message": "Scam! I am furious, awful service!"}
    await engine.post(shop, **{**angry, **sent})
    assert await rows(engine.database, sentiment_logs, of=shop) == []

    await engine.post(shop, **{**angry, "customer_email": "c@d.example"})
    assert len(await rows(engine.database, sentiment_logs, of=shop)) == 1


@pytest.mark.parametrize("header", ["x-engine-secret", "x-internal-secret"])
async def test_engine_secret_acts_for_any_client(
    engine: LiveEngine, shop: Shop, header: str
) -> None:
    answer = await engine.http.post(
        GATEWAY,
        json={"client_id": shop.client_id.lower(), "message": ORDER_QUESTION},
        headers={header: ENGINE_SECRET},
    )

    assert answer.status_code == 200
    assert answer.json()["status"] == "completed"


async def test_threshold_equal_passes(engine: LiveEngine) -> None:
    sure = await open_shop(engine.database, threshold=0)
    asked = (await engine.post(sure, message=ORDER_QUESTION)).json()["confidence"]
    exact = await open_shop(engine.database, threshold=asked)

    assert (await engine.post(exact, message=ORDER_QUESTION)).json()["status"] == "completed"


async def test_zero_threshold_lets_the_agent_send_any_draft(engine: LiveEngine) -> None:
    """Nothing is sent if there is no draft: no threshold permits an empty answer."""
    shop = await open_shop(engine.database, threshold=0)
    words = "Où est ma commande 1042 ? Le chat a mangé le bon de livraison."

    unsure = (await engine.post(shop, message=words)).json()
    unanswered = (await engine.post(shop, message="Avez-vous des licornes ?")).json()

    assert unsure["status"] == "completed"
    assert unsure["response"]
    assert unsure["confidence"] <= 0.5
    assert (unanswered["status"], unanswered["response"]) == ("needs_review", "")


async def test_a_helpdesks_message_may_be_an_object(engine: LiveEngine, shop: Shop) -> None:
    """A Gorgias webhook, as in its documentation."""
    answer = await engine.post(
        shop,
        event_type="gorgias.ticket-message-created",
        ticket={
            "id": 12, "channel": "email", "status": "open", "subject": "Livraison",
            "customer": {"id": 7, "email": "gil@x.example", "name": "Gil"},
        },
        message={
            "id": 5, "channel": "email", "via": "email", "public": True, "from_agent": False,
            "sender": {"id": 7, "email": "gil@x.example", "name": "Gil"},
            "source": {"type": "email", "from": {"address": "gil@x.example"}, "to": []},
            "body_text": ORDER_QUESTION, "body_html": f"<p>{ORDER_QUESTION}</p>",
            "stripped_text": ORDER_QUESTION, "attachments": [],
        },
    )  # fmt: skip

    assert answer.status_code == 200
    assert answer.json()["classification"] == "order_status"
    event = await only_row(engine.database, engine_events, id=answer.json()["event_id"])
    assert (event["message"], event["payload"]["message"]["id"]) == (None, 5)
    assert event["unified"]["ticket_id"] == "12"
