"""Embeddings requested over HTTP."""

import time
from collections.abc import AsyncIterator

import pytest
import structlog
from pydantic import SecretStr

from adapters.brain.embeddings import OpenAIEmbedder, embedder_from
from domain.agent.embedding import Embedding
from domain.agent.errors import EmbeddingUnavailable
from domain.core.errors import InvalidInput
from domain.core.ids import TenantId
from tests.support.core.engine import settings_of
from tests.support.servers.llm import KEY, Cut, Drip, Fail, Flood, LlmServer, Raw, Reply, llm_server

TENANT = TenantId("01J0000000000000000000000A")
MODEL = "openai:text-embedding-3-small"


@pytest.fixture
async def server() -> AsyncIterator[LlmServer]:
    async with llm_server() as running:
        yield running


def embedder(server: LlmServer, deadline_s: float = 3.0) -> OpenAIEmbedder:
    return OpenAIEmbedder(MODEL, server.openai_url, SecretStr(KEY), deadline_s=deadline_s)


async def test_each_text_gets_its_own(server: LlmServer) -> None:
    embeddings = await embedder(server).embed(("a", "bbb", ""))

    assert embeddings == tuple(
        Embedding(model=MODEL, values=(length, 1.0)) for length in (1.0, 3.0, 1.0)
    )
    (asked,) = server.asked
    assert (asked.body["model"], asked.key) == ("text-embedding-3-small", KEY)


async def test_no_texts_ask_nobody(server: LlmServer) -> None:
    assert await embedder(server).embed(()) == ()
    assert server.asked == []


async def test_long_text_is_cut(server: LlmServer) -> None:
    await embedder(server).embed(("a" * 100_000,))

    assert len(server.asked[0].body["input"][0]) == 8_000


@pytest.mark.parametrize(
    "trouble",
    [
        Cut(),
        Drip(),
        Flood(),
        Fail(401),
        Fail(429),
        Fail(500),
        Raw(b"no JSON"),
        Raw(b'{"data": []}'),
        Raw(b'{"data": [{"index": 1, "embedding": [1.0]}]}'),
        Raw(b'{"data": [{"index": 0, "embedding": []}]}'),
        Raw(b'{"data": [{"index": 0, "embedding": ["x"]}]}'),
        Raw(b'{"data": [{"index": 0, "embedding": [NaN]}]}'),
        Raw(b'{"data": [{"index": 0, "embedding": [1e999]}]}'),
        Raw(b'{"data": [{"index": 0, "embedding": [-1e39]}]}'),
    ],
)
async def test_trouble_leaves_the_words_alone(server: LlmServer, trouble: Reply) -> None:
    server.script = [trouble]
    started = time.monotonic()

    with structlog.testing.capture_logs() as lines:
        hasty = embedder(server, deadline_s=1)
        assert await hasty.near(TENANT, "my secret question", live=True) is None
        with pytest.raises(EmbeddingUnavailable) as caught:
            await embedder(server, deadline_s=1).embed(("my secret question",))

    assert time.monotonic() - started < 4
    assert KEY not in repr(lines) + repr(caught.value)
    assert "secret question" not in repr(lines) + repr(caught.value)


def test_none_for_words_alone_and_a_key_where_it_is_needed() -> None:
    alone = settings_of("postgresql://a/b", "c:1", embedding_model="words").embedding
    assert embedder_from(alone) is None
    with pytest.raises(InvalidInput, match="EMBEDDING_API_KEY"):
        embedder_from(settings_of("postgresql://a/b", "c:1", embedding_model=MODEL).embedding)
