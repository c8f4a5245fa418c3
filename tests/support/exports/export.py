"""Exports that are requested, served over real sockets, or aborted."""

import asyncio
import socket
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, contextmanager
from typing import Any

import httpx
import psycopg
import uvicorn
from fastapi import FastAPI
from structlog.testing import capture_logs

from api.http.edge_limits import DEFAULT_LIMITS, EdgeLimits
from api.http.edge_watch import EdgeWatch
from api.http.protocol import edge_protocol
from domain.exports.export import Section
from tests.support.core.engine import LiveEngine
from tests.support.core.postgres import as_owner
from tests.support.tenants.shop import Shop

EXPORT = "/api/client/export-data"
MEBIBYTE = 1024 * 1024


async def ask(front: LiveEngine, shop: Shop, **query: str) -> httpx.Response:
    return await front.http.get(EXPORT, params=query, headers=shop.headers)


async def exported(front: LiveEngine, shop: Shop) -> dict[str, Any]:
    answer = await ask(front, shop)
    assert answer.status_code == 200, answer.text
    body: dict[str, Any] = answer.json()
    assert list(body) == ["exported_at", "client_id", *Section]
    return body


def add_conversations(database_url: str, shop: Shop, number: int, *, weight: int = 100) -> None:
    """Add conversations. `weight` are the characters in each summary."""
    with psycopg.connect(as_owner(database_url)) as connection:
        connection.execute(
            "INSERT INTO ai_conversations "
            "(client_id, id, key, channel, summary, is_critical, created_at, last_message_at) "
            "SELECT %s, '01' || lpad(n::text, 24, '0'), n::text, 'api', repeat('é', %s), false, "
            "now(), now() FROM generate_series(1, %s) AS n",
            [shop.client_id, weight, number],
        )


async def open_transactions(database_url: str) -> list[tuple[int, str]]:
    """Return the service's backends in a transaction, and their activity."""
    async with await psycopg.AsyncConnection.connect(as_owner(database_url)) as connection:
        found = await connection.execute(
            "SELECT pid, state FROM pg_stat_activity WHERE datname = current_database() "
            "AND usename = 'engine_app' AND xact_start IS NOT NULL"
        )
        return [(int(pid), str(state)) for pid, state in await found.fetchall()]


async def nothing_open(database_url: str) -> bool:
    return not await open_transactions(database_url)


class _Server(uvicorn.Server):
    @contextmanager
    def capture_signals(self) -> Iterator[None]:
        """Leave signals to the tests."""
        yield


@asynccontextmanager
async def served(
    app: FastAPI, limits: EdgeLimits = DEFAULT_LIMITS, *, grace_s: int = 1
) -> AsyncIterator[int]:
    """Serve the application behind the real edge in this process, and yield its port. The log is
    not shown, because printing an error with all variables takes seconds."""
    server = _Server(
        uvicorn.Config(
            app,
            port=0,
            http=edge_protocol(EdgeWatch(app), limits),
            ws="none",
            lifespan="off",
            proxy_headers=False,
            log_config=None,
            access_log=False,
            timeout_graceful_shutdown=grace_s,
        )
    )
    listening = socket.create_server(("127.0.0.1", 0))
    serving = asyncio.create_task(server.serve(sockets=[listening]))
    port: int = listening.getsockname()[1]
    with capture_logs():
        try:
            yield port
        finally:
            server.should_exit = True
            await serving
