"""is_test: the brain answers, and nothing is stored."""

import random
from base64 import b64encode
from dataclasses import replace
from datetime import timedelta

import pytest

from adapters.brain.embedded import EmbeddedBrain
from adapters.system import utc_now
from api.auth import InternalWorker
from api.gateway_answers import CallStart, EventCaller, answer_event, dry_run_event
from domain.agent.brain import BrainAnswer, BrainRequest, Category
from domain.intake.event import InboundEvent
from domain.intake.rate_limit import LimitScope
from domain.runs.run import RunResult
from domain.tenants.actor import Actor
from store.runs.tables import ai_conversations
from tests.support.core.engine import LiveEngine
from tests.support.core.histories import history_bytes
from tests.support.core.rows import only_row, row_counts
from tests.support.servers.mail import MailServer
from tests.support.tenants.shop import ORDER_QUESTION, UNSURE_MESSAGE, Shop, open_shop

CANARY = "zebra-canary-5b1e"


@pytest.mark.parametrize(
    ("message", "status", "answered"),
    [(ORDER_QUESTION, "completed", True), (UNSURE_MESSAGE, "needs_review", False)],
)
async def test_dry_run_leaves_no_row_and_no_mail(
    engine: LiveEngine, shop: Shop, mail: MailServer, message: str, status: str, answered: bool
) -> None:
    await engine.post(shop, customer_email="a@b.example", message=ORDER_QUESTION)
    before = await row_counts(engine.database, of=shop)

    answer = await engine.post(
        shop,
        is_test=True,
        event_type="email.inbound",
        customer_email="a@b.example",
        order_number="1042",
        message=message,
    )

    body = answer.json()
    assert (answer.status_code, body["status"]) == (200, status)
    assert bool(body["response"]) is answered
    assert body["classification"]
    assert body["steps_executed"] == 0
    assert await row_counts(engine.database, of=shop) == before
    assert mail.mails == []


async def test_dry_run_does_not_touch_memory(engine: LiveEngine, shop: Shop) -> None:
    await engine.post(shop, customer_email="a@b.example", message=ORDER_QUESTION)
    before = await only_row(engine.database, ai_conversations, of=shop)

    await engine.post(shop, is_test=True, customer_email="a@b.example", message="Merci beaucoup")

    assert await only_row(engine.database, ai_conversations, of=shop) == before


async def test_dry_run_reads_the_memory_that_a_run_reads(
    engine: LiveEngine, shop: Shop, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The same customer's next real message receives the same answer."""
    asked: list[BrainRequest] = []
    think = EmbeddedBrain.think

    async def note(brain: EmbeddedBrain, request: BrainRequest) -> BrainAnswer:
        asked.append(request)
        return await think(brain, request)

    monkeypatch.setattr(EmbeddedBrain, "think", note)
    await engine.post(shop, customer_email="a@b.example", message=ORDER_QUESTION)

    for is_test in (True, False):
        await engine.post(
            shop, is_test=is_test, customer_email="a@b.example", message=ORDER_QUESTION
        )

    first, dry_run, real = asked
    assert (first.turns, first.summary) == ((), "")
    assert len(dry_run.turns) == 2
    assert (dry_run.turns, dry_run.summary) == (real.turns, real.summary)
    assert dry_run.summary


async def test_a_dry_run_shows_the_draft_that_would_wait(
    engine: LiveEngine, shop: Shop, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Nothing would be sent below the threshold, so `response` is empty, as documented."""

    async def unsure(_: EmbeddedBrain, request: BrainRequest) -> BrainAnswer:
        return BrainAnswer(
            classification=Category.OTHER,
            confidence=0.2,
            language="fr",
            response=f"Bonjour {request.brand_name}",
            model="fake",
        )

    monkeypatch.setattr(EmbeddedBrain, "think", unsure)

    answer = (await engine.post(shop, is_test=True, message="Bonjour")).json()
    real = (await engine.post(shop, message="Bonjour")).json()

    assert (answer["status"], answer["response"]) == ("needs_review", "")
    assert answer["draft"].startswith("Bonjour ")
    assert "draft" not in real


async def test_dry_run_without_playbook(engine: LiveEngine) -> None:
    shop = await open_shop(engine.database, event_type="email.*")
    before = await row_counts(engine.database, of=shop)

    body = (await engine.post(shop, is_test=True, message="x")).json()

    assert body["status"] == "no_playbook"
    assert await row_counts(engine.database, of=shop) == before


async def test_dry_run_text_is_sealed_in_temporal(engine: LiveEngine, shop: Shop) -> None:
    body = (
        await engine.post(
            shop, is_test=True, order_number="77", message=f"{ORDER_QUESTION} {CANARY}"
        )
    ).json()

    handle = engine.client.get_workflow_handle(f"dry-run/{shop.client_id}/{body['event_id']}")
    history = await history_bytes(handle)
    assert shop.client_id.encode() in history
    assert CANARY.encode() not in history
    assert b"commande" not in history


async def test_a_dry_run_keeps_little_of_a_large_event(engine: LiveEngine, shop: Shop) -> None:
    """An email of 900 KB: its text is read, but its attachment is not."""
    body = (
        await engine.post(
            shop,
            is_test=True,
            event_type="email.inbound",
            From="Ada <a@b.example>",
            TextBody=ORDER_QUESTION,
            HtmlBody=f"<p>{ORDER_QUESTION}</p>" * 1_000,
            Headers=[{"Name": "DKIM-Signature", "Value": "A" * 1_000}],
            Attachments=[{"Name": "photo.jpg", "Content": "AAAA" * 200_000}],
        )
    ).json()

    assert body["status"] == "completed"
    assert body["response"] == body["draft"] != ""
    handle = engine.client.get_workflow_handle(f"dry-run/{shop.client_id}/{body['event_id']}")
    assert len(await history_bytes(handle)) < 4_000


async def test_a_dry_run_of_a_megabyte_is_cut(engine: LiveEngine, shop: Shop) -> None:
    """An incompressible text of a megabyte created a history of a megabyte. Clients rarely send
    large ones."""
    noise = b64encode(random.Random(1).randbytes(700_000)).decode()
    large = {"is_test": True, "event_type": "email.inbound", "text_body": noise}
    answer = await engine.post(shop, **large)

    assert (answer.status_code, answer.json()["status"]) == (200, "needs_review")
    name = f"dry-run/{shop.client_id}/{answer.json()['event_id']}"
    handle = engine.client.get_workflow_handle(name)
    assert len(await history_bytes(handle)) < 150_000
    begun = (await handle.fetch_history()).events[0].workflow_execution_started_event_attributes
    assert begun.priority.fairness_key == shop.client_id
    limiter = engine.app.state.resources.limiter
    for _ in range(239):
        await limiter.check(LimitScope.LARGE_DRY_RUN, shop.tenant, utc_now())
    refused = await engine.post(shop, **large)
    assert (refused.status_code, refused.json()["code"]) == (429, "too_many_requests")
    assert (await engine.post(shop, is_test=True, message=ORDER_QUESTION)).status_code == 200


@pytest.mark.parametrize("is_test", [True, False])
async def test_the_duration_begins_with_the_request(
    engine: LiveEngine, shop: Shop, *, is_test: bool
) -> None:
    """It includes authentication and the transfer of the body."""
    resources = engine.app.state.resources
    now, earlier = CallStart.now(resources), timedelta(seconds=7)
    begun = replace(now, at=now.at - earlier, deadline=now.deadline - earlier.total_seconds())
    by = EventCaller(shop.tenant, Actor.system("test"), begun, "R-1", vouches=True)
    event = InboundEvent(event_type="email.inbound", message=ORDER_QUESTION)

    if is_test:
        answer = await dry_run_event(by, InternalWorker(), event, resources)
    else:
        answer = await answer_event(by, event, None, resources)

    assert isinstance(answer, RunResult)
    assert answer.duration_ms >= 7000
