"""Faults in exports over real sockets: a partial file cannot be mistaken for a complete one, and a
stalled or disconnected reader holds no resources."""

import asyncio
import json
import os
import signal
import tempfile
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager, suppress
from dataclasses import replace
from pathlib import Path

import httpx
import psycopg
import pytest

from api.http.edge_limits import DEFAULT_LIMITS
from embedded.postgres import EmbeddedPostgres
from store.core.database import Database
from store.core.migrate import migrate
from store.core.tables import error_reports
from tests.support.core.engine import LiveEngine, live_engine
from tests.support.core.postgres import as_owner
from tests.support.core.raw_http import raw_connection
from tests.support.core.rows import rows
from tests.support.core.waiting import eventually
from tests.support.exports.export import (
    EXPORT,
    add_conversations,
    nothing_open,
    open_transactions,
    served,
)
from tests.support.exports.export_reader import PATIENT, ROWS, WEIGHT, Reader, reader, request
from tests.support.tenants.shop import Shop, open_shop

pytestmark = pytest.mark.slow

GONE_WITHIN_S = 1.0
IMPATIENT = replace(DEFAULT_LIMITS, stalled_s=1)


# --- The database fails during an export --------------------------------------------------------


@asynccontextmanager
async def own_database() -> AsyncIterator[tuple[LiveEngine, list[Shop], int]]:
    """The API on a separate PostgreSQL with four shops, and its main process's id."""
    with (
        tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder,
        EmbeddedPostgres(Path(folder) / "postgres") as server,
    ):
        migrate(server.owner_url)
        pid = int((Path(folder) / "postgres" / "postmaster.pid").read_text().split()[0])
        database = Database(server.url)
        shops = [await open_shop(database) for _ in range(4)]
        await database.close()
        for shop in shops:
            add_conversations(server.owner_url, shop, ROWS, weight=WEIGHT)
        async with live_engine(server.url, "127.0.0.1:1", "default", lazy=True) as front:
            yield front, shops, pid
        # A restarting server does not receive the package's signal, and the package waits a minute.
        with suppress(ProcessLookupError):
            os.kill(pid, signal.SIGQUIT)


@pytest.mark.parametrize("fault", ["immediate", "backend killed"])
async def test_postgres_dies(fault: str) -> None:
    """During four files: both formats, each with both versions of HTTP."""
    async with AsyncExitStack() as stack:
        front, shops, postmaster = await stack.enter_async_context(own_database())
        port = await stack.enter_async_context(served(front.app, PATIENT))
        readers: dict[str, list[Reader]] = {"1.1": [], "1.0": []}
        others = iter(shops)
        for version, begun in readers.items():
            for form, shop in zip(("json", "csv"), others, strict=False):
                asked = request(shop, form=form, version=version)
                begun.append(await stack.enter_async_context(reader(port, asked)))
                await begun[-1].begin()
        if fault == "immediate":
            os.kill(postmaster, signal.SIGQUIT)
        else:
            (one, _), *_ = await open_transactions(front.settings.database.url)
            os.kill(one, signal.SIGKILL)  # PostgreSQL then restarts all others

        for modern in readers["1.1"]:
            assert not (await modern.go_on()).endswith(b"0\r\n\r\n")
            assert b"transfer-encoding: chunked" in modern.head
        for old in readers["1.0"]:
            with pytest.raises(ConnectionResetError):
                await old.go_on()
            assert b"transfer-encoding" not in old.head


async def test_client_libraries_notice(front: LiveEngine, shop: Shop) -> None:
    add_conversations(front.settings.database.url, shop, ROWS, weight=WEIGHT)
    async with (
        served(front.app, PATIENT) as port,
        httpx.AsyncClient(base_url=f"http://127.0.0.1:{port}", trust_env=False) as http,
        http.stream("GET", EXPORT, headers=shop.headers) as answer,
    ):
        coming = answer.aiter_bytes()
        given = [await anext(coming)]
        await end_backends(front.settings.database.url)
        with pytest.raises(httpx.RemoteProtocolError):
            given += [piece async for piece in coming]

    assert given[0].startswith(b'{"exported_at"')
    reports = await rows(front.database, error_reports, client_id=shop.client_id)
    assert [report["place"] for report in reports] == [f"GET {EXPORT}"]


async def end_backends(database_url: str) -> None:
    async with await psycopg.AsyncConnection.connect(as_owner(database_url)) as connection:
        for pid, _ in await open_transactions(database_url):
            await connection.execute("SELECT pg_terminate_backend(%s)", [pid])


@pytest.mark.parametrize("form", ["json", "csv"])
async def test_http_1_0_gets_the_file_without_chunks(
    front: LiveEngine, shop: Shop, form: str
) -> None:
    add_conversations(front.settings.database.url, shop, 10)
    async with served(front.app) as port, raw_connection(port) as connection:
        await connection.send(request(shop, form=form, version="1.0"))
        head, _, body = (await connection.rest()).partition(b"\r\n\r\n")

    assert b"transfer-encoding" not in head
    assert b"connection: close" in head
    if form == "json":
        assert len(json.loads(body)["ai_conversations"]) == 10
    else:
        assert b"\r\n## ai_conversations (10)\r\n" in body


# --- The reader ---------------------------------------------------------------------------------


@pytest.mark.parametrize("version", ["1.1", "1.0"])
async def test_reader_that_stalls(front: LiveEngine, shop: Shop, version: str) -> None:
    """It is disconnected, and its transaction ended, although it stays connected."""
    url = front.settings.database.url
    add_conversations(url, shop, ROWS, weight=WEIGHT)
    async with (
        served(front.app, IMPATIENT) as port,
        reader(port, request(shop, version=version)) as stalled,
    ):
        await stalled.begin()
        await eventually(lambda: nothing_open(url), 10)

        if version == "1.0":
            with pytest.raises(ConnectionResetError):
                await stalled.go_on()
        else:
            assert not (await stalled.go_on()).endswith(b"0\r\n\r\n")
    assert await rows(front.database, error_reports) == []


async def test_reader_that_leaves(front: LiveEngine, shop: Shop) -> None:
    url = front.settings.database.url
    add_conversations(url, shop, ROWS, weight=WEIGHT)
    async with served(front.app, PATIENT) as port:
        for _ in range(3):
            async with reader(port, request(shop)) as leaving:
                await leaving.begin()
                assert len(await open_transactions(url)) == 1
                leaving.leave()
                await eventually(lambda: nothing_open(url), GONE_WITHIN_S)
    assert await rows(front.database, error_reports) == []


async def test_reader_that_leaves_while_the_database_works(front: LiveEngine, shop: Shop) -> None:
    """Nothing has been sent yet, and nothing will be sent soon."""
    url = front.settings.database.url
    async with await psycopg.AsyncConnection.connect(as_owner(url)) as holder:
        await holder.execute("LOCK TABLE ai_conversations IN ACCESS EXCLUSIVE MODE")
        async with served(front.app) as port, reader(port, request(shop)) as leaving:
            await eventually(lambda: is_active(url))
            leaving.leave()
            await eventually(lambda: nothing_open(url), GONE_WITHIN_S)


async def is_active(database_url: str) -> bool:
    return any(state == "active" for _, state in await open_transactions(database_url))


async def test_server_stops_during_an_export(front: LiveEngine, shop: Shop) -> None:
    url = front.settings.database.url
    add_conversations(url, shop, ROWS, weight=WEIGHT)
    async with asyncio.timeout(20), AsyncExitStack() as stack:
        async with served(front.app, PATIENT, grace_s=1) as port:
            cut = await stack.enter_async_context(reader(port, request(shop, version="1.0")))
            await cut.begin()
        with pytest.raises(ConnectionResetError):
            await cut.go_on()
    assert await nothing_open(url)
