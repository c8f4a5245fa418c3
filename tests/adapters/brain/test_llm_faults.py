"""Faults of model providers: their names, their costs, the fallback model and the circuit
breaker."""

import asyncio

import pytest
from tenacity import wait_none

from adapters.brain.classifier import Classifier
from domain.agent.circuit import FAULTS_TO_OPEN
from domain.agent.errors import BrainFailed
from domain.agent.model_fault import ModelFault
from settings import Settings
from tests.support.agent.llm_brain import NATIVE, asked, brain, configured, said
from tests.support.agent.model_faults import BILLED, FAULTS
from tests.support.servers.llm import (
    KEY,
    TOKENS_IN,
    TOKENS_OUT,
    Asked,
    Drip,
    Fail,
    LlmServer,
    Think,
)


@pytest.fixture(autouse=True)
def _retries_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("adapters.brain.llm_tries._DOUBLING", wait_none())


def with_spare(server: LlmServer, spare: LlmServer) -> Settings:
    return configured(
        server,
        brain_fallback_model=NATIVE,
        brain_fallback_base_url=spare.anthropic_url,
        brain_fallback_api_key=KEY,
    )


@pytest.mark.parametrize("kind", FAULTS)
async def test_a_fault_has_a_name_and_what_it_cost(
    classifier: Classifier, server: LlmServer, kind: str
) -> None:
    reply, fault = FAULTS[kind]
    server.script = [reply]

    with pytest.raises(BrainFailed) as caught:
        await brain(classifier, configured(server), deadline_s=2).think(asked())

    failure, calls = caught.value, len(server.asked) if kind in BILLED else 0
    assert failure.fault is fault
    assert failure.cost_micros == calls * (TOKENS_IN + 10 * TOKENS_OUT)
    assert (failure.tokens_in, failure.tokens_out) == (calls * TOKENS_IN, calls * TOKENS_OUT)


@pytest.mark.parametrize("kind", FAULTS)
async def test_the_second_model_answers_and_the_answer_names_the_fault(
    classifier: Classifier, server: LlmServer, spare: LlmServer, kind: str
) -> None:
    reply, fault = FAULTS[kind]
    server.script, spare.script = [reply], [said()]

    answer = await brain(classifier, with_spare(server, spare), deadline_s=4).think(asked())

    assert (answer.model, answer.fault) == (NATIVE, fault)
    assert len(spare.asked) == 1


async def test_a_working_model_has_no_fault(classifier: Classifier, server: LlmServer) -> None:
    server.script = [said()]

    answer = await brain(classifier, configured(server)).think(asked())

    assert answer.fault is None


async def test_a_bad_key_is_reported_before_an_outage(
    classifier: Classifier, server: LlmServer, spare: LlmServer
) -> None:
    server.script, spare.script = [Fail(500)], [Fail(401)]

    with pytest.raises(BrainFailed) as caught:
        await brain(classifier, with_spare(server, spare), deadline_s=1).think(asked())

    assert caught.value.fault is ModelFault.UNAUTHORIZED


async def test_an_open_circuit_calls_only_the_other_provider(
    classifier: Classifier, server: LlmServer, spare: LlmServer
) -> None:
    server.script, spare.script = [Fail(401)], [said()]
    engine = brain(classifier, with_spare(server, spare))
    for _ in range(FAULTS_TO_OPEN):
        assert (await engine.think(asked())).fault is ModelFault.UNAUTHORIZED
    assert len(server.asked) == FAULTS_TO_OPEN

    answer = await engine.think(asked())

    assert (answer.model, answer.fault) == (NATIVE, ModelFault.CIRCUIT_OPEN)
    assert len(server.asked) == FAULTS_TO_OPEN


async def test_models_of_one_account_share_a_circuit(
    classifier: Classifier, server: LlmServer
) -> None:
    server.script = [Fail(401)]
    settings = configured(server, brain_fallback_model="openai:gpt-5-nano")
    engine = brain(classifier, settings)
    for _ in range(FAULTS_TO_OPEN):
        with pytest.raises(BrainFailed):
            await engine.think(asked())
    calls = len(server.asked)

    with pytest.raises(BrainFailed) as caught:
        await engine.think(asked())

    assert caught.value.fault is ModelFault.CIRCUIT_OPEN
    assert len(server.asked) == calls == FAULTS_TO_OPEN


async def test_a_cancelled_call_counts_for_nothing(
    classifier: Classifier, server: LlmServer
) -> None:
    arrived = asyncio.Event()

    def arrive(_: Asked) -> Drip:
        arrived.set()
        return Drip()

    server.script = [Think(arrive)]
    engine = brain(classifier, configured(server))
    for _ in range(FAULTS_TO_OPEN):
        call = asyncio.create_task(engine.think(asked()))
        await arrived.wait()
        arrived.clear()
        call.cancel()
        await asyncio.gather(call, return_exceptions=True)
    server.script = [said()]

    assert (await engine.think(asked())).fault is None
