"""The sweep computes embeddings for knowledge entries."""

import json
from collections.abc import AsyncIterator
from datetime import datetime, timedelta
from itertools import pairwise

import pytest
import sqlalchemy as sa
from temporalio.testing import ActivityEnvironment

from activities.content import embed as embed_activity
from activities.content.embed import (
    BATCH,
    FIRST_RETRY,
    LAST_RETRY,
    MAX_CLIENT_FAILURES,
    STARTING,
    Embed,
)
from adapters.brain.embeddings import embedder_from
from adapters.system import utc_now
from domain.content.chunks import MAX_SENTENCES
from domain.content.content import MAX_BODY, KnowledgeChange
from domain.core.names import SWEEP
from domain.core.ports import Clock
from domain.runs.contracts import SweepInput, SweepResult
from store.content import stale_entries
from store.content.content_changes import ContentChanges
from store.content.tables import knowledge_chunks, knowledge_entries
from store.core.database import Database
from tests.support.core.engine import live_engine, settings_of
from tests.support.core.rows import rows
from tests.support.core.temporal import TemporalServer
from tests.support.servers.llm import KEY, Asked, Fail, LlmServer, Raw, Reply, Think, llm_server
from tests.support.tenants.shop import Shop, open_shop

pytestmark = pytest.mark.own_database

MODEL = "openai:small"
MANY = 200
STEP = SweepInput(older_than_s=0, embedding_model=MODEL)


@pytest.fixture
async def server() -> AsyncIterator[LlmServer]:
    async with llm_server() as running:
        yield running


class Hours:
    """A clock that a test sets."""

    def __init__(self) -> None:
        self.now = utc_now()

    def __call__(self) -> datetime:
        return self.now


def embed_with(database: Database, server: LlmServer, now: Clock = utc_now) -> Embed:
    settings = settings_of(
        "postgresql://a/b",
        "c:1",
        embedding_model=MODEL,
        embedding_base_url=server.openai_url,
        embedding_api_key=KEY,
    )
    return Embed(database, embedder_from(settings.embedding), now)


async def fill(database: Database, shop: Shop, entries: int, body: str = "B") -> None:
    """Insert the entries in one statement: single inserts would exceed the transaction timeout."""
    entry = {"title": "T", "body": body, "language": "en", "search_text": "t b"}
    whose = {"client_id": shop.client_id, "created_at": utc_now()}
    async with database.tenant(shop.tenant) as connection:
        await connection.execute(
            sa.insert(knowledge_entries),
            [{**entry, **whose, "id": f"e{number:03}"} for number in range(entries)],
        )


async def run(embed: Embed, step: SweepInput = STEP) -> int:
    result = await ActivityEnvironment().run(embed.embed, step)
    assert isinstance(result, SweepResult)
    return result.picked_up


async def test_all_pages_and_each_entry_once(
    database: Database, shop: Shop, server: LlmServer
) -> None:
    await fill(database, shop, 130)
    embed = embed_with(database, server)

    assert await run(embed) == 130
    assert await run(embed) == 0
    assert len(await rows(database, knowledge_chunks)) == 130
    assert len(server.asked) == 130


async def test_provider_that_is_away_is_asked_a_few_times(
    database: Database, shop: Shop, server: LlmServer
) -> None:
    await fill(database, shop, 300)
    server.script = [Fail(500)]
    embed = embed_with(database, server)

    assert await run(embed) == 0
    assert len(server.asked) == 2

    server.script = []
    assert await run(embed) == 300


async def test_worker_without_that_model_does_nothing(
    database: Database, shop: Shop, server: LlmServer
) -> None:
    await fill(database, shop, 1)

    assert await run(Embed(database, None, utc_now)) == 0
    other = STEP.model_copy(update={"embedding_model": "openai:large"})
    assert await run(embed_with(database, server), other) == 0
    assert server.asked == []


async def test_sweep_embeds(
    database_url: str, database: Database, shop: Shop, temporal: TemporalServer, server: LlmServer
) -> None:
    await fill(database, shop, 2)
    async with (
        live_engine(
            database_url,
            temporal.address,
            temporal.take_namespace(),
            embedding_model=MODEL,
            embedding_base_url=server.openai_url,
        ) as engine,
        engine.working(),
    ):
        for step, expected in ((SweepInput(older_than_s=0), 0), (STEP, 2)):
            await engine.client.execute_workflow(
                SWEEP, step, id=f"sweep-{expected}", task_queue="engine"
            )
            assert len(await rows(database, knowledge_chunks)) == expected


async def test_a_changed_entry_is_embedded_anew(
    database: Database, shop: Shop, server: LlmServer
) -> None:
    await fill(database, shop, 2)
    embed = embed_with(database, server)
    assert await run(embed) == 2
    (before,) = await rows(database, knowledge_chunks, entry_id="e000")

    async with database.tenant(shop.tenant) as connection:
        changes = ContentChanges(connection, shop.tenant)
        await changes.change_entry("e000", KnowledgeChange(body="Another."), utc_now())
        await changes.change_entry("e001", KnowledgeChange(language="fr"), utc_now())

    assert await run(embed) == 1
    (after,) = await rows(database, knowledge_chunks, entry_id="e000")
    assert after["digest"] != before["digest"]
    assert server.asked[-1].body["input"] == ["T\nAnother.", "T: Another."]


def rejecting(server: LlmServer, word: str) -> None:
    """Make the provider reject each text that contains the word."""

    def reply(asked: Asked) -> Reply:
        if any(word in text for text in asked.body["input"]):
            return Fail(400)
        data = [
            {"object": "embedding", "index": place, "embedding": server.embed(text)}
            for place, text in enumerate(asked.body["input"])
        ]
        return Raw(json.dumps({"object": "list", "data": data}).encode())

    server.script = [Think(reply)]


async def test_a_huge_article_is_embedded_in_batches_with_heartbeats(
    database: Database, shop: Shop, server: LlmServer
) -> None:
    await fill(database, shop, 1, "One.\n" * (MAX_BODY // 5))
    heard: list[object] = []
    environment = ActivityEnvironment()
    environment.on_heartbeat = lambda *_: heard.append(len(server.asked))

    result = await environment.run(embed_with(database, server).embed, STEP)

    assert (result.picked_up, result.failed) == (1, 0)
    asked = [len(one.body["input"]) for one in server.asked]
    assert max(asked) <= BATCH
    assert MAX_SENTENCES < sum(asked) <= 2 * MAX_SENTENCES
    assert {*range(1, len(asked) + 1)} <= {*heard}
    chunks = await rows(database, knowledge_chunks)
    assert sum(len(chunk["sentences"]) for chunk in chunks) == MAX_SENTENCES


async def test_articles_that_the_provider_rejects_delay_no_other_client(
    database: Database, shop: Shop, server: LlmServer
) -> None:
    """The rejected articles belong to the client whose id comes first."""
    other = await open_shop(database)
    await fill(database, shop, 10, "Poison")
    await fill(database, other, 5)
    rejecting(server, "Poison")

    assert await run(embed_with(database, server)) == 5
    assert len(await rows(database, knowledge_chunks, of=other)) == 5
    poisoned = [one for one in server.asked if "Poison" in one.body["input"][0]]
    assert len(poisoned) == MAX_CLIENT_FAILURES


async def test_a_rejected_article_is_tried_less_and_less_often(
    database: Database, shop: Shop, server: LlmServer
) -> None:
    await fill(database, shop, 1, "Poison")
    rejecting(server, "Poison")
    clock = Hours()
    embed = embed_with(database, server, clock)
    began = clock.now
    tried: list[timedelta] = []
    while clock.now - began < timedelta(days=4):
        before = len(server.asked)
        assert await run(embed) == 0
        if len(server.asked) > before:
            tried.append(clock.now - began)
        clock.now += FIRST_RETRY
    waits = [after - before for before, after in pairwise(tried)]
    assert waits[0] == FIRST_RETRY
    assert waits == sorted(waits)
    assert waits[-1] == LAST_RETRY
    assert len(tried) < 16

    # A change is embedded at once, although the next attempt at the old text is a day away.
    async with database.tenant(shop.tenant) as connection:
        changes = ContentChanges(connection, shop.tenant)
        await changes.change_entry("e000", KnowledgeChange(body="Good."), clock.now)
    assert await run(embed) == 1
    (entry,) = await rows(database, knowledge_entries, of=shop)
    assert (entry["embedding_failures"], entry["embedding_retry_at"]) == (0, None)


async def test_a_provider_that_is_down_is_no_failure_of_an_article(
    database: Database, shop: Shop, server: LlmServer
) -> None:
    await fill(database, shop, 2)
    server.script = [Fail(503)]
    assert await run(embed_with(database, server)) == 0
    for entry in await rows(database, knowledge_entries, of=shop):
        assert (entry["embedding_failures"], entry["embedding_retry_at"]) == (0, None)


async def test_clients_take_turns(database: Database, shop: Shop, server: LlmServer) -> None:
    """A sweep that ends early has embedded entries of each client."""
    others = [await open_shop(database) for _ in range(3)]
    await fill(database, shop, MANY)
    for other in others:
        await fill(database, other, 2)
    clock = Hours()
    server.embed = lambda _: [_passes(clock), 1.0]

    assert await run(embed_with(database, server, clock)) < MANY
    for other in others:
        assert len(await rows(database, knowledge_chunks, of=other)) == 2


def _passes(clock: Hours) -> float:
    """Let the 40th part of the sweep's time pass."""
    clock.now += STARTING / 40
    return 1.0


async def test_a_scan_of_many_entries_continues_in_the_next_sweep(
    database: Database, shop: Shop, server: LlmServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The clients at the end of the scan are served although the time never suffices for all."""
    monkeypatch.setattr(embed_activity, "FOUND", 2)
    monkeypatch.setattr(stale_entries, "WINDOW", 10)
    others = [await open_shop(database) for _ in range(3)]
    await fill(database, shop, 40)
    for one in others:
        await fill(database, one, 2)
    clock = Hours()
    server.embed = lambda _: [_passes(clock), 1.0]
    embed = embed_with(database, server, clock)
    monkeypatch.setattr(embed_activity, "STARTING", 7 * STARTING / 40)

    for _ in range(6):
        await run(embed)

    for one in others:
        assert await rows(database, knowledge_chunks, of=one) != []
    assert len(await rows(database, knowledge_chunks, of=shop)) < 40


async def test_the_sweep_stores_missing_digests(
    database: Database, shop: Shop, server: LlmServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(stale_entries, "DIGESTS", 2)
    await fill(database, shop, 5)
    embed = embed_with(database, server)
    assert await run(embed) == 5
    async with database.tenant(shop.tenant) as connection:
        await connection.execute(sa.update(knowledge_entries).values(digest=None))

    assert await run(embed) == 0

    assert all(row["digest"] for row in await rows(database, knowledge_entries, of=shop))
    assert len(server.asked) == 5
