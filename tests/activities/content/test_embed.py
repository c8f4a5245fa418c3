"""The sweep computes embeddings for knowledge entries."""

from collections.abc import AsyncIterator

import pytest
import sqlalchemy as sa
from temporalio.testing import ActivityEnvironment

from activities.content.embed import Embed
from adapters.brain.embeddings import embedder_from
from adapters.system import utc_now
from domain.content.content import KnowledgeChange
from domain.core.names import SWEEP
from domain.runs.contracts import SweepInput, SweepResult
from store.content.content_changes import ContentChanges
from store.content.tables import knowledge_chunks, knowledge_entries
from store.core.database import Database
from tests.support.core.engine import live_engine, settings_of
from tests.support.core.rows import rows
from tests.support.core.temporal import TemporalServer
from tests.support.servers.llm import KEY, Fail, LlmServer, llm_server
from tests.support.tenants.shop import Shop

pytestmark = pytest.mark.own_database

MODEL = "openai:small"
STEP = SweepInput(older_than_s=0, embedding_model=MODEL)


@pytest.fixture
async def server() -> AsyncIterator[LlmServer]:
    async with llm_server() as running:
        yield running


def embed_with(database: Database, server: LlmServer) -> Embed:
    settings = settings_of(
        "postgresql://a/b",
        "c:1",
        embedding_model=MODEL,
        embedding_base_url=server.openai_url,
        embedding_api_key=KEY,
    )
    return Embed(database, embedder_from(settings.embedding), utc_now)


async def fill(database: Database, shop: Shop, entries: int) -> None:
    """Insert the entries in one statement: single inserts would exceed the transaction timeout."""
    entry = {"title": "T", "body": "B", "language": "en", "search_text": "t b"}
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
    assert len(server.asked) == 3

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
