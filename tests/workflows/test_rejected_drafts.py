"""Drafts of a language model that fail a guard: repaired, cut or held, and recorded once."""

import pytest

from domain.reviews.escalation import Decision
from domain.tenants.client import Role
from store.reviews.tables import escalation_tickets
from store.runs.tables import brain_costs, engine_runs
from store.runs.traces import RunTraces
from tests.support.agent.llm_brain import ENGLISH, OPENAI, said
from tests.support.core.engine import LiveEngine
from tests.support.core.rows import only_row
from tests.support.core.temporal import TemporalServer
from tests.support.dashboard.visitors import at_pages
from tests.support.reviews.dashboard import REVIEWS, person
from tests.support.servers.llm import TOKENS_IN, TOKENS_OUT, Say
from tests.support.tenants.shop import Shop
from tests.workflows.test_llm_runs import ANSWER, SHIPPING, know, thinking

COST = TOKENS_IN + 10 * TOKENS_OUT
WRONG = ANSWER.replace("3 to 6", "2 to 9")
ADDED = "Hello,\n\nStandard shipping takes 3 to 6 working days. The parcel costs 49 EUR."


async def findings(engine: LiveEngine, shop: Shop) -> list[tuple[str, str, str]]:
    run = await only_row(engine.database, engine_runs, of=shop)
    async with engine.database.reading(shop.tenant) as connection:
        trace = await RunTraces(connection, shop.tenant).read(run["id"])
    return [(one.words, one.reason, one.state) for one in trace.thought.guard_findings]


async def test_a_repaired_draft_is_sent_and_both_calls_are_booked_once(
    database_url: str, temporal: TemporalServer, shop: Shop
) -> None:
    async with thinking(database_url, temporal) as (engine, server):
        await know(engine, shop)
        server.script = [
            said(response=WRONG, sources=["k1"], quote=SHIPPING),
            said(response=ANSWER, sources=["k1"], quote=SHIPPING),
        ]

        body = (await engine.post(shop, message=ENGLISH)).json()

        assert (body["status"], body["response"]) == ("completed", ANSWER)
        assert len(server.asked) == 2
        run = await only_row(engine.database, engine_runs, of=shop)
        assert (run["tokens_in"], run["cost_micros"]) == (2 * TOKENS_IN, 2 * COST)
        booked = await only_row(engine.database, brain_costs, of=shop)
        assert (booked["calls"], booked["cost_micros"]) == (1, 2 * COST)
        assert await findings(engine, shop) == [("2 to 9 working days", "no_source", "repaired")]


async def test_an_added_fact_is_cut(
    database_url: str, temporal: TemporalServer, shop: Shop
) -> None:
    async with thinking(database_url, temporal) as (engine, server):
        await know(engine, shop)
        server.script = [said(response=ADDED, sources=["k1"], quote=SHIPPING)]

        body = (await engine.post(shop, message=ENGLISH)).json()

        assert body["status"] == "completed"
        assert body["response"] == "Hello,\n\nStandard shipping takes 3 to 6 working days."
        assert len(server.asked) == 2
        assert await findings(engine, shop) == [("49 eur", "no_source", "cut")]


@pytest.mark.parametrize("language", ["en", "fr"])
async def test_the_review_names_the_words_that_failed(
    database_url: str, temporal: TemporalServer, shop: Shop, language: str
) -> None:
    async with thinking(database_url, temporal) as (engine, server):
        await know(engine, shop)
        server.script = [said(response=WRONG, sources=["k1"], quote=SHIPPING)]

        body = (await engine.post(shop, message=ENGLISH)).json()

        assert (body["status"], body["response"]) == ("needs_review", "")
        ticket = await only_row(engine.database, escalation_tickets, of=shop)
        headers = await person(engine, shop, Role.OWNER)
        review = (await engine.http.get(f"{REVIEWS}/{ticket['id']}", headers=headers)).json()
        assert review["guard_findings"] == [
            {"words": "2 to 9 working days", "reason": "no_source", "state": "held"}
        ]
        reason = {"en": "in no source", "fr": "dans aucune source"}[language]
        async with at_pages(engine, shop, language=language) as visitor:
            for page in (f"/app/reviews/{ticket['id']}", f"/app/runs/{ticket['run_id']}"):
                shown = await visitor.see(page)
                assert "2 to 9 working days" in shown
                assert reason in shown
        await engine.decide(ticket["id"], Decision.REJECT)


async def test_a_judge_stops_a_reversed_statement(
    database_url: str, temporal: TemporalServer, shop: Shop
) -> None:
    reversed_ = "Hello,\n\nStandard shipping never takes 3 to 6 working days."
    rejection = {"part": 1, "why": "The source says the opposite.", "verdict": "contradicted"}
    async with thinking(database_url, temporal, brain_judge_model=OPENAI) as (engine, server):
        await know(engine, shop)
        draft = said(response=reversed_, sources=["k1"], quote=SHIPPING)
        # The second draft equals the first, so its recorded verdict is used again.
        server.script = [draft, Say({"verdicts": [rejection]}), draft]

        body = (await engine.post(shop, message=ENGLISH)).json()

        assert (body["status"], body["response"]) == ("needs_review", "")
        ticket = await only_row(engine.database, escalation_tickets, of=shop)
        assert ticket["reason"] == "missing_knowledge"
        assert [reason for _, reason, _ in await findings(engine, shop)] == ["contradicted"]
        run = await only_row(engine.database, engine_runs, of=shop)
        assert (run["tokens_in"], len(server.asked)) == (3 * TOKENS_IN, 3)
        await engine.decide(ticket["id"], Decision.REJECT)
