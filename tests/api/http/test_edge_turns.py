"""The requests of one address leave turns of the event loop to others."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import replace
from ipaddress import ip_network
from pathlib import Path

import psutil
import pytest

from api.http.edge_limits import DEFAULT_LIMITS
from api.http.edge_turns import EdgeTurns
from api.http.request_steps import StepsInTurn
from tests.support.core.edge_server import EdgeServer, edge_server
from tests.support.core.raw_http import RawConnection, ask, raw_connection
from tests.support.core.waiting import eventually
from tests.support.servers.edge_callers import PING, serves

WORK = PING.replace(b"ping", b"work")
FLOOD = 40
TURN_S = 0.005
STEP_S = 0.001


@pytest.fixture
async def edge(tmp_path: Path) -> AsyncIterator[EdgeServer]:
    with edge_server(tmp_path, DEFAULT_LIMITS, keep_alive_s=60) as server:
        await eventually(lambda: serves(server))
        yield server


@asynccontextmanager
async def suspended(edge: EdgeServer) -> AsyncIterator[None]:
    """Suspend the process while the block runs, so that it then finds all requests at once."""
    process = psutil.Process(edge.pid)
    process.suspend()
    try:
        yield
    finally:
        process.resume()


async def connected(
    stack: AsyncExitStack, edge: EdgeServer, address: str | None = None
) -> RawConnection:
    connection = await stack.enter_async_context(raw_connection(edge.port, address))
    await connection.send(PING)
    assert (await connection.answer()).status == 200
    return connection


async def order_of(edge: EdgeServer) -> list[object]:
    order = (await ask(edge.port, PING.replace(b"ping", b"worked"))).json()["order"]
    assert isinstance(order, list)
    return order


async def test_a_neighbour_does_not_wait_behind_a_flood(edge: EdgeServer) -> None:
    async with AsyncExitStack() as stack:
        flood = [await connected(stack, edge) for _ in range(FLOOD)]
        neighbour = await connected(stack, edge, "127.0.0.2")
        async with suspended(edge):
            for one in [*flood, neighbour]:
                await one.send(WORK)
        for one in [*flood, neighbour]:
            assert (await one.answer()).status == 200
        order = await order_of(edge)

    assert len(order) == FLOOD + 1
    assert order.index("127.0.0.2") < FLOOD // 4


async def test_callers_behind_a_trusted_proxy_have_their_own_turns(tmp_path: Path) -> None:
    limits = replace(DEFAULT_LIMITS, proxies=(ip_network("127.0.0.1"),))
    with edge_server(tmp_path, limits, keep_alive_s=60) as edge:
        await eventually(lambda: serves(edge))
        async with AsyncExitStack() as stack:
            flood = [await connected(stack, edge) for _ in range(FLOOD + 1)]
            callers = [b"192.0.2.1"] * FLOOD + [b"192.0.2.2"]
            async with suspended(edge):
                for one, caller in zip(flood, callers, strict=True):
                    await one.send(WORK[:-2] + b"X-Forwarded-For: %s\r\n\r\n" % caller)
            for one in flood:
                assert (await one.answer()).status == 200
            order = await order_of(edge)

    assert order.index("192.0.2.2") < FLOOD // 4


async def test_waiting_calls_use_no_turn(edge: EdgeServer) -> None:
    """Calls that wait for an answer do not hold up the further requests of their address."""
    async with AsyncExitStack() as stack:
        waiting = [await connected(stack, edge) for _ in range(200)]
        for one in waiting:
            await one.send(PING.replace(b"ping", b"held"))
        assert await serves(edge)

        assert (await ask(edge.port, PING.replace(b"ping", b"release"))).status == 200
        for one in waiting:
            assert (await one.answer()).json() == {"held": True}


class Loop:
    """Requests of addresses, the steps of which take STEP_S on a fake clock. `order` has the name
    of each step's request, which defaults to the address."""

    def __init__(self) -> None:
        self.now = 0.0
        self.order: list[str] = []
        self.turns = EdgeTurns(TURN_S, clock=lambda: self.now)

    def start(self, address: str, steps: int = 1, *, name: str | None = None) -> asyncio.Task[None]:
        async def run() -> None:
            work = self._request(name or address, steps)
            await StepsInTurn(work, self.turns, address)

        return asyncio.create_task(run())

    async def _request(self, name: str, steps: int) -> None:
        for step in range(steps):
            if step:
                await asyncio.sleep(0)
            self.now += STEP_S
            self.order.append(name)


def gaps(order: list[str], address: str) -> list[int]:
    """Return the number of other steps before each step of the address."""
    found, since = [], 0
    for one in order:
        if one == address:
            found.append(since)
            since = 0
        else:
            since += 1
    return found


@pytest.mark.parametrize("steps", [1, 5], ids=["one step each", "five steps each"])
async def test_each_step_of_a_neighbour_waits_for_two_turns_at_most(steps: int) -> None:
    loop = Loop()
    flood = [loop.start("flood", steps) for _ in range(300)]
    await asyncio.gather(loop.start("neighbour", 8), *flood)

    assert loop.order.count("flood") == 300 * steps
    assert max(gaps(loop.order, "neighbour")) <= 2 * TURN_S / STEP_S


async def test_requests_of_one_address_run_in_order() -> None:
    loop = Loop()
    names = [str(number) for number in range(200)]
    await asyncio.gather(*(loop.start("flood", name=name) for name in names))

    assert loop.order == names


async def test_a_cancelled_request_gives_up_its_turn() -> None:
    loop = Loop()
    flood = [loop.start("flood") for _ in range(100)]
    await asyncio.sleep(0)
    flood[50].cancel()
    await asyncio.gather(*flood, return_exceptions=True)

    assert flood[50].cancelled()
    assert loop.order.count("flood") == 99


async def test_few_addresses_are_remembered() -> None:
    loop = Loop()
    await asyncio.gather(*(loop.start(str(number)) for number in range(5_000)))
    await asyncio.sleep(0)

    assert len(loop.turns._lines) <= 1_000
