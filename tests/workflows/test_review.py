"""A run in review, and the reviewer's decision."""

import asyncio
from typing import Any

import pytest
import sqlalchemy as sa

from domain.core.names import REVIEW_DECIDED_SIGNAL
from domain.reviews.contracts import ReviewDecided
from domain.reviews.errors import DraftMissing, EscalationDecided, EscalationNotFound
from domain.reviews.escalation import Decision
from domain.runs.contracts import RunFacts
from store.reviews.tables import escalation_tickets
from store.runs.tables import action_ledger, engine_messages, engine_runs
from tests.support.core.engine import LiveEngine, database_away, live_engine
from tests.support.core.mail_parts import plain_text
from tests.support.core.rows import only_row, rows
from tests.support.core.temporal import TemporalServer
from tests.support.core.waiting import eventually
from tests.support.servers.mail import MailServer
from tests.support.tenants.shop import ORDER_QUESTION, Shop, open_shop

LOST_WORDS = "Où est ma commande 1042 ? Le chat a mangé le bon de livraison."


async def _parked(engine: LiveEngine, shop: Shop, **more: object) -> tuple[str, str]:
    """Return (event_id, escalation_id) of a run that is held for review."""
    body = (await engine.post(shop, message=LOST_WORDS, **more)).json()
    assert body["status"] == "needs_review"
    escalation = await only_row(engine.database, escalation_tickets, run_id=body["run_id"])
    return body["event_id"], escalation["id"]


async def _outcome(engine: LiveEngine, shop: Shop, event_id: str) -> RunFacts:
    return RunFacts.model_validate(await engine.run_of(shop, event_id).result())


async def test_approve_sends_the_draft(engine: LiveEngine, shop: Shop) -> None:
    event_id, escalation_id = await _parked(engine, shop, customer_email="a@b.example")
    draft = (await only_row(engine.database, escalation_tickets, of=shop))["draft"]

    await engine.decide(escalation_id, Decision.APPROVE)
    facts = await _outcome(engine, shop, event_id)

    assert (facts.status, facts.steps_executed) == ("completed", 1)
    run = await only_row(engine.database, engine_runs, of=shop)
    assert (run["status"], run["response"]) == ("completed", draft)
    reply = await only_row(engine.database, engine_messages, of=shop, direction="outbound")
    assert (reply["body"], reply["author"]) == (draft, "agent")
    escalation = await only_row(engine.database, escalation_tickets, of=shop)
    assert (escalation["status"], escalation["decided_by"]) == ("approved", "tester")
    assert escalation["taken_up_at"] is not None


async def test_edit_sends_the_human_words(engine: LiveEngine, shop: Shop, mail: MailServer) -> None:
    event_id, escalation_id = await _parked(
        engine, shop, event_type="email.inbound", customer_email="a@b.example"
    )

    await engine.decide(escalation_id, Decision.EDIT, "Oui, elles existent.")
    await _outcome(engine, shop, event_id)

    assert [plain_text(m).strip() for m in mail.mails] == ["Oui, elles existent."]
    run = await only_row(engine.database, engine_runs, of=shop)
    assert run["response"] == "Oui, elles existent."
    reply = await only_row(engine.database, engine_messages, of=shop, direction="outbound")
    assert (reply["body"], reply["author"]) == ("Oui, elles existent.", "human")


async def test_reject_hands_over(engine: LiveEngine, shop: Shop) -> None:
    event_id, escalation_id = await _parked(engine, shop)

    await engine.decide(escalation_id, Decision.REJECT)
    facts = await _outcome(engine, shop, event_id)

    assert facts.status == "needs_review"
    run = await only_row(engine.database, engine_runs, of=shop)
    assert (run["status"], run["response"]) == ("needs_review", "")
    assert await rows(engine.database, action_ledger, of=shop) == []


async def test_undecided_review_expires(
    database_url: str, temporal: TemporalServer, shop: Shop
) -> None:
    """Durations are data: this one expires after a tenth of a second instead of 72 hours."""
    async with (
        live_engine(
            database_url,
            temporal.address,
            temporal.take_namespace(),
            review_expiry_hours=0.1 / 3600,
        ) as engine,
        engine.working(),
    ):
        event_id, escalation_id = await _parked(engine, shop)
        await _outcome(engine, shop, event_id)

        escalation = await only_row(engine.database, escalation_tickets, of=shop)
        assert (escalation["status"], escalation["decision"]) == ("expired", "expire")
        with pytest.raises(EscalationDecided):
            await engine.decide(escalation_id, Decision.APPROVE)


async def test_of_twenty_deciders_one_wins(engine: LiveEngine, shop: Shop) -> None:
    event_id, escalation_id = await _parked(engine, shop)
    decisions = [Decision.APPROVE, Decision.REJECT] * 10

    outcomes = await asyncio.gather(
        *(engine.decide(escalation_id, decision) for decision in decisions),
        return_exceptions=True,
    )

    assert sum(outcome is None for outcome in outcomes) == 1
    assert sum(isinstance(outcome, EscalationDecided) for outcome in outcomes) == 19
    facts = await _outcome(engine, shop, event_id)
    winner = decisions[outcomes.index(None)]
    assert facts.status == ("completed" if winner is Decision.APPROVE else "needs_review")


async def test_signals_without_a_decision_change_nothing(engine: LiveEngine, shop: Shop) -> None:
    event_id, escalation_id = await _parked(engine, shop)
    handle = engine.run_of(shop, event_id)
    for _ in range(3):
        await handle.signal(REVIEW_DECIDED_SIGNAL, ReviewDecided(escalation_id="forged"))
    await engine.decide(escalation_id, Decision.APPROVE)

    assert (await _outcome(engine, shop, event_id)).status == "completed"
    assert len(await rows(engine.database, action_ledger, of=shop)) == 1


async def test_unknown_escalation(engine: LiveEngine) -> None:
    with pytest.raises(EscalationNotFound):
        await engine.decide("01J00000000000000000000000", Decision.APPROVE)


async def test_nothing_to_approve_needs_human_words(engine: LiveEngine, shop: Shop) -> None:
    body = (await engine.post(shop, message="Je veux parler à un conseiller, svp")).json()
    escalation = await only_row(engine.database, escalation_tickets, run_id=body["run_id"])
    assert (escalation["reason"], escalation["draft"]) == ("customer_request", "")

    with pytest.raises(DraftMissing):
        await engine.decide(escalation["id"], Decision.APPROVE)

    await engine.decide(escalation["id"], Decision.EDIT, "Un conseiller vous appelle.")
    assert (await _outcome(engine, shop, body["event_id"])).status == "completed"


async def test_threshold_zero_does_not_stand_in_for_a_human(engine: LiveEngine) -> None:
    shop = await open_shop(engine.database, threshold=0)

    body = (await engine.post(shop, message="Je veux parler à un conseiller, svp")).json()

    assert body["status"] == "needs_review"


async def test_approval_after_an_unknown_outcome_tries_once_more(
    engine: LiveEngine, shop: Shop, mail: MailServer
) -> None:
    """Only a human decision repeats an action with an unknown outcome."""
    mail.reply = None
    body = (
        await engine.post(
            shop, event_type="email.inbound", customer_email="a@b.example", message=ORDER_QUESTION
        )
    ).json()
    assert body["status"] == "needs_review"
    mail.reply = "250 kept"

    escalation = await only_row(engine.database, escalation_tickets, of=shop)
    await engine.decide(escalation["id"], Decision.APPROVE)

    assert (await _outcome(engine, shop, body["event_id"])).status == "completed"
    ledger = await rows(engine.database, action_ledger, of=shop)
    assert sorted((row["round"], row["state"]) for row in ledger) == [(0, "unknown"), (1, "done")]
    assert len(mail.mails) == 2


async def test_a_mail_repeated_by_a_human_waits_for_a_greylisting_server(
    engine: LiveEngine, shop: Shop, mail: MailServer
) -> None:
    """An email that the server deferred in this round was certainly not sent in it. A human's other
    text is another email: of two with one Message-ID, the customer would see only the first."""
    mail.reply = None
    asked = {"event_type": "email.inbound", "customer_email": "a@b.example"}
    body = (await engine.post(shop, **asked, message=ORDER_QUESTION)).json()
    mail.reply, mail.recipient_reply = "250 kept", "451 later"

    escalation = await only_row(engine.database, escalation_tickets, of=shop)
    await engine.decide(escalation["id"], Decision.EDIT, "Les mots d'un humain.")
    await eventually(lambda: _put_off(mail))
    mail.recipient_reply = "250 ok"

    assert (await _outcome(engine, shop, body["event_id"])).status == "completed"
    first, second = mail.mails
    assert plain_text(second).strip() == "Les mots d'un humain."
    assert first["Message-ID"] != second["Message-ID"]


async def _put_off(mail: MailServer) -> bool:
    return mail.refused > 0


async def test_review_survives_a_change_of_worker(idle_engine: LiveEngine, shop: Shop) -> None:
    async with idle_engine.working():
        event_id, escalation_id = await _parked(idle_engine, shop)
    async with idle_engine.working():
        await idle_engine.decide(escalation_id, Decision.APPROVE)
        assert (await _outcome(idle_engine, shop, event_id)).status == "completed"


async def test_later_rounds_show_what_will_be_sent(
    engine: LiveEngine, shop: Shop, mail: MailServer
) -> None:
    """A human's text from an earlier round remains the draft of the next."""
    event_id, escalation_id = await _parked(
        engine, shop, event_type="email.inbound", customer_email="a@b.example"
    )
    mail.reply = None
    await engine.decide(escalation_id, Decision.EDIT, "Les mots d'un humain.")
    second = await eventually(lambda: _round(engine, shop, 1))
    mail.reply = "250 kept"

    assert second["draft"] == "Les mots d'un humain."
    await engine.decide(second["id"], Decision.APPROVE)
    await _outcome(engine, shop, event_id)
    assert plain_text(mail.mails[-1]).strip() == "Les mots d'un humain."


async def test_review_of_an_erased_client_ends(
    database_url: str, temporal: TemporalServer, shop: Shop
) -> None:
    """Nobody will decide: the run expires instead of waiting forever."""
    async with (
        live_engine(
            database_url, temporal.address, temporal.take_namespace(), review_expiry_hours=1 / 3600
        ) as engine,
        engine.working(),
    ):
        event_id, _ = await _parked(engine, shop)
        async with engine.database.service() as connection:
            await connection.execute(
                sa.delete(escalation_tickets).where(
                    escalation_tickets.c.client_id == shop.client_id
                )
            )

        await _outcome(engine, shop, event_id)

        history = await engine.run_of(shop, event_id).fetch_history()
        assert len(history.events) < 40


async def test_decision_outlives_a_database_outage(
    engine: LiveEngine, shop: Shop, mail: MailServer
) -> None:
    """The worker's database is unavailable at the decision, for longer than local retries last."""
    event_id, escalation_id = await _parked(
        engine, shop, event_type="email.inbound", customer_email="a@b.example"
    )
    with database_away(engine.worker_database) as refused:
        await engine.decide(escalation_id, Decision.EDIT, "Bonjour.")
        await eventually(lambda: refused(12))

    facts = await _outcome(engine, shop, event_id)

    assert facts.status == "completed"
    assert len(mail.mails) == 1


async def _round(engine: LiveEngine, shop: Shop, number: int) -> dict[str, Any] | None:
    found = await rows(engine.database, escalation_tickets, of=shop, round=number)
    return found[0] if found else None
