"""The installed API under floods, with its real limits: other callers are served."""

import asyncio
import resource
import sys
import time
from collections.abc import AsyncIterator, Iterator
from contextlib import AsyncExitStack, asynccontextmanager, contextmanager
from dataclasses import dataclass
from pathlib import Path

import httpx
import orjson
import pytest

from embedded.ports import free_port
from embedded.process import Child
from store.runs.tables import engine_runs
from tests.support.core.command_line import CLI
from tests.support.core.engine import GATEWAY, LiveEngine
from tests.support.core.processes import environment
from tests.support.core.raw_http import RawConnection, ask, raw_connection
from tests.support.core.rows import rows
from tests.support.core.waiting import eventually
from tests.support.tenants.shop import ORDER_QUESTION, Shop, open_shop

# It measures time, or loads the machine.
pytestmark = pytest.mark.alone

ENDS_AFTER_S = 10.0  # the contract's number
ENDS_WITHIN_S = 15.0  # and a margin for a busy machine


@dataclass(frozen=True)
class Served:
    """A separate `cli.py serve`."""

    port: int
    child: Child

    async def answers(self, shop: Shop, **body: object) -> httpx.Response | None:
        """Return the gateway's status for a healthy caller on a new connection; None if it was
        refused."""
        async with httpx.AsyncClient(base_url=f"http://127.0.0.1:{self.port}", timeout=40) as http:
            try:
                return await http.post(
                    GATEWAY, json={"client_id": shop.client_id, **body}, headers=shop.headers
                )
            except httpx.TransportError:
                return None

    async def is_healthy(self, shop: Shop) -> bool:
        """Return whether a healthy caller's key is looked up in the database."""
        answer = await self.answers(shop, message=5)
        return answer is not None and answer.status_code == 400


@asynccontextmanager
async def served(
    engine: LiveEngine, shop: Shop, folder: Path, *, open_files: int | None = None
) -> AsyncIterator[Served]:
    port = free_port()
    command = [sys.executable, CLI, "serve", "--port", str(port)]
    if open_files is not None:
        command = ["sh", "-c", f'ulimit -n {open_files}; exec "$@"', "sh", *command]
    child = Child("api", command, log=folder / "api.log", env=environment(engine.settings))
    try:
        api = Served(port, child)
        await eventually(lambda: api.is_healthy(shop))
        yield api
    finally:
        child.terminate()
        child.wait(10)


@contextmanager
def many_open_files(number: int) -> Iterator[None]:
    """Allow this process, the attacker, that many open files."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    if hard != resource.RLIM_INFINITY and hard < number:
        pytest.skip(f"this machine allows a process {hard} open files, the flood needs {number}")
    resource.setrlimit(resource.RLIMIT_NOFILE, (max(soft, number), hard))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))


@asynccontextmanager
async def flood(port: int, number: int, greeting: bytes) -> AsyncIterator[list[RawConnection]]:
    async with AsyncExitStack() as stack:
        opened = []
        for _ in range(number):
            opened.append(await stack.enter_async_context(raw_connection(port)))
            await opened[-1].send(greeting)
        yield opened


@pytest.mark.slow
async def test_idle_connections_and_slow_bodies(
    engine: LiveEngine, shop: Shop, tmp_path: Path
) -> None:
    head = (
        f"POST {GATEWAY} HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer {shop.key}\r\n"
        "Content-Type: application/json\r\nContent-Length: 1000\r\n\r\n{"
    )
    async with served(engine, shop, tmp_path) as api:
        with many_open_files(2000):
            async with (
                flood(api.port, 1000, b"") as idle,
                flood(api.port, 20, b"GET / HTTP/1.1\r\nX-A: ") as slow_heads,
                flood(api.port, 20, head.encode()) as slow_bodies,
            ):
                ends = [asyncio.create_task(one.closed_after()) for one in [*idle, *slow_heads]]
                said = [
                    asyncio.create_task(one.drip(lambda: b" ", every_s=1)) for one in slow_bodies
                ]
                answer = await api.answers(shop, message=ORDER_QUESTION)
                assert answer is not None
                assert answer.json()["status"] == "completed"
                assert not any(task.done() for task in [*ends, *said])  # all at the same time

                closed = await asyncio.gather(*ends)
                assert min(closed) >= ENDS_AFTER_S * 0.9
                assert max(closed) <= ENDS_WITHIN_S
                for text in await asyncio.gather(*said):
                    assert text.startswith(b"HTTP/1.1 408 ")
                assert time.monotonic() - slow_bodies[0].opened <= ENDS_WITHIN_S
        assert await api.is_healthy(shop)


# What each socket sends first, and then byte by byte.
SLOW = {
    "heads": ("GET / HTTP/1.1\r\nX-A: ", b"a"),
    "bodies": (
        f"POST {GATEWAY} HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer {{key}}\r\n"
        "Content-Type: application/json\r\nContent-Length: 1000\r\n\r\n{{",
        b" ",
    ),
    "readers": (
        "GET /api/client/export-data HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer {key}\r\n\r\n",
        b"",
    ),
}


@pytest.mark.slow
@pytest.mark.parametrize("kind", SLOW)
async def test_slow_sockets_of_one_key_keep_nobody_out(
    front: LiveEngine, shop: Shop, tmp_path: Path, kind: str
) -> None:
    """2,048 from the address that other callers use too."""
    other = await open_shop(front.database, event_type="nobody")
    greeting, drop = SLOW[kind]
    async with served(front, other, tmp_path) as api:
        with many_open_files(4096):
            async with flood(api.port, 2048, greeting.format(key=shop.key).encode()) as slow:
                for one in slow:
                    one.stop_reading()
                    await one.send(drop)
                body = orjson.dumps({"client_id": other.client_id, "message": "x"})
                head = SLOW["bodies"][0].format(key=other.key).removesuffix("{")
                event = head.replace("1000", str(len(body))).encode() + body
                answers = [await ask(api.port, event) for _ in range(50)]
                assert [answer.status for answer in answers] == [200] * 50
        assert await api.is_healthy(other)


@pytest.mark.slow
async def test_flood_with_few_open_files(front: LiveEngine, shop: Shop, tmp_path: Path) -> None:
    """256 open files and 1000 idle connections: connections are closed, and no file descriptor is
    missing afterwards."""
    async with served(front, shop, tmp_path, open_files=256) as api:
        with many_open_files(2000):
            async with flood(api.port, 1000, b""):
                for _ in range(20):
                    await eventually(lambda: api.is_healthy(shop), 5)
        assert await api.is_healthy(shop)
        assert api.child.exit_code is None


async def test_caller_that_leaves_before_the_answer(
    engine: LiveEngine, shop: Shop, tmp_path: Path
) -> None:
    """The work is done, and its result is stored."""
    body = orjson.dumps({"client_id": shop.client_id, "message": ORDER_QUESTION})
    head = (
        f"POST {GATEWAY} HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer {shop.key}\r\n"
        f"Content-Type: application/json\r\nContent-Length: {len(body)}\r\n\r\n"
    )
    async with served(engine, shop, tmp_path) as api:
        async with raw_connection(api.port) as connection:
            await connection.send(head.encode() + body)
        await eventually(lambda: is_completed(engine))


async def is_completed(engine: LiveEngine) -> bool:
    return [run["status"] for run in await rows(engine.database, engine_runs)] == ["completed"]
