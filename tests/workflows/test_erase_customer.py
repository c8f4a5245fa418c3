"""Erasure of a customer: none of their text remains, and no other records change."""

import asyncio
from collections.abc import AsyncIterator
from pathlib import Path

import pytest
import sqlalchemy as sa

from adapters.system import new_ulid, utc_now
from domain.agent.brain import BrainAnswer, BrainRequest, Category, Citation, Proposal
from domain.agent.plan import ActionKind
from domain.core.attached_file import AttachedFile
from domain.core.names import process_event_id
from domain.reviews.errors import EscalationDecided
from domain.reviews.escalation import Decision
from services.reviews.notes import add_note
from store.analytics.tables import churn_predictions
from store.billing.tables import usage_ledger
from store.exports.tables import automation_events
from store.intake.tables import engine_events
from store.reviews.tables import escalation_tickets
from store.runs.tables import action_ledger, ai_conversations, engine_messages, engine_runs
from tests.support.agent.acting import WISH, Acting, acting_shop, order, rules, think_by
from tests.support.core.engine import LiveEngine, live_engine
from tests.support.core.rows import only_row, rows
from tests.support.core.temporal import TemporalServer
from tests.support.core.units import units_on
from tests.support.core.waiting import eventually
from tests.support.intake.attachments import keep_attachments, png
from tests.support.privacy.erasing import (
    erase,
    histories_with,
    rows_of_all_tables,
    tables_with,
    workflow_ids,
)
from tests.support.reviews.replies import ANNA, conversation_of, write_all, write_and_send
from tests.support.servers.mail import MailServer
from tests.support.tenants.shop import Shop, open_shop
from tests.support.webhooks.webhooks import subscribe

pytestmark = pytest.mark.own_database

# Nothing else in the database contains these words.
ADDRESS, SPELT_ELSE, OTHER = "zita@canari.example", "Zita@Canari.EXAMPLE", "bob@example.com"
CANARY = "canari"
# Work before a request does not affect it.
WORDS = f"canarione canaritwo. {WISH}"


class Brain:
    """Confident about refund requests only. It waits while it is held."""

    def __init__(self) -> None:
        self.free = asyncio.Event()
        self.free.set()
        self.thinking = asyncio.Event()

    async def think(self, request: BrainRequest) -> BrainAnswer:
        self.thinking.set()
        await self.free.wait()
        wish = WISH in request.text
        found = request.order
        return BrainAnswer(
            classification=Category.REFUND_REQUEST,
            confidence=0.99 if wish else 0.1,
            language="fr",
            response="C'est fait, canarireply." if wish else f"Vous dites : {request.text}",
            citations=(Citation(kind="order", id=found.id, title="canarititle"),) if found else (),
            proposals=(Proposal(kind=ActionKind.REFUND),) if wish else (),
            sentiment=0 if wish else -0.9,
            model="scripted",
        )


@pytest.fixture
def brain() -> Brain:
    return Brain()


@pytest.fixture
async def idle_engine(
    database_url: str, temporal: TemporalServer, mail: MailServer
) -> AsyncIterator[LiveEngine]:
    """The engine without a worker, allowed to act on this machine."""
    async with live_engine(
        database_url,
        temporal.address,
        temporal.take_namespace(),
        smtp_url=mail.url,
        allow_loopback_targets=True,
    ) as engine:
        yield engine


@pytest.fixture
async def acting(idle_engine: LiveEngine, brain: Brain, tmp_path: Path) -> AsyncIterator[Acting]:
    orders = [order("2001", email=ADDRESS), order("3001", email=OTHER)]
    acting = await acting_shop(idle_engine, tmp_path, orders, rules())
    await subscribe(idle_engine.database, acting.shop)
    think_by(idle_engine, brain)
    async with idle_engine.working():
        yield acting


async def _ask(engine: LiveEngine, shop: Shop, **body: object) -> str:
    answer = await engine.post(shop, **body)
    assert answer.status_code in {200, 422}, answer.text
    return str(answer.json()["event_id"])


async def _write_everywhere(engine: LiveEngine, shop: Shop) -> list[str]:
    """Create the customer's tickets through all channels; return the ids of their events."""
    session: dict[str, object] = {"session_id": "s-1", "customer_verified": False}
    return [
        await _ask(engine, shop, customer_email=ADDRESS, message=WORDS),
        await _ask(engine, shop, customer_email=SPELT_ELSE, message="canarithree, et puis ?"),
        await _ask(
            engine, shop, event_type="email.inbound", customer_email=ADDRESS,
            message="canarisix ?",
            **{"subject": "canarifour", "from": f"Zita Canarifive <{ADDRESS}>"},
        ),
        await _ask(
            engine, shop, event_type="zendesk.ticket",
            ticket={"id": 7, "requester": {"email": ADDRESS, "name": "Canariseven"}},
            comment="canarieight",
        ),
        # The location of its addresses is unknown.
        await _ask(
            engine, shop, event_type="x", message="un peignoir ?", who={"mail": [SPELT_ELSE]}
        ),
        # A visitor who provides the address only later.
        await _ask(
            engine, shop, event_type="widget.message", message="canarinine ?", **session
        ),
        await _ask(
            engine, shop, event_type="widget.message", message="canariten ?",
            customer_email=ADDRESS, **session,
        ),
    ]  # fmt: skip


async def _plant_the_rest(engine: LiveEngine, shop: Shop) -> None:
    now, mine = utc_now(), {"client_id": shop.client_id}
    churn = {"week": now.date(), "score": 0.5, "level": "low", "created_at": now}
    async with engine.database.service() as connection:
        for address in (SPELT_ELSE, OTHER):
            for table, values in (
                (churn_predictions, {"customer_email": address, **churn}),
                (automation_events, {"event_type": "x", "customer_email": address}),
                (automation_events, {"event_type": "x", "payload": {"customer_email": address}}),
                (engine_events, {"event_type": "y", "payload": {"email": address}}),
            ):
                given = {**mine, "id": new_ulid(), **values}
                if table is automation_events:
                    given["created_at"] = now
                if table is engine_events:
                    given |= {"outcome": "no_playbook", "received_at": now}
                await connection.execute(sa.insert(table).values(given))


async def test_nowhere_is_a_word_of_the_erased(
    idle_engine: LiveEngine, acting: Acting, mail: MailServer, database_url: str
) -> None:
    engine, shop = idle_engine, acting.shop
    bystander = await open_shop(engine.database)
    await _ask(engine, shop, customer_email=OTHER, message="Je voudrais un peignoir")
    await _ask(engine, bystander, customer_email=OTHER, message="Je voudrais un peignoir")
    before = rows_of_all_tables(database_url)
    theirs = await _write_everywhere(engine, shop)
    parked = [row["id"] for row in await rows(engine.database, escalation_tickets)
              if row["status"] == "pending"]  # fmt: skip
    await _plant_the_rest(engine, shop)
    photo = AttachedFile(f"{CANARY}.png", "image/png", png() + CANARY.encode())
    await keep_attachments(engine.database, shop.tenant, min(theirs), photo)
    talk = await conversation_of(engine.database, theirs[0])
    await write_and_send(engine, shop, talk, f"Bonjour {CANARY}")
    async with engine.database.tenant(shop.tenant) as connection:
        await write_all(connection, shop.tenant, talk, f"Encore {CANARY}")
    assert tables_with(database_url, CANARY).keys() >= {
        "engine_events", "engine_messages", "engine_runs", "escalation_tickets", "action_ledger",
        "ai_conversations", "churn_predictions", "automation_events", "outbox",
        "webhook_deliveries", "customer_memories", "attachments", "attachment_chunks",
        "conversation_replies", "conversation_notes", "customers", "customer_words",
    }  # fmt: skip
    runs_before = await rows(engine.database, engine_runs)
    mailed = len(mail.mails)

    certificate = await erase(engine, shop, SPELT_ELSE)

    assert tables_with(database_url, CANARY) == {}
    assert await histories_with(engine, shop.client_id)  # otherwise nothing was examined
    assert await histories_with(engine, CANARY) == set()
    for event_id in theirs:
        assert process_event_id(shop.client_id, event_id) not in await workflow_ids(engine)
    # Counters are unchanged.
    assert len(await rows(engine.database, usage_ledger, client_id=shop.client_id)) == 8
    runs = {run["id"]: run for run in await rows(engine.database, engine_runs)}
    for run in runs_before:
        for kept in ("status", "classification", "duration_ms", "received_at", "cost_micros"):
            assert runs[run["id"]][kept] == run[kept]
    (refund,) = await rows(engine.database, action_ledger, action="refund")
    assert (refund["amount"], refund["state"]) == (4_900, "done")
    assert refund["order_key"]
    # No later message is sent to the erased customer.
    for review_id in parked:
        review = await only_row(engine.database, escalation_tickets, id=review_id)
        if review["status"] == "expired":
            with pytest.raises(EscalationDecided):
                await engine.decide(review_id, Decision.APPROVE)
    assert len(mail.mails) == mailed
    # No other customer's row has changed; rows about the whole client are not the customer's.
    shared = {"usage_counters", "brain_costs", "model_spending", "thresholds_sent", "rate_windows"}
    after = rows_of_all_tables(database_url)
    assert {row for row in before - after if row[0] not in shared} == set()
    assert certificate.finished_at is not None
    assert certificate.removed["engine_events, emptied"] == 8
    assert certificate.removed["churn_predictions"] == 1
    assert certificate.removed["customers"] == 1
    assert (certificate.removed["attachments"], certificate.removed["attachment_chunks"]) == (1, 1)
    assert certificate.removed["automation_events"] == 2
    assert certificate.removed["conversation_replies"] == 3
    assert certificate.removed["conversation_notes"] == 1

    again = await erase(engine, shop, ADDRESS)

    assert (again.removed, again.total) == ({}, 0)
    assert again.id != certificate.id


async def test_a_conversation_of_two_keeps_what_is_the_others(
    idle_engine: LiveEngine, acting: Acting, database_url: str
) -> None:
    engine, shop = idle_engine, acting.shop
    for address, words in ((ADDRESS, "canarione ?"), (OTHER, "un peignoir ?")):
        await _ask(
            engine, shop, event_type="widget.message", customer_email=address, message=words,
            session_id="s-1", customer_verified=False,
        )  # fmt: skip
    talk = (await only_row(engine.database, ai_conversations))["id"]
    async with units_on(engine.database).of(shop.tenant) as work:
        await add_note(work, ANNA, talk, f"{CANARY} a rappelé")

    await erase(engine, shop, ADDRESS)

    assert tables_with(database_url, CANARY) == {}
    conversation = await only_row(engine.database, ai_conversations)
    assert [turn["body"] for turn in conversation["turns"]] == ["un peignoir ?"]
    assert len(await rows(engine.database, engine_messages)) == 1


async def test_what_a_step_writes_while_it_runs_is_removed_too(
    idle_engine: LiveEngine, acting: Acting, brain: Brain, mail: MailServer, database_url: str
) -> None:
    engine, shop = idle_engine, acting.shop
    brain.free.clear()
    asking = asyncio.create_task(
        engine.post(shop, event_type="email.inbound", customer_email=ADDRESS, message=WORDS)
    )
    await brain.thinking.wait()
    erasing = asyncio.create_task(erase(engine, shop, ADDRESS, settle_s=5))

    async def emptied() -> bool:
        (event,) = await rows(engine.database, engine_events)
        return event["message"] is None

    await eventually(emptied)
    brain.free.set()
    certificate = await erasing

    assert tables_with(database_url, CANARY) == {}
    assert mail.mails == []
    run = await only_row(engine.database, engine_runs)
    assert (run["status"], run["error_code"]) == ("failed", "erased")
    assert certificate.removed["engine_runs, emptied"] == 1
    asking.cancel()


async def test_a_run_that_begins_after_all_ends_at_once(
    idle_engine: LiveEngine, acting: Acting, database_url: str
) -> None:
    """A workflow started for an erased run, for example by a sweep, leaves nothing."""
    engine, shop = idle_engine, acting.shop
    await _ask(engine, shop, customer_email=ADDRESS, message="canarione ?")
    run = await only_row(engine.database, engine_runs)
    await erase(engine, shop, ADDRESS)
    async with engine.database.service() as connection:
        await connection.execute(sa.update(engine_runs).values(status="received"))

    await engine.client.start_workflow(
        "ProcessEvent",
        {"ref": {"client_id": shop.client_id, "event_id": run["event_id"], "run_id": run["id"]},
         "threshold": 0.7},
        id="again",
        task_queue="engine",
    )  # fmt: skip
    with pytest.raises(Exception, match="failed"):
        await engine.client.get_workflow_handle("again").result()

    assert await rows(engine.database, ai_conversations) == []
