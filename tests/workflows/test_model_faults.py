"""Runs whose language model fails: no ticket fails or is lost."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from datetime import timedelta
from typing import Any

import pytest
from tenacity import wait_none

from adapters.system import utc_now
from domain.agent.brain import BrainAnswer, BrainRequest
from domain.reviews.escalation import Decision
from domain.runs.contracts import ProcessEventInput
from store.core.database import Database
from store.reviews.tables import escalation_tickets
from store.runs.tables import brain_costs, engine_runs
from tests.support.agent.acting import ScriptedBrain, think_by
from tests.support.agent.llm_brain import ENGLISH, OPENAI, THANKS, said
from tests.support.agent.model_faults import FAULTS
from tests.support.core.engine import LiveEngine, live_engine
from tests.support.core.histories import history_bytes
from tests.support.core.rows import only_row, rows
from tests.support.core.temporal import TemporalServer
from tests.support.core.waiting import eventually
from tests.support.intake.admission import admit_event
from tests.support.servers.llm import KEY, TOKENS_IN, TOKENS_OUT, Fail, LlmServer, llm_server
from tests.support.servers.mail import MailServer
from tests.support.tenants.shop import Shop
from tests.support.webhooks.told import told_events

COST = TOKENS_IN + 10 * TOKENS_OUT


@pytest.fixture(autouse=True)
def _at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("adapters.brain.llm_tries._DOUBLING", wait_none())
    monkeypatch.setattr("domain.agent.model_patience.FIRST_WAIT", timedelta(milliseconds=50))


@asynccontextmanager
async def thinking(
    database_url: str, temporal: TemporalServer, mail: MailServer, *, retry_hours: float = 4
) -> AsyncIterator[tuple[LiveEngine, LlmServer]]:
    """A running engine with a model on a local server."""
    async with (
        llm_server() as server,
        live_engine(
            database_url,
            temporal.address,
            temporal.take_namespace(),
            smtp_url=mail.url,
            brain_model=OPENAI,
            brain_base_url=server.openai_url,
            brain_api_key=KEY,
            brain_price_in=1,
            brain_price_out=10,
            brain_retry_hours_email=retry_hours,
        ) as engine,
        engine.working(),
    ):
        yield engine, server


async def begin_mail(engine: LiveEngine, shop: Shop) -> str:
    """Start the run of an email for which no caller waits. Return the run's id."""
    ref = (
        await admit_event(engine.database, shop, event_type="email.inbound", message=ENGLISH)
    ).ref
    run = ProcessEventInput(ref=ref, threshold=0.7, remote_brain=True, review_expiry_s=72 * 3600)
    assert await engine.engine.start(run)
    return ref.run_id


async def outcome_of(engine: LiveEngine, run_id: str) -> dict[str, Any]:
    async def ended() -> dict[str, Any] | None:
        run = await only_row(engine.database, engine_runs, id=run_id)
        return None if run["status"] == "received" else run

    return await eventually(ended)


async def told(database: Database, shop: Shop) -> list[str]:
    return sorted(one.event for one in await told_events(database, of=shop))


@pytest.mark.parametrize("kind", ["server_error", "unauthorized", "truncated", "no_choices"])
async def test_a_caller_gets_a_review_and_the_fault(
    database_url: str, temporal: TemporalServer, mail: MailServer, shop: Shop, kind: str
) -> None:
    """An email by the gateway too: its caller waits, so the email does not."""
    reply, fault = FAULTS[kind]
    async with thinking(database_url, temporal, mail) as (engine, server):
        server.script = [reply]

        body = (
            await engine.post(
                shop, event_type="email.inbound", customer_email="a@b.example", message=ENGLISH
            )
        ).json()

        assert (body["status"], body["response"]) == ("needs_review", "")
        review = await only_row(engine.database, escalation_tickets, of=shop)
        assert review["reason"] == "model_unavailable"
        events = await told_events(engine.database, of=shop)
        faults = {one.event: one.data.get("model_fault") for one in events}
        assert faults["ticket.escalated"] == faults["ticket.response_failed"] == fault
        assert b"TIMER_STARTED" not in await history_bytes(engine.run_of(shop, body["event_id"]))

        await engine.decide(review["id"], Decision.EDIT, "It arrives tomorrow.")
        await engine.run_of(shop, body["event_id"]).result()

        run = await only_row(engine.database, engine_runs, of=shop)
        cost = COST if kind == "truncated" else 0
        assert (run["status"], run["model_fault"], run["cost_micros"]) == ("completed", fault, cost)
        assert (await only_row(engine.database, brain_costs, of=shop))["cost_micros"] == cost
        assert len(mail.mails) == 1
        assert (await told(engine.database, shop)).count("ticket.resolved") == 1


async def test_a_mail_waits_until_the_model_is_back(
    database_url: str, temporal: TemporalServer, mail: MailServer, shop: Shop
) -> None:
    async with thinking(database_url, temporal, mail) as (engine, server):
        server.script = [*[Fail(500)] * 9, said(response=THANKS, sources=[])]

        run = await outcome_of(engine, await begin_mail(engine, shop))

        assert run["model"] == OPENAI
        assert run["model_fault"] is None
        assert run["cost_micros"] == COST
        assert len(server.asked) == 10  # Four calls, four calls, then two.
        assert "ticket.response_failed" not in await told(engine.database, shop)


async def test_a_mail_gets_a_review_when_its_time_is_up(
    database_url: str, temporal: TemporalServer, mail: MailServer, shop: Shop
) -> None:
    hours = 0.3 / 3600
    async with thinking(database_url, temporal, mail, retry_hours=hours) as (
        engine,
        server,
    ):
        server.script = [Fail(401)]

        run = await outcome_of(engine, await begin_mail(engine, shop))

        assert (run["status"], run["model_fault"]) == ("needs_review", "unauthorized")
        assert len(server.asked) > 1
        (review,) = await rows(engine.database, escalation_tickets, of=shop)
        assert review["reason"] == "model_unavailable"
        left = review["expires_at"] - utc_now()
        assert left > timedelta(hours=71, minutes=59)


class BrokenBrain(ScriptedBrain):
    """A brain with a programming error."""

    async def think(self, request: BrainRequest) -> BrainAnswer:
        raise KeyError(request.text)


@pytest.mark.usefixtures("tried_quickly")
async def test_a_programming_error_in_the_brain_gives_a_review(
    acting: LiveEngine, shop: Shop
) -> None:
    think_by(acting, BrokenBrain())
    async with acting.working():
        body = (await acting.post(shop, message=ENGLISH)).json()

        assert (body["status"], body["response"]) == ("needs_review", "")
        review = await only_row(acting.database, escalation_tickets, of=shop)
        assert review["reason"] == "model_unavailable"
        await acting.decide(review["id"], Decision.REJECT)
