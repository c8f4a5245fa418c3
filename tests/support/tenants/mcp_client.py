"""The official client of the Model Context Protocol, for the application in this process."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any, Final

import httpx
import httpx2
import sqlalchemy as sa
from mcp.client.client import Client
from mcp.client.streamable_http import streamable_http_client

from store.tenants.keys import KeyRepository
from tests.support.core.engine import LiveEngine
from tests.support.tenants.shop import Shop

MCP: Final = "/api/mcp"
AT: Final = "http://127.0.0.1:8080"
"""The API's address for callers, unless a setting changes it."""

CURRENT: Final = "2026-07-28"
BEFORE: Final = "2025-11-25"
REVISIONS: Final = (CURRENT, BEFORE)
_NARROW: Final = sa.text("UPDATE api_keys SET scopes = :scopes WHERE id = :key")


@asynccontextmanager
async def connected(engine: LiveEngine, key: str, revision: str = CURRENT) -> AsyncIterator[Client]:
    """Connect a client with this revision of the protocol."""
    http = httpx2.AsyncClient(
        transport=httpx2.ASGITransport(engine.app, raise_app_exceptions=False),
        base_url=AT,
        headers={"authorization": f"Bearer {key}"},
        timeout=40,
    )
    async with (
        http,
        Client(
            streamable_http_client(AT + MCP, http_client=http),
            mode="legacy" if revision == BEFORE else revision,
        ) as client,
    ):
        yield client


async def message(
    engine: LiveEngine, shop: Shop, method: str, params: dict[str, Any], **headers: str
) -> httpx.Response:
    """Send one message manually, as in the previous revision."""
    return await engine.http.post(
        AT + MCP,
        json={"jsonrpc": "2.0", "id": 1, "method": method, "params": params},
        headers={
            **shop.headers,
            "accept": "application/json, text/event-stream",
            "mcp-protocol-version": BEFORE,
            **headers,
        },
    )


async def call(engine: LiveEngine, shop: Shop, name: str, /, **arguments: Any) -> dict[str, Any]:
    """Call a tool manually, without the cost of a connection, and return its whole result."""
    answer = await message(engine, shop, "tools/call", {"name": name, "arguments": arguments})
    assert answer.status_code == 200, answer.text
    result: dict[str, Any] = answer.json()["result"]
    return result


async def told(engine: LiveEngine, shop: Shop, name: str, /, **arguments: Any) -> dict[str, Any]:
    """Return a tool's successful result."""
    result = await call(engine, shop, name, **arguments)
    assert not result["isError"], result
    structured: dict[str, Any] = result["structuredContent"]
    return structured


async def refused(engine: LiveEngine, shop: Shop, name: str, /, **arguments: Any) -> str:
    """Return a tool's error."""
    result = await call(engine, shop, name, **arguments)
    assert result["isError"], result
    text: str = result["content"][0]["text"]
    return text


async def narrow(engine: LiveEngine, shop: Shop, *scopes: str) -> None:
    """Restrict the shop's key to these scopes."""
    async with engine.database.service() as connection:
        await connection.execute(_NARROW, {"key": shop.key_id, "scopes": list(scopes)})


async def revoke(engine: LiveEngine, shop: Shop) -> None:
    async with engine.database.service() as connection:
        await KeyRepository(connection).revoke(shop.key_id, engine.app.state.resources.now())
