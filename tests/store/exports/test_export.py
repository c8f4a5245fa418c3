"""Reading an export: one snapshot, in small chunks, and errors that omit a section."""

import asyncio
import json
from collections.abc import AsyncIterator
from contextlib import aclosing, asynccontextmanager
from typing import Any

import psycopg
import pytest

from adapters.system import new_ulid, utc_now
from domain.core.ids import TenantId
from domain.exports.export import Section
from domain.tenants.errors import NoClient
from store.content.content import ContentRepository
from store.core.database import Database
from store.core.snapshot import PIECE
from store.exports.export import Export
from store.exports.json_form import JsonRendering
from store.exports.section_source import Source
from store.exports.sections import SOURCES
from tests.support.core.waiting import eventually
from tests.support.exports.export import add_conversations, nothing_open, open_transactions
from tests.support.servers.proxy import mutable_proxy
from tests.support.tenants.shop import Shop, open_shop

AT = "2026-01-01T00:00:00.000Z"


class Spoilt(JsonRendering):
    """JSON whose messages are read with a query from the test."""

    def __init__(self, query: str) -> None:
        self._query = query

    def query(self, source: Source) -> str:
        if source is SOURCES[Section.AI_CONVERSATIONS]:
            return self._query
        return super().query(source)


@asynccontextmanager
async def reading(
    database: Database, tenant: TenantId, rendering: JsonRendering | None = None
) -> AsyncIterator[tuple[Export, list[tuple[Section, str]]]]:
    """An export, and its omitted sections."""
    left_out: list[tuple[Section, str]] = []
    async with database.snapshot(tenant) as snapshot:
        yield (
            Export(
                snapshot,
                rendering or JsonRendering(),
                skipped=lambda section, sqlstate, _: left_out.append((section, sqlstate)),
            ),
            left_out,
        )


async def read(export: Export, given: list[bytes] | None = None) -> bytes:
    """Return the file; `given` contains its chunks, even if it is incomplete."""
    pieces = [] if given is None else given
    async with aclosing(export.pieces(AT)) as coming:
        async for piece in coming:
            pieces.append(piece)
    return b"".join(pieces)


async def whole(database: Database, tenant: TenantId) -> dict[str, Any]:
    async with reading(database, tenant) as (export, left_out):
        body: dict[str, Any] = json.loads(await read(export))
    assert left_out == []
    return body


async def add_knowledge(database: Database, shop: Shop) -> None:
    async with database.tenant(shop.tenant) as connection:
        await ContentRepository(connection, shop.tenant).add_knowledge(
            entry_id=new_ulid(), title="t", body="b", language="fr", now=utc_now()
        )


async def test_all_sections_are_of_one_moment(
    database: Database, database_url: str, shop: Shop
) -> None:
    """Rows committed after the first chunk are in no section, not even in one that has not
    started."""
    add_conversations(database_url, shop, 2000)
    await add_knowledge(database, shop)
    async with reading(database, shop.tenant) as (export, _):
        pieces = export.pieces(AT)
        begun = await anext(pieces)
        await add_knowledge(database, shop)
        body = json.loads(b"".join([begun, *[piece async for piece in pieces]]))

    assert len(body["knowledge_entries"]) == 1
    assert len(body["ai_conversations"]) == 2000
    assert len((await whole(database, shop.tenant))["knowledge_entries"]) == 2


@pytest.mark.parametrize("number", [1, 3, 4, 5, 11, 12, 13, 1000])
async def test_every_row_once_and_in_order(
    database: Database, database_url: str, shop: Shop, number: int
) -> None:
    add_conversations(database_url, shop, number)

    found = (await whole(database, shop.tenant))["ai_conversations"]

    assert [row["key"] for row in found] == [str(n) for n in range(1, number + 1)]


async def test_pieces_stay_small_whatever_a_row_weighs(
    database: Database, database_url: str, shop: Shop
) -> None:
    """Many small rows, then large ones: no chunk contains many large rows."""
    add_conversations(database_url, shop, 3000, weight=10)
    heavy = 1024 * 1024
    with psycopg.connect(database_url) as connection:
        connection.execute("SELECT set_config('app.client_id', %s, true)", [shop.client_id])
        connection.execute(
            "UPDATE ai_conversations SET summary = repeat('x', %s) WHERE key::int > 2950", [heavy]
        )
    async with reading(database, shop.tenant) as (export, _):
        sizes = [len(piece) async for piece in export.pieces(AT)]

    assert sum(sizes) > 50 * heavy
    assert max(sizes) < heavy + 4 * PIECE
    light = [size for size in sizes if size < heavy]
    assert min(light[1:-1], default=PIECE) >= PIECE


@pytest.mark.parametrize(
    ("query", "sqlstate"),
    [
        ("SELECT x FROM nowhere AS x", "42P01"),
        ("SELECT nothing FROM clients", "42703"),
        ("SELECT row_to_json(r) FROM (SELECT 1 / 0 AS x) AS r", "22012"),
        ("SELECT json_build_object('x', 1 / (3 - n)) FROM generate_series(1, 9) AS n", "22012"),
        ("SELECT to_json(token) FROM rate_windows", "42703"),
        ("SELECT to_json(id) FROM users", "42501"),
    ],
)
async def test_section_that_cannot_be_opened_is_left_out(
    database: Database, shop: Shop, query: str, sqlstate: str
) -> None:
    await add_knowledge(database, shop)
    async with reading(database, shop.tenant, Spoilt(query)) as (export, left_out):
        body = json.loads(await read(export))

    assert left_out == [(Section.AI_CONVERSATIONS, sqlstate)]
    assert body["ai_conversations"] == []
    assert len(body["knowledge_entries"]) == 1


@pytest.mark.parametrize("rows_before", [5, 5_000])
async def test_error_within_what_is_held_back_leaves_the_section_out(
    database: Database, shop: Shop, rows_before: int
) -> None:
    """As in the specification. Some of its rows had been read."""
    late = (
        f"SELECT E',\n' || json_build_object('x', 1 / ({rows_before} - n), 'y', repeat('y', 100)) "  # noqa: S608
        "FROM generate_series(0, 100000) AS n"
    )
    await add_knowledge(database, shop)
    async with reading(database, shop.tenant, Spoilt(late)) as (export, left_out):
        body = json.loads(await read(export))

    assert left_out == [(Section.AI_CONVERSATIONS, "22012")]
    assert body["ai_conversations"] == []
    assert [len(body[name]) for name in (Section.CLIENT, Section.KNOWLEDGE_ENTRIES)] == [1, 1]


async def test_error_after_rows_have_left_ends_the_export(database: Database, shop: Shop) -> None:
    late = (
        "SELECT E',\n' || json_build_object('x', 1 / (90000 - n), 'y', repeat('y', 100)) "
        "FROM generate_series(1, 100000) AS n"
    )
    given: list[bytes] = []
    async with reading(database, shop.tenant, Spoilt(late)) as (export, left_out):
        with pytest.raises(psycopg.errors.DivisionByZero):
            await read(export, given)

    assert left_out == []
    assert b"".join(given).count(b"\n") > 10_000
    with pytest.raises(json.JSONDecodeError):
        json.loads(b"".join(given))


async def test_connection_is_replaced_after_it_was_lost(database_url: str, shop: Shop) -> None:
    database = Database(database_url, pool_size=1)
    try:
        async with reading(
            database, shop.tenant, Spoilt("SELECT pg_terminate_backend(pg_backend_pid())")
        ) as (export, _):
            with pytest.raises(psycopg.OperationalError):
                await read(export)
        assert (await whole(database, shop.tenant))["client_id"] == shop.client_id
    finally:
        await database.close()


async def test_client_that_is_gone(database: Database, shop: Shop) -> None:
    await add_knowledge(database, shop)
    with pytest.raises(NoClient):
        await whole(database, TenantId(new_ulid()))


async def test_anothers_rows_are_never_there(database: Database, shop: Shop) -> None:
    """Row-level security applies before the query's own condition."""
    other = await open_shop(database)
    query = "SELECT to_json(id) FROM clients"
    async with reading(database, shop.tenant, Spoilt(query)) as (export, _):
        body = json.loads(await read(export))

    assert body["ai_conversations"] == [shop.client_id]
    assert other.client_id not in str(body)


async def test_nothing_can_be_written(database: Database, shop: Shop) -> None:
    query = "WITH gone AS (DELETE FROM clients RETURNING id) SELECT to_json(id) FROM gone"
    with pytest.raises(psycopg.Error):
        async with database.snapshot(shop.tenant) as snapshot:
            await snapshot.scalar(query)


async def test_closed_at_any_time_it_leaves_nothing_open(
    database: Database, database_url: str, shop: Shop
) -> None:
    add_conversations(database_url, shop, 2000)
    for taken in range(4):
        async with reading(database, shop.tenant) as (export, _):
            pieces = export.pieces(AT)
            for _ in range(taken):
                await anext(pieces)
            await pieces.aclose()
        # The server detects the end a moment later.
        await eventually(lambda: nothing_open(database_url))


async def test_cancelled_while_the_database_works(
    database: Database, database_url: str, shop: Shop
) -> None:
    async def wait() -> None:
        async with reading(database, shop.tenant, Spoilt("SELECT pg_sleep(60)::text")) as (it, _):
            await read(it)

    task = asyncio.create_task(wait())
    await eventually(lambda: _is_active(database_url))
    task.cancel()

    with pytest.raises(asyncio.CancelledError):
        await task
    assert await nothing_open(database_url)


async def test_silent_database_ends_it(database_url: str, shop: Shop) -> None:
    """Between two chunks, the connection stays open without data."""
    add_conversations(database_url, shop, 20_000, weight=500)
    async with mutable_proxy(database_url) as proxy:
        database = Database(proxy.url, pool_size=1)
        try:
            async with database.snapshot(shop.tenant, patience_s=5) as snapshot:
                pieces = Export(snapshot, JsonRendering(), skipped=lambda *_: None).pieces(AT)
                await anext(pieces)
                proxy.silent = True
                with pytest.raises(psycopg.OperationalError):
                    [piece async for piece in pieces]
        finally:
            await database.close()


async def test_slow_reader_is_not_taken_for_a_silent_database(
    database: Database, database_url: str, shop: Shop
) -> None:
    """Only PostgreSQL's time counts."""
    add_conversations(database_url, shop, 2000)
    async with database.snapshot(shop.tenant, patience_s=0.4) as snapshot:
        export = Export(snapshot, JsonRendering(), skipped=lambda *_: None)
        pieces = export.pieces(AT)
        given = await anext(pieces)
        patience_is_over = asyncio.Event()
        asyncio.get_running_loop().call_later(0.8, patience_is_over.set)
        await patience_is_over.wait()
        given += b"".join([piece async for piece in pieces])

    assert len(json.loads(given)["ai_conversations"]) == 2000


async def _is_active(database_url: str) -> bool:
    return any(state == "active" for _, state in await open_transactions(database_url))
