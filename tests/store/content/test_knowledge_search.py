"""Knowledge search by keywords and by meaning, and entries without an embedding."""

import time
from datetime import UTC, datetime

import pytest
import sqlalchemy as sa
from sqlalchemy.ext.asyncio import AsyncConnection

from adapters.brain.answer_features import candidates_of
from domain.agent.embedding import Embedding
from domain.content.content import MAX_BODY, KnowledgeChange
from domain.content.errors import TooMuchContent
from store.content import content
from store.content.content import ContentRepository, search_text
from store.content.content_changes import ContentChanges
from store.content.knowledge_chunks import ChunkedEntry, keep_chunks
from store.content.knowledge_search import MAX_PASSAGES, KnowledgeSearch
from store.content.stale_entries import StaleEntry, read_entries, stale_window
from store.content.tables import knowledge_chunks, knowledge_entries
from store.core.database import Database
from tests.support.core.rows import rows
from tests.support.tenants.shop import Shop, open_shop

pytestmark = pytest.mark.own_database

NOW = datetime(2026, 11, 21, tzinfo=UTC)
MODEL = "openai:small"
ENTRIES = {
    "parcel": ("Where is my parcel", "Parcels take three days to arrive.", "en"),
    "colis": ("Où est mon colis", "Un colis met trois jours.", "fr"),
    "lamp": ("The lamp Solis", "It has forty watts.", "en"),
}
# One dimension each for deliveries and lamps.
POINTS = {"parcel": (1.0, 0.1, 0.0), "colis": (1.0, 0.0, 0.1), "lamp": (0.0, 1.0, 0.0)}


async def fill(database: Database, shop: Shop) -> None:
    async with database.tenant(shop.tenant) as connection:
        for entry_id, (title, body, language) in ENTRIES.items():
            await ContentRepository(connection, shop.tenant).add_knowledge(
                entry_id=entry_id, title=title, body=body, language=language, now=NOW
            )


async def stale(database: Database, model: str = MODEL, limit: int = 10) -> list[StaleEntry]:
    async with database.service() as connection:
        window = await stale_window(connection, model, now=NOW)
        keys = [one.key for one in window.stale]
        return list(await read_entries(connection, keys[:limit]))


async def keep_same(connection: AsyncConnection, entry: StaleEntry, point: Embedding) -> None:
    """Store the same embedding for all chunks and sentences."""
    chunked = ChunkedEntry.of(entry)
    await keep_chunks(connection, entry, chunked.rows([point for _ in chunked.texts], NOW))


async def embed(database: Database, model: str = MODEL) -> None:
    entries = await stale(database, model)
    async with database.service() as connection:
        for entry in entries:
            point = Embedding(model=model, values=POINTS[entry.entry_id])
            await keep_same(connection, entry, point)


async def found(
    database: Database, shop: Shop, text: str, *values: float, model: str = MODEL
) -> list[str]:
    near = Embedding(model=model, values=values) if values else None
    async with database.tenant(shop.tenant) as connection:
        passages = await KnowledgeSearch(connection, shop.tenant).find(text, near)
    assert sorted((one.rank for one in passages), reverse=True) == [one.rank for one in passages]
    return [passage.id for passage in passages]


async def test_a_clients_knowledge_has_a_length(
    database: Database, shop: Shop, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The search reads all of it: a few accounts with 100 MB each stopped the service."""
    monkeypatch.setattr(content, "MAX_KNOWLEDGE", 200)
    await fill(database, shop)
    with pytest.raises(TooMuchContent):
        await change(database, shop, KnowledgeChange(body="x" * 100))
    await change(database, shop, KnowledgeChange(body="x"))
    async with database.tenant(shop.tenant) as connection:
        with pytest.raises(TooMuchContent):
            await ContentRepository(connection, shop.tenant).add_knowledge(
                entry_id="more", title="t", body="x" * 150, language="en", now=NOW
            )


async def change(database: Database, shop: Shop, wanted: KnowledgeChange) -> None:
    async with database.tenant(shop.tenant) as connection:
        await ContentChanges(connection, shop.tenant).change_entry("lamp", wanted, NOW)


async def test_words_alone_find_nothing_that_is_called_otherwise(
    database: Database, shop: Shop
) -> None:
    await fill(database, shop)
    await embed(database)

    assert await found(database, shop, "When will my delivery come?") == []
    assert (await found(database, shop, "When will my delivery come?", 1.0, 0.1, 0.0))[
        0
    ] == "parcel"


async def test_what_both_find_comes_first(database: Database, shop: Shop) -> None:
    await fill(database, shop)
    await embed(database)

    # By meaning the French entry is slightly closer; the English one also has the keywords.
    assert await found(database, shop, "my parcel", 1.0, 0.0, 0.1) == ["parcel", "colis", "lamp"]


async def test_entry_without_an_embedding_is_found_by_its_words(
    database: Database, shop: Shop
) -> None:
    await fill(database, shop)

    assert await found(database, shop, "my parcel", 1.0, 0.0, 0.0) == ["parcel"]


async def test_a_new_entry_without_an_embedding_is_not_ranked_below_embedded_ones(
    database: Database, shop: Shop
) -> None:
    """This made the demo fail: the sweep embeds entries one at a time, and a message arrived in
    between."""
    await fill(database, shop)
    await embed(database)
    async with database.tenant(shop.tenant) as connection:
        await ContentRepository(connection, shop.tenant).add_knowledge(
            entry_id="wash",
            title="Washing the linen blanket",
            body="The blanket can be washed at 30 degrees.",
            language="en",
            now=NOW,
        )

    # By meaning the parcel is closest, and it also shares a word with the message.
    text = "How do I wash the linen blanket of my parcel?"
    assert (await found(database, shop, text, 1.0, 0.1, 0.0))[:2] == ["wash", "parcel"]


async def test_other_models_and_lengths_are_not_compared(database: Database, shop: Shop) -> None:
    await fill(database, shop)
    await embed(database)

    assert await found(database, shop, "xyz", 1.0, 0.0, 0.0, model="openai:large") == []
    assert await found(database, shop, "xyz", 1.0, 0.0) == []


async def test_other_clients_knowledge_stays_theirs(database: Database, shop: Shop) -> None:
    other = await open_shop(database)
    await fill(database, other)
    await embed(database)

    assert await found(database, shop, "my parcel", 1.0, 0.0, 0.0) == []


async def test_no_more_than_the_most(database: Database, shop: Shop) -> None:
    async with database.tenant(shop.tenant) as connection:
        for number in range(2 * MAX_PASSAGES):
            await ContentRepository(connection, shop.tenant).add_knowledge(
                entry_id=f"p{number}", title="parcel", body="days", language="en", now=NOW
            )
    entries = await stale(database, limit=50)
    async with database.service() as connection:
        for entry in entries:
            point = Embedding(model=MODEL, values=(1.0, 0.5))
            await keep_same(connection, entry, point)

    assert len(await found(database, shop, "parcel", 1.0, 0.5)) == MAX_PASSAGES


async def test_changed_entries_and_other_models_are_stale(database: Database, shop: Shop) -> None:
    await fill(database, shop)
    await embed(database)
    assert await stale(database) == []
    assert len(await stale(database, "openai:large")) == 3

    await change(database, shop, KnowledgeChange(body="It has sixty watts."))
    (entry,) = await stale(database)
    assert ChunkedEntry.of(entry).texts == (
        "The lamp Solis\nIt has sixty watts.",
        "The lamp Solis: It has sixty watts.",
    )

    await embed(database)
    assert await stale(database) == []
    assert len(await rows(database, knowledge_chunks, of=shop)) == 3


async def test_a_search_splits_no_article(database: Database, shop: Shop) -> None:
    """It runs in a transaction, on the event loop."""
    body = "hello refund order" + "\n" * (MAX_BODY - 22) + "end."
    async with database.tenant(shop.tenant) as connection:
        for number in range(MAX_PASSAGES):
            await ContentRepository(connection, shop.tenant).add_knowledge(
                entry_id=f"k{number}", title="hello", body=body, language="en", now=NOW
            )
        started = time.thread_time()
        passages = await KnowledgeSearch(connection, shop.tenant).find("hello refund order")
        assert time.thread_time() - started < 0.1
    assert len(passages) == MAX_PASSAGES

    started = time.thread_time()
    entries = await stale(database, limit=50)
    assert time.thread_time() - started < 0.1
    assert len(entries) == MAX_PASSAGES


async def test_deleted_entry_takes_its_embedding_along(database: Database, shop: Shop) -> None:
    await fill(database, shop)
    entries = await stale(database)
    async with database.service() as connection:
        await connection.execute(
            sa.delete(knowledge_entries).where(knowledge_entries.c.id == "lamp")
        )
        for entry in entries:
            point = Embedding(model=MODEL, values=(1.0,))
            await keep_same(connection, entry, point)
        assert await connection.scalar(sa.select(sa.func.count(knowledge_chunks.c.model))) == 2
        await connection.execute(sa.delete(knowledge_entries))

    assert await rows(database, knowledge_chunks, of=shop) == []


async def test_a_found_entry_has_its_sentences_and_how_near_each_is(
    database: Database, shop: Shop
) -> None:
    async with database.tenant(shop.tenant) as connection:
        await ContentRepository(connection, shop.tenant).add_knowledge(
            entry_id="tariff",
            title="Delivery",
            body="We deliver.\n\nPrices:\n- France: 5 euros\n- Belgium: 9 euros",
            language="en",
            now=NOW,
        )
    (entry,) = await stale(database)
    points = {"Delivery, Prices: Belgium: 9 euros": (0.0, 1.0)}
    chunked = ChunkedEntry.of(entry)
    embeddings = [
        Embedding(model=MODEL, values=points.get(text, (1.0, 0.0))) for text in chunked.texts
    ]
    async with database.service() as connection:
        await keep_chunks(connection, entry, chunked.rows(embeddings, NOW))
    near = Embedding(model=MODEL, values=(0.0, 1.0))
    async with database.tenant(shop.tenant) as connection:
        (passage,) = await KnowledgeSearch(connection, shop.tenant).find("to Belgium", near)

    assert [(one.heading, one.text, one.similarity) for one in passage.sentences] == [
        ("", "We deliver.", 0.0),
        ("Prices", "France: 5 euros", 0.0),
        ("Prices", "Belgium: 9 euros", 1.0),
    ]


async def test_a_changed_entry_is_not_quoted_from_its_old_chunks(
    database: Database, shop: Shop
) -> None:
    await fill(database, shop)
    await embed(database)
    async with database.tenant(shop.tenant) as connection:
        change = KnowledgeChange(body="Parcels take five days to arrive.")
        await ContentChanges(connection, shop.tenant).change_entry("parcel", change, NOW)
        near = Embedding(model=MODEL, values=(1.0, 0.1, 0.0))
        passages = await KnowledgeSearch(connection, shop.tenant).find("my parcel", near)

    (parcel,) = [passage for passage in passages if passage.id == "parcel"]
    assert parcel.sentences == ()
    assert [one.sentence.text for one in candidates_of([parcel])] == [
        "Parcels take five days to arrive."
    ]
    assert parcel.similarity is None


async def test_an_entry_changed_while_it_was_embedded_stays_stale(
    database: Database, shop: Shop
) -> None:
    await fill(database, shop)
    entries = await stale(database)
    async with database.tenant(shop.tenant) as connection:
        change = KnowledgeChange(body="Parcels take five days to arrive.")
        await ContentChanges(connection, shop.tenant).change_entry("parcel", change, NOW)
    async with database.service() as connection:
        for entry in entries:
            point = Embedding(model=MODEL, values=(1.0,))
            await keep_same(connection, entry, point)

    assert [entry.entry_id for entry in await stale(database)] == ["parcel"]


@pytest.mark.parametrize("piece", ["<!--", "a_", "1_", "a-1-", "<a ", "a-"])
async def test_the_parser_of_words_reads_a_text_once(
    database: Database, shop: Shop, piece: str
) -> None:
    """PostgreSQL would examine the rest of the text again at each tag and compound word."""
    text = search_text("Title", piece * (20_000 // len(piece)))
    assert not set("<_-") & set(text)
    async with database.tenant(shop.tenant) as connection:
        await connection.execute(sa.text("SET LOCAL statement_timeout = '1s'"))
        words = sa.func.to_tsvector("english", text)
        assert await connection.scalar(sa.select(sa.func.length(words))) is not None
