"""Simulations with the real route and worker: they write nothing, and think as runs do."""

from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any, Final

import pytest

from activities.runtime.traffic import BACKGROUND
from adapters.system import utc_now
from domain.agent.rulebook import ActionLevel
from domain.core.names import THINK_SCENARIO
from domain.tenants.client import Role
from evaluation.message import read_messages
from evaluation.ready_answers import ready_answers
from store.content.content import ContentRepository
from store.runs.tables import brain_costs, engine_runs
from tests.support.agent.acting import (
    CUSTOMER,
    WISH,
    Acting,
    acting_shop,
    order,
    promising,
    rules,
)
from tests.support.agent.llm_brain import ENGLISH, OPENAI, THANKS, said
from tests.support.core.engine import LiveEngine, live_engine
from tests.support.core.rows import fingerprints, only_row, rows
from tests.support.core.temporal import TemporalServer
from tests.support.reviews.dashboard import person
from tests.support.servers.llm import KEY, TOKENS_IN, TOKENS_OUT, Fail, llm_server
from tests.support.servers.mail import MailServer
from tests.support.servers.webhook_receiver import WebhookReceiver
from tests.support.tenants.shop import ORDER_QUESTION, Shop
from tests.support.webhooks.webhook_engine import subscribed

pytestmark = pytest.mark.own_database

SIMULATOR: Final = "/api/simulator/chat"
_EVENT: Final = "shopify.ticket.created"
_COMPARED: Final = ("status", "classification", "confidence", "draft", "plan")


@pytest.fixture
async def whole(
    database_url: str, temporal: TemporalServer, mail: MailServer, receiver: WebhookReceiver
) -> AsyncIterator[LiveEngine]:
    """A running engine that may act, send emails and send webhooks on this machine."""
    async with (
        live_engine(
            database_url,
            temporal.address,
            temporal.take_namespace(),
            webhook_allow_private_addresses=True,
            webhook_ca_file=receiver.ca_file,
            allow_loopback_targets=True,
            smtp_url=mail.url,
        ) as engine,
        engine.working(),
        engine.delivering(),
    ):
        yield engine


async def simulated(
    engine: LiveEngine, shop: Shop, headers: dict[str, str], **body: object
) -> dict[str, Any]:
    answer = await engine.http.post(
        SIMULATOR, json={"client_id": shop.client_id, **body}, headers=headers
    )
    assert answer.status_code == 200, answer.text
    found: dict[str, Any] = answer.json()
    return found


async def _merchant(engine: LiveEngine, folder: Path, level: ActionLevel) -> Acting:
    """Create a merchant whose shop has order 2001, a template that promises refunds, and some
    others."""
    it = await acting_shop(engine, folder, [order("2001")], rules(level))
    await promising(engine, it.shop)
    async with engine.database.tenant(it.shop.tenant) as connection:
        for template in ready_answers().ready:
            await ContentRepository(connection, it.shop.tenant).add_template(template, utc_now())
    return it


async def test_a_confirmed_refund_is_simulated_and_nothing_is_written(
    whole: LiveEngine, tmp_path: Path, mail: MailServer, receiver: WebhookReceiver
) -> None:
    """The only external request is the order lookup."""
    it = await _merchant(whole, tmp_path, ActionLevel.CUSTOMER_CONFIRMED)
    await subscribed(whole, it.shop, receiver)
    headers = await person(whole, it.shop, Role.AGENT)
    before = await fingerprints(whole.database)

    answer = await simulated(
        whole,
        it.shop,
        headers,
        messages=[
            {"text": "Bonjour, je voudrais être remboursée, merci."},
            {"text": "2001"},
            {"text": "Oui, merci."},
        ],
        event_type=_EVENT,
        customer={"email": CUSTOMER},
    )

    assert (answer["status"], answer["plan"][0]["kind"]) == ("completed", "refund")
    assert answer["plan"][0]["amount"] == {"minor": 4_900, "currency": "EUR"}
    asked = answer["trace"]["outcomes"]
    assert [one["lookup"]["state"] for one in asked] == ["found"] * 3
    assert await fingerprints(whole.database) == before
    assert it.movements == ()
    assert (mail.mails, receiver.contacts) == ([], 0)


async def test_a_pause_follows_each_simulated_message(
    whole: LiveEngine, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Customers have priority over a member's simulations. Without a pause, a free account's
    expensive simulations took the engine's whole time."""
    it = await _merchant(whole, tmp_path, ActionLevel.AUTONOMOUS)
    worked: list[float] = []

    def pause_after(worked_s: float) -> float:
        worked.append(worked_s)
        return 0

    monkeypatch.setattr(whole.activities.traffic, "pause_after", pause_after)

    await simulated(
        whole,
        it.shop,
        await person(whole, it.shop, Role.AGENT),
        messages=[{"text": "Bonjour, où est mon colis ?"}, {"text": "Merci."}],
        event_type=_EVENT,
        customer={"email": CUSTOMER},
    )

    assert len(worked) == 2
    assert min(worked) > 0
    assert THINK_SCENARIO in BACKGROUND


async def test_a_simulation_thinks_as_a_run_does(whole: LiveEngine, tmp_path: Path) -> None:
    """Messages from the evaluation, and three about orders, by email and by shop."""
    it = await _merchant(whole, tmp_path, ActionLevel.AUTONOMOUS)
    messages = read_messages()
    corpus = [message.text for message in messages[:: len(messages) // 28]][:28]
    asked = [
        *((f"c{at}@example.com", text) for at, text in enumerate(corpus)),
        ("tracking@example.com", ORDER_QUESTION),
        ("stranger@example.com", WISH),
        (CUSTOMER, WISH),
    ]
    types = ["email.inbound" if at % 3 == 0 else _EVENT for at in range(len(asked))]
    people = [await person(whole, it.shop, role) for role in (Role.OWNER, Role.ADMIN)]
    thought = [
        await simulated(
            whole, it.shop, people[at % 2], message=text, event_type=kind, customer={"email": email}
        )
        for at, ((email, text), kind) in enumerate(zip(asked, types, strict=True))
    ]

    for (email, text), kind in zip(asked, types, strict=True):
        await whole.post(
            it.shop, event_type=kind, customer_email=email, message=text, customer_verified=True
        )

    runs = sorted(await rows(whole.database, engine_runs), key=lambda row: row["received_at"])
    stored = [_compared(row) for row in runs]
    assert len(stored) == 31
    for (_, text), simulation, run in zip(asked, map(_compared, thought), stored, strict=True):
        assert simulation == run, text
    assert len({str(one["classification"]) for one in stored}) >= 5
    assert {one["status"] for one in stored} == {"completed", "needs_review"}
    assert it.refunded == 4_900


def _compared(found: dict[str, Any]) -> dict[str, object]:
    plan = [step["kind"] for step in found["plan"] or ()]
    return {**{name: found[name] for name in _COMPARED}, "plan": plan}


async def test_a_language_model_costs_what_it_costs(
    database_url: str, temporal: TemporalServer, shop: Shop
) -> None:
    """Its cost is booked even without an answer, and nothing else is written."""
    async with (
        llm_server() as server,
        live_engine(
            database_url,
            temporal.address,
            temporal.take_namespace(),
            brain_model=OPENAI,
            brain_base_url=server.openai_url,
            brain_api_key=KEY,
            brain_price_in=1,
            brain_price_out=10,
        ) as engine,
        engine.working(),
    ):
        headers = await person(engine, shop, Role.OWNER)
        before = await fingerprints(engine.database)
        server.script = [said(response=THANKS, sources=[])]

        answer = await simulated(engine, shop, headers, message=ENGLISH)
        embedded = await simulated(engine, shop, headers, message=ENGLISH, embedded_brain=True)
        booked = await only_row(engine.database, brain_costs)
        server.script = [Fail(401)]
        failed = await simulated(engine, shop, headers, message=ENGLISH)

        cost = TOKENS_IN + 10 * TOKENS_OUT
        assert (answer["trace"]["cost_micros"], booked["cost_micros"]) == (cost, cost)
        assert answer["trace"]["outcomes"][0]["model"] == OPENAI
        assert embedded["trace"]["outcomes"][0]["model"].startswith("embedded")
        assert failed["status"] == "brain_failed"
        after = await fingerprints(engine.database)
        assert {name for name, digest in after.items() if digest != before[name]} == {
            "brain_costs",
            "model_alarms",
            "model_spending",
        }
