"""The edge under floods: endless headers, pipelines and responses, and too many connections."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import replace
from pathlib import Path

import pytest

from api.http.edge_limits import DEFAULT_LIMITS
from api.http.json_body import MAX_COMING
from tests.api.conftest import SHORT
from tests.support.core.edge_server import EdgeServer, edge_server
from tests.support.core.raw_http import RawConnection, ask, raw_connection
from tests.support.core.waiting import eventually
from tests.support.servers.edge_callers import (
    CHUNKED,
    ECHO,
    MEBIBYTE,
    PING,
    POST,
    healthy_caller,
    serves,
)


@pytest.mark.parametrize(
    ("start", "more"),
    [
        (b"GET /ping HTTP/1.1\r\nHost: a\r\nX-A: ", b"a" * 4096),
        (b"GET /ping HTTP/1.1\r\nHost: a\r\n", b"a" * 4096),
        (b"GET /ping HTTP/1.1\r\nHost: a\r\n", b"X-A: a\r\n" * 64),
        (b"GET /", b"a" * 4096),
        (ECHO + CHUNKED + b"0\r\nX-A: ", b"a" * 4096),
        (ECHO + CHUNKED + b"0\r\n", b"X-A: a\r\n" * 64),
        (ECHO + CHUNKED + b"1;", b"a" * 4096),
    ],
    ids=["value", "name", "headers", "path", "trailer", "trailers", "chunk extension"],
)
async def test_endless_head(edge: EdgeServer, start: bytes, more: bytes) -> None:
    before = edge.memory()
    async with raw_connection(edge.port) as connection:
        await connection.send(start)
        pouring = asyncio.create_task(connection.pour(more))
        answer = await connection.answer()

        assert (answer.status, answer.json()["code"]) == (431, "head_too_large")
        assert answer.json()["request_id"] == answer.headers["x-request-id"]
        assert answer.closes
        await healthy_caller(edge)
        await pouring
    assert edge.memory() - before < 8 * MEBIBYTE


@pytest.mark.parametrize(
    ("headers", "status"),
    [
        (b"X: a\r\n" * 99, 200),
        (b"X: a\r\n" * 100, 431),
        (b"X: a\r\n" * 1000, 431),
        (b"X: %s\r\n" % (b"a" * 65_000), 200),
        (b"X: %s\r\n" % (b"a" * 65_536), 431),
        (b"X: %s\r\n" % (b"a" * 200_000), 431),
    ],
    ids=["100", "101", "1001", "below 64 KiB", "above", "far above"],
)
async def test_size_of_a_head(edge: EdgeServer, headers: bytes, status: int) -> None:
    answer = await ask(edge.port, b"GET /ping HTTP/1.1\r\nHost: a\r\n" + headers + b"\r\n")

    assert answer.status == status


async def test_head_behind_a_large_body_is_not_large(edge: EdgeServer) -> None:
    """Only the headers are counted, however the bytes are split into packets."""
    body = b'{"a": 1}'.ljust(200_000)
    async with raw_connection(edge.port) as connection:
        framed = b"Content-Length: %d\r\n\r\n" % len(body) + body
        await connection.send(ECHO + framed + PING[:20])
        assert (await connection.answer()).status == 200
        await connection.send(PING[20:])

        assert (await connection.answer()).status == 200


async def test_trailers_are_no_headers(edge: EdgeServer) -> None:
    body = b"1\r\na\r\n0\r\nx-engine-secret: a\r\n\r\n"
    answer = await ask(edge.port, POST % b"/headers" + CHUNKED + body)

    assert answer.status == 200
    assert "x-engine-secret" not in answer.json()


async def test_pipelining_within_the_limit(edge: EdgeServer) -> None:
    async with raw_connection(edge.port) as connection:
        await connection.send(PING * (SHORT.pipelined + 1))
        answers = [await connection.answer() for _ in range(SHORT.pipelined + 1)]
        assert [(answer.status, answer.closes) for answer in answers] == [(200, False)] * 17

        await connection.send(PING)
        assert (await connection.answer()).status == 200


async def test_pipelining_beyond_the_limit(edge: EdgeServer) -> None:
    """Accepted requests are answered in order; the last response closes the connection."""
    async with raw_connection(edge.port) as connection:
        await connection.send(PING * 5000)
        answers = [await connection.answer() for _ in range(SHORT.pipelined + 1)]

        assert [answer.status for answer in answers] == [200] * 17
        assert [answer.closes for answer in answers] == [False] * 16 + [True]
        assert await connection.rest() == b""


async def test_endless_pipelining_behind_a_slow_answer(edge: EdgeServer) -> None:
    before = edge.memory()
    async with raw_connection(edge.port) as connection:
        await connection.send(PING.replace(b"ping", b"held"))
        pouring = asyncio.create_task(connection.pour(PING * 5000))
        for _ in range(50):
            await healthy_caller(edge)
        assert edge.memory() - before < 8 * MEBIBYTE

        await ask(edge.port, PING.replace(b"ping", b"release"))
        answers = [await connection.answer() for _ in range(SHORT.pipelined + 1)]
        assert answers[0].json() == {"held": True}
        assert [answer.closes for answer in answers] == [False] * 16 + [True]
        await pouring


@pytest.mark.parametrize("path", [b"/stream", b"/block"])
async def test_caller_that_does_not_take_its_answer(edge: EdgeServer, path: bytes) -> None:
    async with raw_connection(edge.port) as connection:
        connection.stop_reading()
        await connection.send(PING.replace(b"/ping", path))
        await eventually(lambda: is_held(edge, connection))
        await healthy_caller(edge)

        await eventually(lambda: is_dropped(edge, connection), DEFAULT_LIMITS.stalled_s)


async def test_caller_that_takes_its_answer(narrow: EdgeServer) -> None:
    async with raw_connection(narrow.port) as connection:
        await connection.send(PING.replace(b"/ping", b"/block"))

        assert len((await connection.answer()).body) == 64 * MEBIBYTE


async def is_held(edge: EdgeServer, connection: RawConnection) -> bool:
    return connection.local_port in edge.callers()


async def is_dropped(edge: EdgeServer, connection: RawConnection) -> bool:
    return connection.local_port not in edge.callers()


@pytest.fixture
async def narrow(tmp_path: Path) -> AsyncIterator[EdgeServer]:
    """A process with a limit of 20 connections and long timeouts."""
    limits = replace(DEFAULT_LIMITS, connections=20)
    with edge_server(tmp_path, limits, keep_alive_s=60) as server:
        await eventually(lambda: serves(server))
        yield server


@asynccontextmanager
async def connections(
    edge: EdgeServer, number: int, greeting: bytes
) -> AsyncIterator[list[RawConnection]]:
    async with AsyncExitStack() as stack:
        opened = []
        for _ in range(number):
            opened.append(await stack.enter_async_context(raw_connection(edge.port)))
            await opened[-1].send(greeting)
            if greeting == PING:
                assert (await opened[-1].answer()).status == 200
        yield opened


@pytest.mark.parametrize(
    "greeting", [b"", b"GET /ping HTTP/1.1\r\nX-A", PING], ids=["silent", "half a head", "idle"]
)
async def test_idle_connections_make_room(narrow: EdgeServer, greeting: bytes) -> None:
    """The longest-idle connection is closed; no caller is locked out."""
    async with connections(narrow, 30, greeting) as idle:
        for _ in range(20):
            await healthy_caller(narrow)
        for connection in idle[:10]:
            assert await connection.closed_after() < DEFAULT_LIMITS.head_s


async def test_slow_bodies_of_one_caller_are_bounded(tmp_path: Path) -> None:
    """64 bodies may be in transfer at a time; another slow one is rejected, and one that arrives at
    once is answered."""
    slow = ECHO + b"Content-Length: 9\r\n\r\n{"
    with edge_server(tmp_path, DEFAULT_LIMITS, body_s=60) as edge:
        await eventually(lambda: serves(edge))
        async with connections(edge, MAX_COMING, slow) as bodies:
            await healthy_caller(edge)
            refused = await ask(edge.port, slow)
            assert (refused.status, refused.json()["code"]) == (429, "caller_busy")
            assert refused.headers["retry-after"] == "1"
            assert refused.closes

            await bodies[0].send(b'"a": 1 }')
            assert (await bodies[0].answer()).status == 200
            assert (await ask(edge.port, ECHO + b"Content-Length: 2\r\n\r\n{}")).status == 200


async def test_one_address_leaves_room_for_others(tmp_path: Path) -> None:
    limits = replace(DEFAULT_LIMITS, per_address=20)
    with edge_server(tmp_path, limits, keep_alive_s=60) as edge:
        await eventually(lambda: serves(edge))
        async with connections(edge, 20, PING.replace(b"ping", b"held")):
            refused = await eventually(lambda: refusal(edge, 429))
            assert refused["code"] == "caller_busy"
            assert await serves(edge, "127.0.0.2")


async def test_no_room_while_all_are_worked_for(narrow: EdgeServer) -> None:
    async with connections(narrow, 20, PING.replace(b"ping", b"held")) as busy:
        refused = await eventually(lambda: refusal(narrow))
        assert refused["code"] == "server_busy"

        busy[0].writer.transport.abort()
        await eventually(lambda: serves(narrow))
        assert (await ask(narrow.port, PING.replace(b"ping", b"release"))).status == 200
        for connection in busy[1:]:
            assert (await connection.answer()).json() == {"held": True}


async def test_refusals_are_counted_and_each_is_reported(narrow: EdgeServer) -> None:
    assert (await ask(narrow.port, b"GET /ping HTTP/1.1\r\n\r\n")).status == 400
    async with connections(narrow, 20, PING.replace(b"ping", b"held")) as busy:
        for _ in range(3):
            await eventually(lambda: refusal(narrow))
        busy[0].writer.transport.abort()
        await eventually(lambda: serves(narrow))

        seen = (await ask(narrow.port, PING.replace(b"ping", b"seen"))).json()
    assert 'engine_refusals_total{code="invalid_request"} 1.0' in str(seen["numbers"])
    assert 'engine_refusals_total{code="server_busy"} 3.0' in str(seen["numbers"])
    assert seen["reports"] == ["server_busy"] * 3


async def refusal(edge: EdgeServer, status: int = 503) -> dict[str, object] | None:
    async with raw_connection(edge.port) as connection:
        try:
            await connection.send(PING)
            answer = await connection.answer()
        except (ConnectionError, EOFError):
            return None
    return answer.json() if answer.status == status else None
