"""Hostile events over HTTP, with the API and a worker in separate processes."""

import asyncio
from collections.abc import AsyncIterator
from pathlib import Path

import httpx
import pytest

from embedded.ports import free_port
from store.core.database import Database
from tests.support.core.engine import GATEWAY, LiveEngine
from tests.support.core.processes import Process, process
from tests.support.core.waiting import eventually
from tests.support.intake.hostile import EVENT_TYPE, SHAPES
from tests.support.tenants.shop import ORDER_QUESTION, Shop, open_shop

_DEADLINE_S = 20.0
"""Well above the documented limit: the test does not measure performance."""
_AT_ONCE = 2
_OF_THE_ISSUE = "style of at-rules"


class Stack:
    def __init__(self, http: httpx.AsyncClient, worker: Process) -> None:
        self._http = http
        self.worker = worker

    async def answer(self, shop: Shop, **body: object) -> httpx.Response:
        async with asyncio.timeout(_DEADLINE_S):
            return await self._http.post(
                GATEWAY, json={"client_id": shop.client_id, **body}, headers=shop.headers
            )

    async def sends(self, shop: Shop, name: str) -> httpx.Response:
        """Send that shape at full size, from a new customer."""
        shape = SHAPES[name]
        who = f"eve{list(SHAPES).index(name)}@hostile.example"
        return await self.answer(
            shop, **{"event_type": EVENT_TYPE, "customer_email": who, **shape.make(shape.full)}
        )

    async def is_healthy(self, shop: Shop) -> bool:
        answer = await self.answer(shop, message=ORDER_QUESTION)
        return (answer.status_code, answer.json()["status"]) == (200, "completed")


@pytest.fixture
async def other_shop(database: Database) -> Shop:
    return await open_shop(database)


@pytest.fixture
async def stack(idle_engine: LiveEngine, tmp_path: Path) -> AsyncIterator[Stack]:
    port, settings = free_port(), idle_engine.settings
    with (
        process("api", "cli.py", "serve", "--port", str(port), settings=settings, folder=tmp_path),
        process("worker", "worker.py", settings=settings, folder=tmp_path) as worker,
    ):
        async with httpx.AsyncClient(base_url=f"http://127.0.0.1:{port}", timeout=40) as http:

            async def serves() -> bool:
                try:
                    return (await http.get("/readyz")).status_code == 200
                except httpx.TransportError:
                    return False

            await eventually(serves)
            yield Stack(http, worker)


@pytest.mark.slow
async def test_the_mail_of_the_issue_stops_nobody(
    stack: Stack, shop: Shop, other_shop: Shop
) -> None:
    assert await stack.is_healthy(other_shop), "the worker is at work"
    hostile = asyncio.create_task(stack.sends(shop, _OF_THE_ISSUE))
    assert await stack.is_healthy(other_shop)
    answer = await hostile
    assert (answer.status_code, answer.json()["status"]) == (200, "needs_review")
    assert await stack.is_healthy(other_shop)


@pytest.mark.slow
async def test_every_hostile_shape_is_answered(stack: Stack, shop: Shop, other_shop: Shop) -> None:
    assert await stack.is_healthy(other_shop)
    places = asyncio.Semaphore(_AT_ONCE)

    async def sent(name: str) -> tuple[str, int, str]:
        async with places:
            answer = await stack.sends(shop, name)
            return name, answer.status_code, answer.json().get("status", "")

    answers = await asyncio.gather(*map(sent, SHAPES))
    assert [one for one in answers if one[1] != 200 or one[2] == "failed"] == []
    assert stack.worker.exit_code is None
    assert await stack.is_healthy(other_shop)
