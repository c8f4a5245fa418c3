"""The home page: waiting work, problems, first steps; and the user's own page."""

import re
from datetime import timedelta
from typing import Any

import pytest
import sqlalchemy as sa

from adapters.system import new_ulid, utc_now
from api.dashboard.routers.dashboard import improvement_page
from domain.analytics.gaps import FoundKnowledge, KnowledgeGaps
from domain.core.errors import CallerBusy, OverBudget
from domain.intake.event import Channel
from domain.integrations.providers import Provider
from domain.tenants.business_hours import BusinessHours
from domain.tenants.client import Role
from services.analytics.gaps import knowledge_gaps
from store.analytics.day_counts import count_day
from store.analytics.metrics import keep_day
from store.dashboard.tables import home_visits
from store.inbound.poll_cursors import PollCursorRepository
from store.runs.tables import ai_conversations, conversation_replies, engine_messages
from store.tenants.business_hours import BusinessHoursRepository
from store.webhooks.tables import webhook_subscriptions
from tests.support.agent.acting import connect
from tests.support.analytics.days import Said, past_event
from tests.support.core.engine import LiveEngine
from tests.support.dashboard.visitors import at_pages
from tests.support.reviews.conversations import converse
from tests.support.reviews.conversations import write as write_into
from tests.support.reviews.replies import conversation_of, written
from tests.support.reviews.reviews import open_review
from tests.support.runs.conversation import write as write_first
from tests.support.tenants.shop import Shop
from tests.support.webhooks.webhooks import subscribe

IMPROVEMENT = "/app/home/improvement"


async def test_the_first_steps_go_as_they_are_taken(front: LiveEngine, shop: Shop) -> None:
    async with at_pages(front, shop) as owner:
        before = await owner.see("/app")
        assert "Get started" in before
        assert '<a href="/app/knowledge/new">Answer a common' in before
        assert "Answer your first ticket" in before
        assert "0 of 5 done" in before or "1 of 5 done" in before
        assert re.search(r'href="/app/knowledge/new">Write an answer</a>', before)
        assert "2 min" in before
        assert "Last 30 days" not in before

        form = {"title": "Delivery", "body": "3 days.", "language": "en"}
        await owner.send("/app/knowledge/new", "/app/knowledge", form)

        assert '<a href="/app/knowledge/new">Answer a common' not in await owner.see("/app")


async def test_a_sent_reply_of_a_member_answers_the_test_ticket(
    front: LiveEngine, shop: Shop
) -> None:
    """A shop's only member cannot approve the reply to their own test ticket."""
    ticket = '<a href="/app/tickets/new">Send a test ticket'
    asked = await write_first(front.database, shop, channel=Channel.EMAIL)
    talk = await conversation_of(front.database, asked.event_id)
    reply = await written(front.database, shop, talk)
    async with at_pages(front, shop) as owner:
        assert ticket in await owner.see("/app")
        async with front.database.tenant(shop.tenant) as connection:
            row = conversation_replies.c.id == reply.id
            sent = sa.update(conversation_replies).where(row).values(state="sent")
            await connection.execute(sent)
        assert ticket not in await owner.see("/app")


async def test_each_step_leads_a_manager_to_the_next(front: LiveEngine, shop: Shop) -> None:
    """The shop has a key, so only four steps are left."""
    knowledge = {"title": "Delivery", "body": "3 days.", "language": "en"}
    case = {"case_name": "Colis", "turn1": "Où est ma commande ?", "must": "on"}
    ticket = 'href="/app/tickets/new">Next: Send a test ticket</a>'
    async with at_pages(front, shop) as owner, at_pages(front, shop, Role.AGENT) as agent:
        saved = await owner.send("/app/knowledge/new", "/app/knowledge", knowledge)
        assert ticket in await owner.follow(saved)
        assert ticket not in await owner.follow(saved), "only once"
        cases = "/app/simulator/cases"
        assert "Next: " not in await agent.follow(await agent.send(f"{cases}/new", cases, case))
        await past_event(front.database, shop, utc_now(), response="Yes.")
        kept = await owner.send("/app/widget", "/app/widget", {"allowed_origins": ""})
        assert "Next: Connect your shop" in await owner.follow(kept)
        await connect(front, shop, Provider.SHOPIFY, {}, "{}")
        saved = await owner.send("/app/knowledge/new", "/app/knowledge", knowledge)
        assert "Next: " not in await owner.follow(saved)


async def test_what_waits_and_what_is_wrong_come_first(front: LiveEngine, shop: Shop) -> None:
    await open_review(front.database, shop)
    webhook = await subscribe(front.database, shop)
    async with front.database.tenant(shop.tenant) as connection:
        await connection.execute(
            sa.update(webhook_subscriptions)
            .where(webhook_subscriptions.c.id == webhook.id)
            .values(failure_count=4, label="<b>ERP</b>")
        )

    async with at_pages(front, shop, Role.VIEWER, language="fr") as viewer:
        page = await viewer.see("/app")

    assert "Une demande à traiter" in page
    assert ">Ouvrir</a>" in page, "a viewer approves nothing"
    assert f'href="/app/webhooks/{webhook.id}"' in page
    assert "&lt;b&gt;ERP&lt;/b&gt;" in page


async def test_home_begins_with_the_inbox(front: LiveEngine, shop: Shop) -> None:
    """A conversation that waits for the team is listed like a review, in the order of the inbox,
    and with the same mark if its answer is overdue."""
    talk = await converse(front.database, shop)
    await write_into(front.database, shop, talk, status="failed")
    async with front.database.tenant(shop.tenant) as connection:
        hour = timedelta(hours=2)
        for column in (engine_messages.c.created_at, ai_conversations.c.waiting_since):
            await connection.execute(sa.update(column.table).values({column: column - hour}))
        hours = BusinessHours(target_minutes=30)
        await BusinessHoursRepository(connection, shop.tenant).set(hours, utc_now())
    review = await open_review(front.database, shop)

    async with at_pages(front, shop) as owner:
        page = await owner.see("/app")
        inbox = await owner.see("/app/inbox")

    listed = [f"/app/conversations/{talk}", f"/app/reviews/{review}"]
    rows = r'<a href="(/app/(?:conversations|reviews)/\w+)" data-row'
    assert re.findall(rows, page) == listed
    assert re.findall(rows, inbox) == listed
    assert "2 tickets need you" in page
    assert "Longest wait: 2 h" in page
    assert "Overdue by" in page


async def test_home_reports_what_happened_since_the_last_visit(
    front: LiveEngine, shop: Shop
) -> None:
    async with at_pages(front, shop) as owner:
        assert "Since you left" not in await owner.see("/app")
        async with front.database.tenant(shop.tenant) as connection:
            earlier = home_visits.c.seen_at - timedelta(hours=2)
            await connection.execute(sa.update(home_visits).values(seen_at=earlier))
        assert "Nothing new arrived" in await owner.see("/app")
        await past_event(front.database, shop, utc_now() - timedelta(minutes=1), response="Yes.")
        page = await owner.see("/app")

    assert "Since you left" in page
    assert re.search(r'<b>1</b><a href="/app/runs\?status=completed">Answered by the agent', page)


async def test_key_figures_have_their_lines(front: LiveEngine, shop: Shop) -> None:
    async with at_pages(front, shop) as owner:
        assert "Last 30 days" not in await owner.see("/app")
        for days in (1, 2):
            await past_event(
                front.database, shop, utc_now() - timedelta(days=days), duration_ms=1500
            )
            async with front.database.service() as connection:
                day = (utc_now() - timedelta(days=days)).date()
                counted = await count_day(connection, [shop.client_id], day, utc_now())
                await keep_day(connection, counted, day, utc_now())
        page = await owner.see("/app")

    assert "<b>100%</b>" in page
    assert "<b>1.5 s</b>" in page
    assert page.count('<svg class="spark"') == 4
    assert "at 6 min a ticket" in page
    assert f'hx-get="{IMPROVEMENT}' in page


async def test_the_best_improvement_is_the_largest_gap(front: LiveEngine, shop: Shop) -> None:
    async with (
        at_pages(front, shop) as owner,
        at_pages(front, shop, Role.VIEWER) as viewer,
    ):
        assert "without an answer" in await owner.see(IMPROVEMENT)
        await _ask_twice(front, shop)
        page = await owner.see(IMPROVEMENT)
        assert "Customers asked 2 questions like “Livrez-vous en &lt;b&gt;Belgique" in page
        assert re.search(r'href="/app/knowledge/new\?[^"]+">Draft the answer', page)
        assert "Draft the answer" not in await viewer.see(IMPROVEMENT)


async def _ask_twice(front: LiveEngine, shop: Shop) -> None:
    for hours in (1, 2):
        await past_event(
            front.database,
            shop,
            utc_now() - timedelta(hours=hours),
            reviews=["edited"],
            reason="missing_knowledge",
            said=Said("Livrez-vous en <b>Belgique</b> ?"),
        )


@pytest.mark.parametrize("why", [OverBudget(), CallerBusy()], ids=lambda one: type(one).__name__)
async def test_home_claims_nothing_about_gaps_that_could_not_be_read(
    front: LiveEngine, shop: Shop, monkeypatch: pytest.MonkeyPatch, why: Exception
) -> None:
    async def refuse(*_: object, **__: object) -> KnowledgeGaps:
        raise why

    monkeypatch.setattr(improvement_page, "knowledge_gaps", refuse)
    async with at_pages(front, shop) as owner:
        page = await owner.see(IMPROVEMENT)

    assert "without an answer" not in page
    assert 'href="/app/knowledge/gaps"' in page


async def test_home_claims_nothing_about_gaps_that_it_did_not_examine(
    front: LiveEngine, shop: Shop, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The largest gap has been answered by an article, so it is not suggested. There may be
    others."""
    known = FoundKnowledge(id=new_ulid(), title="Livraison")

    async def answered(*given: Any, **more: Any) -> KnowledgeGaps:
        found = await knowledge_gaps(*given, **more)
        gaps = tuple(gap.model_copy(update={"knowledge": known}) for gap in found.gaps)
        return found.model_copy(update={"gaps": gaps})

    monkeypatch.setattr(improvement_page, "knowledge_gaps", answered)
    await _ask_twice(front, shop)
    async with at_pages(front, shop) as owner:
        page = await owner.see(IMPROVEMENT)

    assert "Customers asked" not in page
    assert "without an answer" not in page
    assert 'href="/app/knowledge/gaps"' in page


async def test_preferences_hold_at_once(front: LiveEngine, shop: Shop) -> None:
    wanted = {"language": "fr", "theme": "dark", "time_zone": "Asia/Tokyo"}
    async with at_pages(front, shop) as owner:
        page = await owner.follow(await owner.send("/app/me", "/app/me", wanted))
        assert '<html lang="fr" data-theme="dark"' in page
        assert "Asia/Tokyo" in page

        refused = await owner.send("/app/me", "/app/me", {**wanted, "time_zone": "Mars/Base"})
        assert 'role="alert"' in await owner.follow(refused)
        assert "Asia/Tokyo" not in await owner.see("/app/me")  # the input is in the form


async def test_a_poll_takes_no_message_away(front: LiveEngine, shop: Shop) -> None:
    async with at_pages(front, shop) as owner:
        saved = await owner.send("/app/me", "/app/me", {"time_zone": "UTC", "theme": "auto"})
        polled = await owner.http.get("/app/me", headers={"hx-request": "true"})
        assert "Saved." not in polled.text
        assert "Saved." in await owner.follow(saved)


@pytest.mark.parametrize(
    ("language", "said"),
    [
        (
            "en",
            "Zendesk sync is failing (3 attempts): no answer in time",
        ),
        (
            "fr",
            "La synchronisation Zendesk échoue (3 essais)\u202f: pas de réponse à temps",
        ),
    ],
)
async def test_a_connection_that_fails_says_why_in_plain_words(
    front: LiveEngine, shop: Shop, language: str, said: str
) -> None:
    found = await connect(front, shop, Provider.ZENDESK, {}, "{}")
    async with front.database.tenant(shop.tenant) as connection:
        cursors = PollCursorRepository(connection, shop.tenant)
        for _ in range(3):
            await cursors.fail(found, "action_unreachable", utc_now())

    async with at_pages(front, shop, language=language) as owner:
        assert said in await owner.see("/app")
        polls = await owner.see("/app/inbound/polls")
    assert ">Zendesk</a>" in polls
    assert "action_unreachable" not in polls
