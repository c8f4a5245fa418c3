"""The brain with language models over HTTP: providers that respond, fail, flood and hang."""

import time

import pytest
import structlog

from adapters.brain.classifier import Classifier
from adapters.brain.llm_prompt import PROMPT_VERSION
from domain.agent.brain import BrainAnswer, Category
from domain.agent.errors import BrainFailed, BrainInvalid, BrainUnavailable
from domain.agent.escalation_reason import EscalationReason
from domain.agent.intent import Intent
from domain.agent.plan import ActionKind
from tests.support.agent.llm_brain import (
    EVERY_PROTOCOL,
    MISTRAL,
    NATIVE,
    OPENAI,
    asked,
    brain,
    configured,
    said,
)
from tests.support.servers.llm import (
    KEY,
    TOKENS_IN,
    TOKENS_OUT,
    Cut,
    Drip,
    Fail,
    Flood,
    LlmServer,
    Raw,
    Say,
)


@pytest.mark.parametrize("model", EVERY_PROTOCOL)
async def test_answer(classifier: Classifier, server: LlmServer, model: str) -> None:
    refund = {"kind": "refund", "note": "x", "tags": ["y"], "quote": " Where is it, please? "}
    wants = ["track_order", "refund", "track_order"]
    server.script = [said(actions=[refund], intents=wants, closes=True)]

    answer = await brain(classifier, configured(server, model)).think(asked())

    assert answer == BrainAnswer(
        classification=Category.ORDER_STATUS,
        intents=(Intent.TRACK_ORDER, Intent.REFUND),
        closes=True,
        prompt_version=PROMPT_VERSION,
        confidence=0.9,
        language="en",
        sentiment=-0.25,
        response="Hello,\n\nYour order 1042 is on its way, we hope you will enjoy it.",
        parts=answer.parts,
        citations=answer.citations,
        proposals=answer.proposals,
        model=model,
        tokens_in=TOKENS_IN,
        tokens_out=TOKENS_OUT,
        cost_micros=TOKENS_IN + 10 * TOKENS_OUT,
    )
    assert [(one.kind, one.id) for one in answer.citations] == [
        ("knowledge", "entry-id"),
        ("order", "gid-secret-7"),
    ]
    assert [one.model_dump() for one in answer.proposals] == [
        {"kind": ActionKind.REFUND, "text": "", "tags": (), "quote": "Where is it, please?"}
    ]


@pytest.mark.parametrize("model", EVERY_PROTOCOL)
@pytest.mark.parametrize("trouble", [Cut(), Fail(500), Fail(503), Fail(429, {"retry-after": "0"})])
async def test_passing_trouble_is_waited_for(
    classifier: Classifier, server: LlmServer, model: str, trouble: Cut | Fail
) -> None:
    server.script = [trouble, said()]

    answer = await brain(classifier, configured(server, model)).think(asked())

    assert answer.response
    assert len(server.asked) == 2


async def test_retry_after_is_kept(classifier: Classifier, server: LlmServer) -> None:
    server.script = [Fail(429, {"retry-after": "1"}), said()]
    started = time.monotonic()

    await brain(classifier, configured(server)).think(asked())

    assert time.monotonic() - started >= 1


async def test_retry_after_beyond_the_deadline_is_not_waited_for(
    classifier: Classifier, server: LlmServer, spare: LlmServer
) -> None:
    server.script, spare.script = [Fail(429, {"retry-after": "60"})], [said()]
    settings = configured(
        server, brain_fallback_model=NATIVE, brain_fallback_base_url=spare.anthropic_url,
        brain_fallback_api_key=KEY,
    )  # fmt: skip
    started = time.monotonic()

    answer = await brain(classifier, settings).think(asked())

    assert answer.model == NATIVE
    assert len(server.asked) == 1
    assert time.monotonic() - started < 5


@pytest.mark.parametrize("status", [400, 401, 404])
async def test_what_was_refused_is_not_sent_again(
    classifier: Classifier, server: LlmServer, status: int
) -> None:
    server.script = [Fail(status)]

    with pytest.raises(BrainUnavailable):
        await brain(classifier, configured(server)).think(asked())

    assert len(server.asked) == 1


@pytest.mark.parametrize("model", EVERY_PROTOCOL)
@pytest.mark.parametrize(
    "malformed",
    [
        Say('{"category": "order_sta'),
        Say({"category": "no_such_class"}),
        said(confidence="high"),
        said(unheard_of=1),
        said(intents=["world_peace"]),
        said(response="  "),
        said(response="long " * 2_000),
    ],
)
async def test_malformed_answer_is_repaired_once(
    classifier: Classifier, server: LlmServer, model: str, malformed: Say
) -> None:
    server.script = [malformed, said()]

    answer = await brain(classifier, configured(server, model)).think(asked())

    assert answer.response.startswith("Hello")
    assert len(server.asked) == 2
    assert answer.tokens_in == 2 * TOKENS_IN


async def test_malformed_answer_is_repaired_only_once(
    classifier: Classifier, server: LlmServer
) -> None:
    server.script = [Say("no JSON"), Say("no JSON"), said()]

    with pytest.raises(BrainInvalid) as caught:
        await brain(classifier, configured(server)).think(asked())

    assert len(server.asked) == 2
    assert caught.value.cost_micros == 2 * (TOKENS_IN + 10 * TOKENS_OUT)


# Mistral's answers have no form of a refusal.
@pytest.mark.parametrize("model", [one for one in EVERY_PROTOCOL if one != MISTRAL])
async def test_refusal_is_for_a_human(
    classifier: Classifier, server: LlmServer, model: str
) -> None:
    server.script = [Say(refusal="I cannot help with that.")]

    answer = await brain(classifier, configured(server, model)).think(asked())

    assert (answer.confidence, answer.response) == (0.0, "")
    assert answer.doubt is EscalationReason.UNSAFE_INPUT
    assert answer.prompt_version == PROMPT_VERSION
    assert answer.cost_micros > 0


async def test_endless_answer_is_not_read(classifier: Classifier, server: LlmServer) -> None:
    server.script = [Flood()]

    with pytest.raises(BrainUnavailable):
        await brain(classifier, configured(server)).think(asked())

    assert server.sent < 8 * 1024 * 1024  # at most the socket buffers


async def test_compressed_answer_is_not_unpacked(classifier: Classifier, server: LlmServer) -> None:
    server.script = [Raw(b"\x1f\x8b not really", {"content-encoding": "gzip"}), said()]

    assert (await brain(classifier, configured(server)).think(asked())).response
    assert len(server.asked) == 2


@pytest.mark.parametrize("model", EVERY_PROTOCOL)
async def test_slow_drip_ends_with_the_deadline(
    classifier: Classifier, server: LlmServer, model: str
) -> None:
    server.script = [Drip()]
    started = time.monotonic()

    with pytest.raises(BrainUnavailable):
        await brain(classifier, configured(server, model), deadline_s=0.5).think(asked())

    assert 0.4 < time.monotonic() - started < 5


async def test_fallback_has_time_left(
    classifier: Classifier, server: LlmServer, spare: LlmServer
) -> None:
    server.script, spare.script = [Drip()], [said()]
    settings = configured(
        server, brain_fallback_model=OPENAI, brain_fallback_base_url=spare.openai_url,
        brain_fallback_api_key=KEY,
    )  # fmt: skip

    answer = await brain(classifier, settings, deadline_s=3).think(asked())

    assert answer.response
    assert len(spare.asked) == 1


@pytest.mark.parametrize("trouble", [Fail(500), Drip(), Cut(), Fail(429, {"retry-after": "1"})])
async def test_nobody_answers(
    classifier: Classifier, server: LlmServer, spare: LlmServer, trouble: Fail | Drip | Cut
) -> None:
    server.script, spare.script = [trouble], [trouble]
    settings = configured(
        server, brain_fallback_model=NATIVE, brain_fallback_base_url=spare.anthropic_url,
        brain_fallback_api_key=KEY,
    )  # fmt: skip
    started = time.monotonic()

    with pytest.raises(BrainUnavailable) as caught:
        await brain(classifier, settings, deadline_s=2).think(asked())

    assert time.monotonic() - started < 6
    assert server.asked
    assert spare.asked
    assert not caught.value.retryable


async def test_nobody_listens(classifier: Classifier, server: LlmServer) -> None:
    settings = configured(server, brain_base_url="http://127.0.0.1:1/v1")

    with pytest.raises(BrainUnavailable):
        await brain(classifier, settings, deadline_s=1).think(asked())


@pytest.mark.parametrize("reply", [Fail(401), Fail(500), Say("no JSON"), Cut()])
async def test_no_key_and_no_words_in_errors_and_logs(
    classifier: Classifier, server: LlmServer, reply: Fail | Say | Cut
) -> None:
    server.script = [reply]
    with structlog.testing.capture_logs() as lines, pytest.raises(BrainFailed) as caught:
        await brain(classifier, configured(server), deadline_s=1).think(asked())

    told = repr(lines) + repr(caught.value) + repr(vars(caught.value))
    assert lines
    assert KEY not in told
    assert "waiting" not in told
    assert caught.value.__cause__ is None
    assert caught.value.__context__ is None
