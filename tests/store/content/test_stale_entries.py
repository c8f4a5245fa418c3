"""Entries without embeddings of their current text: the scan in windows, turns, and stored
digests."""

from datetime import UTC, datetime, timedelta

import psycopg
import pytest
import sqlalchemy as sa
from sqlalchemy.exc import ProgrammingError

from adapters.system import new_ulid
from domain.agent.embedding import Embedding
from domain.content.chunks import text_digest
from domain.content.content import KnowledgeChange
from domain.content.knowledge_file import FileEntry
from store.content import stale_entries
from store.content.content import ContentRepository
from store.content.content_changes import ContentChanges
from store.content.knowledge_chunks import ChunkedEntry, embedding_failed, keep_chunks
from store.content.stale_entries import (
    FIRST_KEY,
    EntryKey,
    StaleEntry,
    StaleKey,
    in_turns,
    read_entries,
    set_digests,
    stale_window,
)
from store.content.tables import knowledge_chunks, knowledge_entries
from store.core.database import Database
from tests.support.core.postgres import as_owner
from tests.support.core.rows import rows
from tests.support.tenants.shop import Shop, open_shop

pytestmark = pytest.mark.own_database

NOW = datetime(2026, 11, 21, tzinfo=UTC)
MODEL = "openai:small"


async def add(database: Database, shop: Shop, number: int, body: str = "It is blue.") -> list[str]:
    """Add entries with accents and line breaks in their texts, and return their ids."""
    entries = [
        FileEntry(line=1, title=f"Été {one}", body=f"{body}\n{one}", language="en")
        for one in range(number)
    ]
    async with database.tenant(shop.tenant) as connection:
        await ContentRepository(connection, shop.tenant).add_entries(entries, NOW, new_ulid)
    return sorted(row["id"] for row in await rows(database, knowledge_entries, of=shop))


async def scan(
    database: Database, *, model: str = MODEL, now: datetime = NOW, without: tuple[str, ...] = ()
) -> tuple[list[StaleKey], int]:
    """Return all stale entries, and the number of windows."""
    found: list[StaleKey] = []
    after, windows = FIRST_KEY, 0
    while True:
        async with database.service() as connection:
            window = await stale_window(connection, model, after=after, now=now, without=without)
        found += window.stale
        windows += 1
        if window.last is None:
            return found, windows
        after = window.last


async def read(database: Database, *keys: EntryKey) -> tuple[StaleEntry, ...]:
    async with database.service() as connection:
        return await read_entries(connection, keys)


async def embed(database: Database, *entries: StaleEntry, model: str = MODEL) -> None:
    for entry in entries:
        chunked = ChunkedEntry.of(entry)
        point = Embedding(model=model, values=(1.0,))
        async with database.service() as connection:
            await keep_chunks(connection, entry, chunked.rows([point for _ in chunked.texts], NOW))


async def forget_digests(database: Database, shop: Shop) -> None:
    """Leave the entries as an earlier version wrote them."""
    async with database.tenant(shop.tenant) as connection:
        await connection.execute(sa.update(knowledge_entries).values(digest=None))


async def test_a_written_entry_has_the_digest_of_its_text(database: Database, shop: Shop) -> None:
    first, *_ = await add(database, shop, 3)
    async with database.tenant(shop.tenant) as connection:
        changes = ContentChanges(connection, shop.tenant)
        await changes.change_entry(first, KnowledgeChange(title="Hiver"), NOW)

    stored = await rows(database, knowledge_entries, of=shop)

    assert len(stored) == 3
    for row in stored:
        assert bytes(row["digest"]) == text_digest(row["title"], row["body"])
    # PostgreSQL computes the same digest.
    entries = await read(database, *(EntryKey(shop.client_id, row["id"]) for row in stored))
    assert [one.digest for one in entries] == [bytes(row["digest"]) for row in stored]


async def test_windows_find_each_stale_entry_once(
    database: Database, shop: Shop, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(stale_entries, "WINDOW", 3)
    other = await open_shop(database)
    ids = [(one.client_id, entry) for one in (shop, other) for entry in await add(database, one, 5)]

    found, windows = await scan(database)

    assert [one.key for one in found] == sorted(ids)
    assert windows == 4
    embedded = await read(database, *(one.key for one in found[2:]))
    await embed(database, *embedded)
    assert [one.key for one in (await scan(database))[0]] == sorted(ids)[:2]
    assert len((await scan(database, model="openai:large"))[0]) == len(ids)
    assert {one.key.client_id for one in (await scan(database, without=(shop.client_id,)))[0]} <= {
        other.client_id
    }


async def test_one_client_has_a_limited_number_of_entries_in_a_window(
    database: Database, shop: Shop, monkeypatch: pytest.MonkeyPatch
) -> None:
    """An entry that failed comes last. Until its next attempt, it is left out."""
    monkeypatch.setattr(stale_entries, "MOST_OF_CLIENT", 3)
    first, *others = await add(database, shop, 4)
    (entry,) = await read(database, EntryKey(shop.client_id, first))
    async with database.service() as connection:
        await embedding_failed(connection, entry, NOW + timedelta(hours=1))

    for now in (NOW, NOW + timedelta(hours=2)):
        found, _ = await scan(database, now=now)
        assert [one.key.entry_id for one in found] == others
    await embed(database, *await read(database, *(one.key for one in found)))
    assert (await scan(database))[0] == []
    (failed,), _ = await scan(database, now=NOW + timedelta(hours=2))
    assert (failed.key.entry_id, failed.failures) == (first, 1)


async def test_missing_digests_are_set_a_few_at_a_time(
    database: Database, shop: Shop, monkeypatch: pytest.MonkeyPatch
) -> None:
    """An embedded entry is not embedded again because of its missing digest."""
    monkeypatch.setattr(stale_entries, "DIGESTS", 2)
    ids = await add(database, shop, 3)
    await embed(database, *await read(database, *(EntryKey(shop.client_id, one) for one in ids)))
    await forget_digests(database, shop)
    assert (await scan(database))[0] == []

    done = []
    for _ in range(3):
        async with database.service() as connection:
            done.append(await set_digests(connection))

    assert done == [2, 1, 0]
    for row in await rows(database, knowledge_entries, of=shop):
        assert bytes(row["digest"]) == text_digest(row["title"], row["body"])
    assert (await scan(database))[0] == []


async def test_an_entry_that_an_earlier_version_changed_is_embedded(
    database: Database, shop: Shop
) -> None:
    """An earlier version deletes the chunks, and leaves the stored digest unchanged."""
    (entry_id,) = await add(database, shop, 1)
    key = EntryKey(shop.client_id, entry_id)
    await embed(database, *await read(database, key))
    async with database.tenant(shop.tenant) as connection:
        await connection.execute(sa.update(knowledge_entries).values(body="It is red."))
        await connection.execute(sa.delete(knowledge_chunks))

    assert [one.key for one in (await scan(database))[0]] == [key]
    await embed(database, *await read(database, key))
    (row,) = await rows(database, knowledge_entries, of=shop)
    assert bytes(row["digest"]) == text_digest(row["title"], "It is red.")
    assert (await scan(database))[0] == []


async def test_an_entry_changed_meanwhile_stays_stale(database: Database, shop: Shop) -> None:
    (entry_id,) = await add(database, shop, 1)
    key = EntryKey(shop.client_id, entry_id)
    before = await read(database, key)
    async with database.tenant(shop.tenant) as connection:
        changes = ContentChanges(connection, shop.tenant)
        await changes.change_entry(entry_id, KnowledgeChange(body="It is red."), NOW)

    await embed(database, *before)

    assert await rows(database, knowledge_chunks, of=shop) == []
    assert [one.key for one in (await scan(database))[0]] == [key]


async def test_a_window_reads_no_text(database: Database, database_url: str, shop: Shop) -> None:
    """The scan works without the privilege to read the texts, so it does not hash them."""
    columns = "client_id, id, digest, embedding_failures, embedding_retry_at"
    ids = await add(database, shop, 2)
    with psycopg.connect(as_owner(database_url)) as owner:
        owner.execute("REVOKE SELECT ON knowledge_entries FROM engine_service")
        owner.execute(f"GRANT SELECT ({columns}) ON knowledge_entries TO engine_service")

    found, _ = await scan(database)

    assert [one.key.entry_id for one in found] == ids
    with pytest.raises(ProgrammingError, match="permission denied"):
        await read(database, *(one.key for one in found))


def test_clients_take_turns_in_a_changing_order() -> None:
    stale = [
        StaleKey(EntryKey(client, f"{number}"), failures=number == 0)
        for client, entries in (("a", 3), ("b", 1), ("c", 2))
        for number in range(entries)
    ]
    first = set()
    for salt in map(str, range(30)):
        turns = list(in_turns(stale, salt, {}))
        assert {one.client_id for one in turns[:3]} == {"a", "b", "c"}
        assert {one.client_id for one in turns[3:5]} == {"a", "c"}
        assert [one.entry_id for one in turns if one.client_id == "a"] == ["1", "2", "0"]
        first.add(turns[0].client_id)
    assert first == {"a", "b", "c"}


def test_expensive_entries_delay_those_of_their_own_client() -> None:
    """The next entry of the other client waited for one expensive entry of each attacker."""
    stale = [
        StaleKey(EntryKey(client, f"{number}"), failures=0)
        for client in ("attacker a", "attacker b", "attacker c", "honest")
        for number in range(4)
    ]
    spent_s: dict[str, float] = {}
    order: list[str] = []
    for key in in_turns(stale, "", spent_s):
        order.append(key.client_id)
        cost_s = 0.1 if key.client_id == "honest" else 40.0
        spent_s[key.client_id] = spent_s.get(key.client_id, 0.0) + cost_s
    assert len(order) == len(stale)
    assert max(place for place, client in enumerate(order) if client == "honest") < 7
