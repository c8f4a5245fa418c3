"""A message whose language model fails is answered by the embedded brain, waits, or gets a review.

The model is a local server with every kind of fault.
"""

from collections.abc import AsyncIterator
from dataclasses import dataclass, replace
from datetime import timedelta
from typing import Any

import pytest
from tenacity import wait_none

from activities.agent.brain_budget import BrainBudget
from activities.agent.think import Think
from adapters.brain.classifier import Classifier
from adapters.seal import FernetSealer, new_seal_key
from adapters.system import new_ulid, utc_now
from domain.agent.brain import BrainAnswer, BrainRequest, Category
from domain.agent.brain_choice import Brains
from domain.agent.contracts import ThinkInput, ThinkResult
from domain.agent.escalation_reason import EscalationReason
from domain.agent.model_fault import ALARMING, PASSING, ModelFault
from domain.agent.safety.net import SafetyGrammar
from domain.billing.model_money import ModelBudget
from domain.core.contracts import RunRef
from domain.intake.event import Channel
from store.agent.model_calls import ModelCallRepository
from store.agent.tables import model_alarms, model_calls
from store.core.database import Database
from store.runs.tables import brain_costs, engine_runs
from store.tenants.clients import ClientRepository
from tests.activities.agent.test_think import normalized
from tests.support.agent.acting import ScriptedBrain
from tests.support.agent.llm_brain import brain, configured, said
from tests.support.agent.model_faults import BILLED, FAULTS
from tests.support.core.rows import only_row, rows
from tests.support.servers.llm import TOKENS_IN, TOKENS_OUT, Fail, LlmServer, llm_server
from tests.support.tenants.shop import Shop, open_shop

PATIENCE = {Channel.EMAIL: timedelta(hours=4), Channel.HELPDESK: timedelta(hours=2)}
EVENTS = {
    Channel.SHOP: "shopify.ticket.created",
    Channel.EMAIL: "email.inbound",
    Channel.WIDGET: "widget.chat.message",
    Channel.HELPDESK: "zendesk.ticket.created",
    Channel.API: "api_direct",
}
UNSURE_TEXT = "Peut-être à neuf heures."
SURE_TEXT = "Bonjour, merci beaucoup !"
SURE = ScriptedBrain(category=Category.OTHER, text=SURE_TEXT)
COST = TOKENS_IN + 10 * TOKENS_OUT


class UnsureBrain(ScriptedBrain):
    """An embedded brain that is not certain. `doubt`: its own reason to escalate."""

    def __init__(self, doubt: EscalationReason | None = None, text: str = UNSURE_TEXT) -> None:
        super().__init__(category=Category.OTHER, text=text)
        self._doubt = doubt

    async def think(self, request: BrainRequest) -> BrainAnswer:
        answer = await super().think(request)
        return answer.model_copy(update={"confidence": 0.2, "doubt": self._doubt})


@dataclass
class Bench:
    """The thinking step with a model on a local server."""

    database: Database
    shop: Shop
    server: LlmServer
    think: Think

    async def ask(self, ref: RunRef, **more: object) -> ThinkResult:
        return await self.think.think(ThinkInput(ref=ref, threshold=0.7, **more))

    async def message(self, channel: Channel = Channel.API) -> RunRef:
        self.server.asked.clear()
        return await normalized(self.database, self.shop, event_type=EVENTS[channel])

    async def run(self, ref: RunRef) -> dict[str, Any]:
        return await only_row(self.database, engine_runs, id=ref.run_id)

    async def booked(self) -> dict[str, Any]:
        return await only_row(self.database, brain_costs, of=self.shop)

    async def alarms(self) -> dict[str, bool]:
        """Return for each alarm whether it is open."""
        found = await rows(self.database, model_alarms, of=self.shop)
        return {row["fault"]: row["ended_at"] is None for row in found}

    def with_embedded(self, embedded: ScriptedBrain) -> "Bench":
        brains = self.think._brain_budget._brains
        changed = _think(self.database, replace(brains, embedded=embedded))
        return replace(self, think=changed)


def _think(database: Database, brains: Brains) -> Think:
    return Think(
        database,
        BrainBudget(database, brains, utc_now),
        None,
        utc_now,
        new_ulid,
        net=SafetyGrammar(),
        sealer=FernetSealer(new_seal_key()),
        patience=PATIENCE,
    )


@pytest.fixture(scope="module")
def classifier() -> Classifier:
    return Classifier.load()


@pytest.fixture
async def bench(
    database: Database, classifier: Classifier, monkeypatch: pytest.MonkeyPatch
) -> AsyncIterator[Bench]:
    monkeypatch.setattr("adapters.brain.llm_tries._DOUBLING", wait_none())
    # The circuit stays closed, so that each kind of fault reaches the model.
    monkeypatch.setattr("domain.agent.circuit.FAULTS_TO_OPEN", 1_000)
    async with llm_server() as server:
        model = brain(classifier, configured(server), deadline_s=2)
        money = ModelBudget(month_micros=1_000_000_000)
        brains = Brains(UnsureBrain(), model, reserve_micros=COST, budget=money)
        shop = await open_shop(database)
        yield Bench(database, shop, server, _think(database, brains))


async def test_every_fault_in_every_channel_ends_in_a_review(bench: Bench) -> None:
    spent = calls = 0
    for kind, (reply, fault) in FAULTS.items():
        for channel in Channel:
            if kind == "slow" and channel is not Channel.API:
                continue  # Each call lasts until the deadline.
            ref = await bench.message(channel)
            bench.server.script = [reply]
            found = await bench.ask(ref)

            run = await bench.run(ref)
            assert found.review_reason is EscalationReason.MODEL_UNAVAILABLE, (kind, channel)
            assert found.model_wait_s == 0
            assert (run["model_fault"], run["draft"]) == (fault, UNSURE_TEXT)
            assert run["model"] == "scripted"
            cost = COST * len(bench.server.asked) if kind in BILLED else 0
            assert run["cost_micros"] == cost, kind
            spent, calls = spent + cost, calls + 1
    booked = await bench.booked()
    assert (booked["calls"], booked["cost_micros"]) == (calls, spent)


async def test_a_certain_embedded_brain_answers(bench: Bench) -> None:
    bench = bench.with_embedded(SURE)
    for kind in ("server_error", "unauthorized", "truncated"):
        ref = await bench.message()
        bench.server.script = [FAULTS[kind][0]]

        found = await bench.ask(ref, patient=True)

        assert (found.review_reason, found.model_wait_s) == (None, 0)
        run = await bench.run(ref)
        assert (run["draft"], run["model_fault"]) == (SURE_TEXT, FAULTS[kind][1])


@pytest.mark.parametrize(
    "doubt", [EscalationReason.CUSTOMER_REQUEST, EscalationReason.UNSAFE_INPUT]
)
async def test_a_reason_in_the_message_stays_the_reason(
    bench: Bench, doubt: EscalationReason
) -> None:
    bench = bench.with_embedded(UnsureBrain(doubt, SURE_TEXT))
    ref = await bench.message(Channel.EMAIL)
    bench.server.script = [Fail(500)]

    found = await bench.ask(ref, patient=True)

    assert (found.review_reason, found.model_wait_s) == (doubt, 0)
    assert (await bench.run(ref))["model_fault"] == ModelFault.OUTAGE


async def test_only_mail_and_helpdesk_tickets_wait_and_only_for_what_may_pass(
    bench: Bench,
) -> None:
    for kind in ("server_error", "unauthorized", "not_found", "truncated", "azure_filter"):
        for channel in Channel:
            ref = await bench.message(channel)
            reply, fault = FAULTS[kind]
            bench.server.script = [reply]

            found = await bench.ask(ref, patient=True)

            waits = channel in PATIENCE and fault in PASSING
            assert (found.model_wait_s > 0) is waits, (kind, channel)
            run = await bench.run(ref)
            assert (run["model_fault"], run["classification"] is None) == (fault, waits)
            assert run["status"] == "received"


async def test_a_wait_ends_with_the_model_or_with_a_review(bench: Bench) -> None:
    """The costs of all calls are added up, in the run and in the month."""
    answered = said(language="fr", response="", doubt="missing_knowledge")
    for last, reason in ((answered, "missing_knowledge"), (None, "model_unavailable")):
        ref = await bench.message(Channel.EMAIL)
        bench.server.script = [Fail(500)]
        first = await bench.ask(ref, patient=True)
        assert first.model_wait_s == 60
        second = await bench.ask(ref, patient=True, model_tries=1, model_waited_s=60)
        assert second.model_wait_s == 120
        bench.server.script = [last or Fail(500)]

        over = PATIENCE[Channel.EMAIL].total_seconds()
        found = await bench.ask(ref, patient=True, model_tries=9, model_waited_s=over)

        assert (found.review_reason, found.model_wait_s) == (reason, 0)
        run = await bench.run(ref)
        assert run["model_fault"] == (None if last else ModelFault.OUTAGE)
        assert run["cost_micros"] == (COST if last else 0)


async def test_a_bad_key_raises_an_alarm_until_a_call_works(bench: Bench) -> None:
    for kind in ("server_error", "truncated"):
        bench.server.script = [FAULTS[kind][0]]
        await bench.ask(await bench.message())
    assert await bench.alarms() == {}

    for reply in (Fail(401), Fail(402), Fail(401)):
        bench.server.script = [reply]
        await bench.ask(await bench.message())
    assert await bench.alarms() == {"unauthorized": True, "quota_exceeded": True}

    bench.server.script = [Fail(500)]
    await bench.ask(await bench.message())
    assert await bench.alarms() == {"unauthorized": True, "quota_exceeded": True}

    bench.server.script = [said()]
    await bench.ask(await bench.message())
    assert await bench.alarms() == {"unauthorized": False, "quota_exceeded": False}


async def test_a_used_up_budget_is_a_fault_and_an_alarm(bench: Bench) -> None:
    async with bench.database.service() as connection:
        await ClientRepository(connection).set_brain_budget(bench.shop.client_id, 0)
    ref = await bench.message(Channel.EMAIL)

    found = await bench.ask(ref, patient=True)

    assert bench.server.asked == []
    assert (found.review_reason, found.model_wait_s) == ("model_unavailable", 0)
    assert (await bench.run(ref))["model_fault"] == ModelFault.BUDGET
    assert await bench.alarms() == {"budget": True}
    assert ModelFault.BUDGET in ALARMING
    async with bench.database.service() as connection:
        await ClientRepository(connection).set_brain_budget(bench.shop.client_id, None)
    bench.server.script = [said()]
    await bench.ask(await bench.message())
    assert await bench.alarms() == {"budget": False}


async def test_a_repeated_attempt_does_not_pay_again(
    bench: Bench, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The result of the first attempt is lost between the model's response and the database."""
    ref = await bench.message()
    bench.server.script = [said(SURE_TEXT, [], language="fr")]

    async def lost(*_: object, **__: object) -> None:
        raise ConnectionError

    with monkeypatch.context() as patch:
        patch.setattr(Think, "_keep", lost)
        with pytest.raises(ConnectionError):
            await bench.ask(ref)
    kept = await only_row(bench.database, model_calls, of=bench.shop)
    assert kept["run_id"] == ref.run_id

    found = await bench.ask(ref)

    assert found.review_reason is None
    assert len(bench.server.asked) == 1
    assert (await bench.booked())["cost_micros"] == COST
    assert await rows(bench.database, model_calls, of=bench.shop) == []


async def test_another_run_with_the_same_message_calls_the_model(bench: Bench) -> None:
    bench.server.script = [said(SURE_TEXT, [], language="fr"), said(SURE_TEXT, [], language="fr")]
    first = await bench.message()
    await bench.ask(first)
    second = await normalized(bench.database, bench.shop, event_type=EVENTS[Channel.API])

    await bench.ask(second)

    assert len(bench.server.asked) == 2


async def test_a_failing_record_fails_no_answer(
    bench: Bench, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def broken(*_: object) -> None:
        raise OSError

    for method in ("read", "keep"):
        monkeypatch.setattr(ModelCallRepository, method, broken)
    bench.server.script = [said(SURE_TEXT, [], language="fr")]

    assert (await bench.ask(await bench.message())).review_reason is None
