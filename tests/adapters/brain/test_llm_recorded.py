"""Recorded responses of a language model: a repeated request is not sent again."""

import pytest

from adapters.brain.classifier import Classifier
from domain.agent.call_record import call_record, recording
from tests.adapters.brain.test_llm_judge import contradicted, judged_brain, settings, verdicts
from tests.support.agent.llm_brain import EVERY_PROTOCOL, asked, brain, configured, said
from tests.support.servers.llm import TOKENS_IN, Fail, LlmServer


class Record:
    """A record in memory."""

    def __init__(self) -> None:
        self.kept: dict[str, str] = {}

    async def read(self, key: str) -> str | None:
        return self.kept.get(key)

    async def keep(self, key: str, response: str) -> None:
        self.kept[key] = response


@pytest.mark.parametrize("model", EVERY_PROTOCOL)
async def test_a_repeated_request_is_answered_from_the_record(
    classifier: Classifier, server: LlmServer, model: str
) -> None:
    server.script = [said()]
    engine = brain(classifier, configured(server, model))
    with recording(Record()):
        first = await engine.think(asked())
        again = await engine.think(asked())

    assert len(server.asked) == 1
    assert (again.response, again.parts) == (first.response, first.parts)
    # The first attempt has booked the response.
    assert (first.tokens_in, again.tokens_in, again.cost_micros) == (TOKENS_IN, 0, 0)
    assert call_record() is None


async def test_another_message_is_another_request(
    classifier: Classifier, server: LlmServer
) -> None:
    server.script = [said(), said()]
    engine = brain(classifier, configured(server))
    with recording(Record()):
        await engine.think(asked("Where is my order?"))
        await engine.think(asked("Where is my parcel?"))

    assert len(server.asked) == 2


async def test_only_the_missing_calls_are_sent(classifier: Classifier, server: LlmServer) -> None:
    """The first attempt ends between the repair and its verdict."""
    engine = judged_brain(classifier, settings(server))
    record = Record()
    server.script = [
        said("Delivery takes 9 days.", ["k1"]),
        verdicts((1, "contradicted")),
        said("Delivery takes 3 days.", ["k1"]),
        *[Fail(401)] * 4,
    ]
    with recording(record):
        await engine.think_checked(asked(), contradicted)
    assert len(record.kept) == 3
    server.asked.clear()
    server.script = [verdicts((1, "supported"))]

    with recording(record):
        answer = await engine.think_checked(asked(), contradicted)

    assert answer.response == "Delivery takes 3 days."
    assert len(server.asked) == 1


async def test_a_failure_is_not_recorded(classifier: Classifier, server: LlmServer) -> None:
    record = Record()
    server.script = [Fail(500), said()]
    with recording(record):
        await brain(classifier, configured(server)).think(asked())

    assert len(record.kept) == 1


@pytest.mark.parametrize("broken", ["", "[]", "{", '[{"kind": "request", "parts": []}]'])
async def test_an_unreadable_record_counts_as_none(
    classifier: Classifier, server: LlmServer, broken: str
) -> None:
    record = Record()
    server.script = [said(), said()]
    engine = brain(classifier, configured(server))
    with recording(record):
        await engine.think(asked())
        record.kept = dict.fromkeys(record.kept, broken)
        await engine.think(asked())

    assert len(server.asked) == 2
