"""Each provider of language models: its answers, its faults, its bounds, and what its library must
not read or repeat."""

import json
import subprocess
import sys
import time
from typing import Any, Final

import pytest
from google.genai.types import GenerateContentResponse
from mistralai.client.models import ChatCompletionResponse
from openai.types.chat import ChatCompletion
from tenacity import wait_none

from adapters.brain.classifier import Classifier
from adapters.brain.llm import LlmBrain
from adapters.brain.llm_judge import LlmJudge
from adapters.brain.llm_models import judge_of, models_of
from domain.agent.brain import Verdict
from domain.agent.errors import BrainFailed
from domain.agent.escalation_reason import EscalationReason
from domain.agent.model_fault import ModelFault
from domain.core.errors import InvalidInput
from settings.brain import ModelProvider
from tests.support.agent.llm_brain import (
    EVERY_PROTOCOL,
    GOOGLE,
    MISTRAL,
    SAME_PROTOCOL,
    asked,
    brain,
    configured,
    said,
)
from tests.support.core.engine import settings_of
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
    Reply,
    Say,
)
from tests.support.servers.llm_google import google_error, whole_content
from tests.support.servers.llm_whole import whole_completion

ALL: Final = [*EVERY_PROTOCOL, *SAME_PROTOCOL]
NEW: Final = [MISTRAL, GOOGLE, *SAME_PROTOCOL]
AZURE: Final = SAME_PROTOCOL[0]
OPENROUTER: Final = SAME_PROTOCOL[2]
BY_TOOL: Final = (MISTRAL, SAME_PROTOCOL[3])
TOKENS: Final = (TOKENS_IN, TOKENS_OUT)
COST: Final = TOKENS_IN + 10 * TOKENS_OUT
CANARY: Final = "canary-of-the-environment"
# What the libraries read, by their documentation and source.
ENVIRONMENT: Final = (
    *("OPENAI_API_KEY", "OPENAI_ORG_ID", "OPENAI_PROJECT_ID", "OPENAI_ADMIN_KEY"),
    *("ANTHROPIC_API_KEY", "ANTHROPIC_AUTH_TOKEN", "ANTHROPIC_PROFILE"),
    *("MISTRAL_API_KEY", "MISTRAL_SA_TOKEN_PATH", "MISTRAL_SDK_TELEMETRY"),
    *("GOOGLE_API_KEY", "GEMINI_API_KEY", "GOOGLE_CLOUD_PROJECT", "GOOGLE_CLOUD_LOCATION"),
    *("GOOGLE_GENAI_REPLAY_ID", "GOOGLE_GENAI_REPLAYS_DIRECTORY"),
    *("AZURE_OPENAI_API_KEY", "OPENAI_API_VERSION", "AZURE_VOICELIVE_API_KEY"),
    *("OPENROUTER_API_KEY", "OPENROUTER_APP_TITLE", "OLLAMA_API_KEY"),
)
URLS: Final = (
    *("OPENAI_BASE_URL", "ANTHROPIC_BASE_URL", "GOOGLE_GEMINI_BASE_URL", "GOOGLE_VERTEX_BASE_URL"),
    *("AZURE_OPENAI_ENDPOINT", "AZURE_VOICELIVE_ENDPOINT", "OLLAMA_BASE_URL"),
    *("OPENROUTER_APP_URL", "HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY"),
)


def _json(body: dict[str, Any], status: int = 200) -> Raw:
    return Raw(json.dumps(body).encode(), status=status)


def truncated(model: str) -> Reply:
    """The reply to a request that reached the token limit."""
    half = '{"category": "order_st'
    if model == GOOGLE:
        return _json(whole_content(model, half, TOKENS, reason="MAX_TOKENS"))
    by_tool = model in BY_TOOL
    body = whole_completion(model, {} if by_tool else half, None, TOKENS, "answer")
    choice = body["choices"][0]
    choice["finish_reason"] = "length"
    if by_tool:
        choice["message"]["tool_calls"][0]["function"]["arguments"] = half
    return _json({"provider": "OpenAI"} | body)


@pytest.fixture(autouse=True)
def _retries_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("adapters.brain.llm_tries._DOUBLING", wait_none())


async def fault_at(
    classifier: Classifier, server: LlmServer, model: str, reply: Reply, deadline_s: float = 3
) -> BrainFailed:
    server.script = [reply]
    with pytest.raises(BrainFailed) as caught:
        await brain(classifier, configured(server, model), deadline_s=deadline_s).think(asked())
    return caught.value


def test_the_local_server_answers_in_the_libraries_types() -> None:
    """The types come from the providers' own libraries."""
    for answer in ("text", {"a": 1}):
        for tool in (None, "answer"):
            body = whole_completion("m", answer, None, TOKENS, tool)
            assert ChatCompletion.model_validate(body, strict=True)
            assert ChatCompletionResponse.model_validate(body)
        parsed = GenerateContentResponse.model_validate(whole_content("m", answer, TOKENS))
        assert parsed.text
        assert parsed.usage_metadata is not None
        assert parsed.usage_metadata.prompt_token_count == TOKENS_IN


@pytest.mark.parametrize("model", SAME_PROTOCOL)
async def test_a_provider_with_openais_protocol_answers(
    classifier: Classifier, server: LlmServer, model: str
) -> None:
    server.script = [said()]

    answer = await brain(classifier, configured(server, model)).think(asked())

    assert answer.response.startswith("Hello")
    assert answer.model == model
    assert (answer.tokens_in, answer.tokens_out) == TOKENS
    assert answer.cost_micros == COST
    assert [one.key for one in server.asked] == [KEY]


@pytest.mark.parametrize("judge", SAME_PROTOCOL)
async def test_it_judges(classifier: Classifier, server: LlmServer, judge: str) -> None:
    verdict = {"part": 1, "why": "It says so.", "verdict": "supported"}
    server.script = [said(), Say({"verdicts": [verdict]})]
    settings = configured(
        server, judge, brain_judge_model=judge, brain_judge_price_in=1, brain_judge_price_out=10
    )
    chosen = judge_of(settings.brain)
    assert chosen is not None

    thinking = LlmBrain(models_of(settings.brain), classifier, judge=LlmJudge(chosen))
    answer = await thinking.think(asked())

    assert [part.verdict for part in answer.parts] == [Verdict.SUPPORTED]
    assert answer.cost_micros == 2 * COST
    # The judge at the same provider and URL uses the same key.
    assert [one.key for one in server.asked] == [KEY, KEY]


FAULTS: Final[dict[str, tuple[Reply, ModelFault]]] = {
    "unauthorized": (Fail(401), ModelFault.UNAUTHORIZED),
    "forbidden": (Fail(403), ModelFault.UNAUTHORIZED),
    "not_found": (Fail(404), ModelFault.NOT_FOUND),
    "rejected": (Fail(400), ModelFault.REJECTED),
    "rate_limit": (Fail(429, {"retry-after": "3600"}), ModelFault.RATE_LIMITED),
    "server_error": (Fail(500), ModelFault.OUTAGE),
    "unavailable": (Fail(503), ModelFault.OUTAGE),
    "redirect": (Fail(302, {"location": "http://127.0.0.1:1/"}), ModelFault.OUTAGE),
    "broken_connection": (Cut(), ModelFault.OUTAGE),
    "endless_body": (Flood(), ModelFault.OUTAGE),
    "compressed_body": (Raw(b"x", {"content-encoding": "gzip"}), ModelFault.OUTAGE),
    "html": (Raw(b"<html>down</html>"), ModelFault.OUTAGE),
    "slow": (Drip(), ModelFault.TIMEOUT),
    "no_json": (Say("I would say yes."), ModelFault.INVALID_ANSWER),
    "blank": (Say(" \n"), ModelFault.EMPTY),
}


@pytest.mark.parametrize("kind", FAULTS)
@pytest.mark.parametrize("model", NEW)
async def test_a_fault_has_its_name(
    classifier: Classifier, server: LlmServer, model: str, kind: str
) -> None:
    reply, fault = FAULTS[kind]

    failed = await fault_at(classifier, server, model, reply, 1)

    assert failed.fault is fault
    assert server.sent < 8 * 1024 * 1024  # at most the socket buffers


@pytest.mark.parametrize("model", [MISTRAL, *SAME_PROTOCOL])
async def test_no_credit_is_no_outage(
    classifier: Classifier, server: LlmServer, model: str
) -> None:
    assert (await fault_at(classifier, server, model, Fail(402))).fault is ModelFault.QUOTA_EXCEEDED


@pytest.mark.parametrize("model", NEW)
async def test_other_json_is_no_answer(
    classifier: Classifier, server: LlmServer, model: str
) -> None:
    """The libraries differ in how much of a response they require."""
    failed = await fault_at(classifier, server, model, Raw(b'{"a": 1}'))

    assert failed.fault in {ModelFault.OUTAGE, ModelFault.EMPTY, ModelFault.INVALID_ANSWER}


@pytest.mark.parametrize("model", NEW)
async def test_a_truncated_answer_is_counted(
    classifier: Classifier, server: LlmServer, model: str
) -> None:
    failed = await fault_at(classifier, server, model, truncated(model))

    assert failed.fault is ModelFault.TRUNCATED
    calls = len(server.asked)
    assert (failed.tokens_in, failed.tokens_out) == (calls * TOKENS_IN, calls * TOKENS_OUT)
    assert failed.cost_micros == calls * COST


@pytest.mark.parametrize("model", SAME_PROTOCOL)
async def test_a_refusal_is_for_a_human(
    classifier: Classifier, server: LlmServer, model: str
) -> None:
    server.script = [Say(refusal="I cannot help with that.")]

    answer = await brain(classifier, configured(server, model)).think(asked())

    assert (answer.response, answer.doubt) == ("", EscalationReason.UNSAFE_INPUT)
    assert answer.cost_micros == COST


async def test_a_filtered_prompt_at_azure_is_for_a_human(
    classifier: Classifier, server: LlmServer
) -> None:
    inner = {"code": "ResponsibleAIPolicyViolation", "content_filter_result": {}}
    error = {"message": "filtered", "code": "content_filter", "innererror": inner}
    server.script = [_json({"error": {"status": 400, **error}}, 400)]

    answer = await brain(classifier, configured(server, AZURE)).think(asked())

    assert (answer.response, answer.doubt) == ("", EscalationReason.UNSAFE_INPUT)
    assert len(server.asked) == 1


async def test_a_filtered_prompt_at_google_is_for_a_human(
    classifier: Classifier, server: LlmServer
) -> None:
    usage = {"promptTokenCount": TOKENS_IN, "totalTokenCount": TOKENS_IN}
    blocked = {"promptFeedback": {"blockReason": "PROHIBITED_CONTENT"}, "usageMetadata": usage}
    server.script = [_json(blocked)]

    answer = await brain(classifier, configured(server, GOOGLE)).think(asked())

    assert (answer.response, answer.doubt) == ("", EscalationReason.UNSAFE_INPUT)
    assert answer.tokens_in == TOKENS_IN


async def test_google_names_a_wrong_key_and_a_daily_quota(
    classifier: Classifier, server: LlmServer
) -> None:
    wrong = _json(google_error(400, "API key not valid.", None, "API_KEY_INVALID"), 400)
    assert (await fault_at(classifier, server, GOOGLE, wrong)).fault is ModelFault.UNAUTHORIZED

    body = google_error(429, "Quota exceeded.", "20", None)
    kind = "type.googleapis.com/google.rpc.QuotaFailure"
    quota = {"quotaId": "GenerateRequestsPerDayPerProjectPerModel-FreeTier"}
    body["error"]["details"].append({"@type": kind, "violations": [quota]})
    used_up = await fault_at(classifier, server, GOOGLE, _json(body, 429))
    assert used_up.fault is ModelFault.QUOTA_EXCEEDED


async def test_openrouter_reports_an_error_with_status_200(
    classifier: Classifier, server: LlmServer
) -> None:
    reply = _json({"error": {"code": 502, "message": "Provider returned error"}})

    assert (await fault_at(classifier, server, OPENROUTER, reply)).fault is ModelFault.OUTAGE


async def test_openrouter_asks_only_providers_that_store_nothing(
    classifier: Classifier, server: LlmServer
) -> None:
    server.script = [said()]

    await brain(classifier, configured(server, OPENROUTER)).think(asked())

    assert server.asked[0].body["provider"] == {
        "data_collection": "deny",
        "require_parameters": True,
    }


@pytest.mark.parametrize("model", NEW)
async def test_no_library_retries(classifier: Classifier, server: LlmServer, model: str) -> None:
    """The tries are those of `llm_tries.py`."""
    await fault_at(classifier, server, model, Fail(500))

    assert len(server.asked) == 4


@pytest.mark.parametrize("model", NEW)
async def test_retry_after_is_kept(classifier: Classifier, server: LlmServer, model: str) -> None:
    server.script = [Fail(429, {"retry-after": "1"}), said()]
    started = time.monotonic()

    await brain(classifier, configured(server, model)).think(asked())

    assert 1 <= time.monotonic() - started < 5


@pytest.mark.parametrize("model", ALL)
async def test_no_library_reads_the_environment(
    classifier: Classifier, server: LlmServer, model: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ENVIRONMENT:
        monkeypatch.setenv(name, CANARY)
    for name in URLS:
        monkeypatch.setenv(name, f"http://{CANARY}.example")
    for name in ("OPENAI_CUSTOM_HEADERS", "ANTHROPIC_CUSTOM_HEADERS"):
        monkeypatch.setenv(name, f"x-header: {CANARY}")
    monkeypatch.setenv("GOOGLE_GENAI_CLIENT_MODE", "replay")
    monkeypatch.setenv("GOOGLE_GENAI_USE_VERTEXAI", "true")
    server.script = [said()]

    await brain(classifier, configured(server, model)).think(asked())

    sent = server.asked[0]
    assert CANARY not in json.dumps([sent.path, sent.headers, sent.body])
    assert sent.key == KEY


@pytest.mark.parametrize("model", ALL)
async def test_no_log_has_a_key_or_a_customers_words(
    classifier: Classifier,
    server: LlmServer,
    model: str,
    caplog: pytest.LogCaptureFixture,
    capsys: pytest.CaptureFixture[str],
) -> None:
    await fault_at(classifier, server, model, Fail(400))

    logged = caplog.text + "".join(capsys.readouterr())
    assert KEY not in logged
    assert "two weeks now" not in logged


@pytest.mark.parametrize(
    ("more", "named"),
    [
        ({"brain_model": "azure:d", "brain_api_key": KEY}, "BRAIN_BASE_URL"),
        ({"brain_model": "azure:d", "brain_base_url": "http://a"}, "BRAIN_API_KEY"),
        ({"brain_model": "ollama:qwen3"}, "BRAIN_BASE_URL"),
        ({"brain_model": "ollama:qwen3", "brain_base_url": "http://a/v1"}, "BRAIN_PRICE_IN"),
        ({"brain_model": MISTRAL}, "BRAIN_API_KEY"),
        ({"brain_model": GOOGLE}, "BRAIN_API_KEY"),
        ({"brain_model": OPENROUTER}, "BRAIN_API_KEY"),
        ({"brain_model": "google:unheard-of", "brain_api_key": KEY}, "BRAIN_PRICE_IN"),
    ],
)
def test_what_is_missing_is_named(more: dict[str, object], named: str) -> None:
    with pytest.raises(InvalidInput, match=named):
        models_of(settings_of("postgresql://a/b", "c:1", **more).brain)


@pytest.mark.parametrize("model", [*NEW[:2], AZURE, *SAME_PROTOCOL[2:]])
def test_the_list_has_its_price(model: str) -> None:
    url = {"brain_base_url": "https://shop.openai.azure.com"} if model == AZURE else {}
    settings = settings_of("postgresql://a/b", "c:1", brain_model=model, brain_api_key=KEY, **url)

    (one,) = models_of(settings.brain)

    assert one.price is None


LIBRARIES: Final = {
    ModelProvider.OPENAI: "openai",
    ModelProvider.AZURE: "openai",
    ModelProvider.OPENROUTER: "openai",
    ModelProvider.OLLAMA: "openai",
    ModelProvider.ANTHROPIC: "anthropic",
    ModelProvider.MISTRAL: "mistralai",
    ModelProvider.GOOGLE: "google.genai",
}
LOADED: Final = """
import sys
from adapters.brain.llm_providers import model_at
model_at({model!r}, "http://127.0.0.1:1/v1", "k")
print(*sorted({{"openai", "anthropic", "mistralai", "google.genai"}} & set(sys.modules)))
"""


@pytest.mark.parametrize("provider", [ModelProvider.MISTRAL, ModelProvider.GOOGLE])
def test_only_the_chosen_library_is_loaded(provider: ModelProvider) -> None:
    program = LOADED.format(model=f"{provider}:m")
    run = subprocess.run([sys.executable, "-c", program], capture_output=True, check=True)

    assert run.stdout.decode().split() == [LIBRARIES[provider]]
