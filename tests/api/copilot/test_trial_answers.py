"""The trial's questions, answered from records: the right figure in the user's language, and a link
to its page. No language model is configured."""

from dataclasses import dataclass
from datetime import timedelta
from typing import Final
from zoneinfo import ZoneInfo

import pytest
import sqlalchemy as sa

from adapters.system import new_ulid, utc_now
from api.dashboard.formats import Formats
from domain.agent.escalation_reason import EscalationReason
from domain.agent.plan import ActionKind
from domain.agent.rulebook import ActionLevel, ActionRule, MoneyLimits, Rulebook
from domain.analytics.metrics import day_before, midnight
from domain.core.money import Money
from domain.tenants.client import Role
from store.analytics.day_counts import count_day
from store.analytics.metrics import keep_day
from store.ratings.tables import ratings
from store.runs import refunds
from store.runs.tables import ai_conversations, engine_runs
from tests.support.analytics.days import past_event
from tests.support.content.content import KNOWLEDGE
from tests.support.copilot.asking import ask
from tests.support.copilot.trial_questions import TRIAL, TrialQuestion
from tests.support.core.engine import LiveEngine
from tests.support.dashboard.visitors import at_pages
from tests.support.reviews.conversations import converse
from tests.support.reviews.conversations import write as write_into
from tests.support.reviews.dashboard import person
from tests.support.reviews.reviews import open_review
from tests.support.runs.conversation import CUSTOMER, write
from tests.support.runs.traced_run import traced_run
from tests.support.tenants.shop import Shop, open_shop
from tests.support.webhooks.webhook_dashboard import ready

LIMIT: Final = MoneyLimits(currency="EUR", per_action=5000)
RULES: Final = Rulebook(
    actions={ActionKind.REFUND: ActionRule(level=ActionLevel.CUSTOMER_CONFIRMED, limits=LIMIT)}
)
HOURS: Final = (
    ("Opening hours", "We are open from 9 am to 6 pm.", "en"),
    ("Horaires d'ouverture", "Nous sommes ouverts de 9 h à 18 h.", "fr"),
)

# Required content of an answer, by the question's topic, in English and French. Values in braces
# are formatted as on the pages.
EXPECTED: Final[dict[str, tuple[tuple[str, ...], tuple[str, ...]]]] = {
    "refunds": (("{sum}", "in one refund"), ("{sum}", "un seul remboursement")),
    "gaps": (("Questions without an answer",), ("restées sans réponse",)),
    "volume": (("tickets used", "left"), ("tickets utilisés", "il en reste")),
    "limits": (
        ("refund: after the customer's yes", "{limit}"),
        ("rembourser : après le oui du client", "{limit}"),
    ),
    "knowledge": (("9 am to 6 pm",), ("9 h à 18 h",)),
    "unhappy": (("One unhappy customer", "This is a scandal"), ("Un client mécontent",)),
    "attention": (("Tickets that need you",), ("Demandes à traiter",)),
    "waiting": (("5 h",), ("5 h",)),
    "automation": (("{all}", "1 of 1"), ("{all}", "1 sur 1")),
    "why": (("Passed to your team", "83%"), ("Transmis à votre équipe", "83 %")),
    "satisfaction": (("{all}", "5.0 out of 5"), ("{all}", "5,0 sur 5")),
    "webhooks": (("on, no recent failure",), ("aucun échec récent",)),
    "quota": (("tickets used", "left"), ("tickets utilisés", "il en reste")),
    "policy_changes": (("created",), ("création",)),
    "articles": (("citations: 1", "Opening hours"), ("citations : 1", "Opening hours")),
    "refunds_by_reason": (("refund: {sum}",), ("remboursement : {sum}",)),
    "customer": (("remboursée",), ("remboursée",)),
}


@dataclass(frozen=True)
class Stage:
    shop: Shop
    run_id: str


async def staged(front: LiveEngine) -> Stage:
    """Set up a shop with a refund, an angry customer, open reviews, a webhook, metrics and
    knowledge."""
    database, now = front.database, utc_now()
    shop = await open_shop(database, rulebook=RULES)
    owner = await person(front, shop, Role.OWNER)
    entries = []
    for title, body, language in HOURS:
        entry = {"title": title, "body": body, "language": language}
        made = await front.http.post(KNOWLEDGE, json=entry, headers=owner)
        assert made.status_code == 201, made.text
        entries.append(made.json()["id"])
    traced = await traced_run(database, shop)
    await open_review(
        database,
        shop,
        text="Livrez-vous en Islande ?",
        reason=EscalationReason.MISSING_KNOWLEDGE,
        handoff_reason="missing_knowledge",
    )
    await ready(front, shop)
    angry = await write(
        database, shop, "This is a scandal", key="angry", customer="zoe@shop.example"
    )
    day = day_before(now)
    yesterday = midnight(day) + timedelta(hours=9)
    await past_event(database, shop, yesterday)
    async with database.tenant(shop.tenant) as connection:
        await connection.execute(
            sa.update(ai_conversations)
            .where(
                ai_conversations.c.client_id == shop.client_id,
                ai_conversations.c.customer_email == "zoe@shop.example",
            )
            .values(is_critical=True, sentiment=-0.9)
        )
        await connection.execute(
            sa.insert(ratings).values(
                client_id=shop.client_id,
                id=new_ulid(),
                run_id=traced.ref.run_id,
                score=5,
                channel="widget",
                created_at=yesterday,
            )
        )
        cited = [{"kind": "knowledge", "id": entries[0], "title": HOURS[0][0]}]
        await connection.execute(
            sa.update(engine_runs)
            .where(engine_runs.c.client_id == shop.client_id, engine_runs.c.id == angry.run_id)
            .values(citations=cited)
        )
    async with front.database.service() as connection:
        await keep_day(
            connection, await count_day(connection, [shop.client_id], day, now), day, now
        )
    # After yesterday was counted, because before 5 a.m. this review is of yesterday too.
    await open_review(database, shop, now=now - timedelta(hours=5))
    return Stage(shop, traced.ref.run_id)


def shown(language: str, words: tuple[str, ...]) -> list[str]:
    """Return the required content, with values formatted as on the pages but with plain spaces."""
    formats = Formats(language, ZoneInfo("UTC"), utc_now())
    values = {
        "sum": formats.money(Money(minor=4900, currency="EUR")),
        "limit": formats.money(Money(minor=5000, currency="EUR")),
        "all": formats.percent(1.0),
    }
    plain = {name: " ".join(value.split()) for name, value in values.items()}
    return [one.format_map(plain) for one in words]


def put(question: TrialQuestion, text: str) -> str:
    return text.replace("camille.durand@example.com", CUSTOMER)


@pytest.mark.parametrize("language", ["en", "fr"])
async def test_each_has_a_useful_answer(front: LiveEngine, language: str) -> None:
    stage = await staged(front)
    headers = await person(front, stage.shop, Role.OWNER)
    dashboard = front.settings.server.dashboard
    failed: list[object] = []
    for question in TRIAL:
        if question.name == "why":
            continue
        text = question.english if language == "en" else question.french
        words = EXPECTED[question.name][language == "fr"]
        told = await ask(front, stage.shop, headers, put(question, text))
        links = [one["url"].removeprefix(dashboard) for one in told["citations"]]
        if (
            any(one not in told["text"] for one in shown(language, words))
            or not any(one.startswith(question.page) for one in links)
            or told["can_not"] is not None
        ):
            failed.append((text, words, told["text"], links, told["can_not"]))
    assert not failed, "\n".join(map(str, failed))


async def test_refunds_that_are_not_counted_are_said(
    front: LiveEngine, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(refunds, "COUNTED_TO", 1)
    stage = await staged(front)
    headers = await person(front, stage.shop, Role.OWNER)
    for language, text, said in (
        ("en", "What did the agent refund today?", "refunded at least {sum}"),
        ("fr", "Qu'est-ce que l'agent a remboursé aujourd'hui ?", "remboursé au moins {sum}"),
    ):
        told = await ask(front, stage.shop, headers, text)
        assert shown(language, (said,))[0] in told["text"], told["text"]


async def test_this_ticket_is_that_of_the_page(front: LiveEngine) -> None:
    stage = await staged(front)
    (why,) = (one for one in TRIAL if one.name == "why")
    for language, text, words in (
        ("en", why.english, EXPECTED["why"][0]),
        ("fr", why.french, EXPECTED["why"][1]),
    ):
        async with at_pages(front, stage.shop, language=language) as owner:
            place = f"/app/copilot?at={stage.run_id}"
            answer = (await owner.send(place, "/app/copilot", {"question": text})).text
        assert all(one in answer for one in words), answer
        assert f'href="/app/runs/{stage.run_id}"' in answer


async def test_a_viewer_is_told_what_their_pages_show(front: LiveEngine) -> None:
    stage = await staged(front)
    headers = await person(front, stage.shop, Role.VIEWER)
    for question in TRIAL:
        told = await ask(front, stage.shop, headers, put(question, question.english))
        if question.name == "webhooks":
            assert told["text"].startswith("Your role may not read that.")
            assert told["citations"] == []
        else:
            assert told["can_not"] is None, question.english
        assert told["drafts"] == []


async def test_another_shop_has_none_of_it(front: LiveEngine) -> None:
    await staged(front)
    other = await open_shop(front.database, brand="Concurrent")
    headers = await person(front, other, Role.OWNER)
    for question in TRIAL:
        told = await ask(front, other, headers, put(question, question.english))
        for theirs in ("49.00", "scandal", "remboursée", "9 am", "zoe@"):
            assert theirs not in told["text"], question.english


async def test_as_many_wait_as_the_inbox_lists(front: LiveEngine) -> None:
    """Also a message whose run failed waits for the team, although it has no review."""
    stage = await staged(front)
    database, shop = front.database, stage.shop
    talk = await converse(database, shop)
    await write_into(database, shop, talk, status="failed")
    headers = await person(front, shop, Role.OWNER)
    async with at_pages(front, shop) as owner:
        listed = (await owner.see("/app/inbox")).partition("<tbody>")[2].count("data-row")
    assert listed == 3
    told = await ask(front, shop, headers, "How many wait?")
    assert f"Tickets that need you: {listed}." in told["text"]
    mine = await ask(front, shop, headers, "How many tickets assigned to me wait?")
    assert mine["text"] == "No ticket is assigned to you."


async def test_frequent_topics_and_another_period(front: LiveEngine) -> None:
    stage = await staged(front)
    headers = await person(front, stage.shop, Role.VIEWER)
    told = await ask(front, stage.shop, headers, "sujets fréquents")
    assert told["text"].startswith("Sujets les plus fréquents du ")
    assert "sur 1 demandes" in told["text"]
    assert told["can_not"] is None
    told = await ask(front, stage.shop, headers, "Frequent topics today", "and the last 10 days?")
    day = day_before(utc_now())
    span = f"/metrics?from={day - timedelta(days=9)}&to={day}"
    assert [one for one in told["citations"] if one["url"].endswith(span)], told


async def test_what_it_cannot_answer_it_says(front: LiveEngine) -> None:
    shop = await open_shop(front.database)
    headers = await person(front, shop, Role.VIEWER)
    told = await ask(front, shop, headers, "Zanzibar quokka xylophone?")
    assert told["text"].startswith("Je ne sais pas répondre à cela")
    assert told["can_not"]
    assert told["citations"], "where to look"
