"""The edge with slow callers and endless bodies: each connection ends."""

import asyncio
import itertools
import time

import pytest

from api.http.edge_limits import DEFAULT_LIMITS
from api.http.json_body import MAX_SECONDS
from tests.api.conftest import SHORT
from tests.support.core.edge_server import EdgeServer
from tests.support.core.raw_http import ask, raw_connection
from tests.support.servers.edge_callers import (
    CHUNKED,
    ECHO,
    MEBIBYTE,
    PING,
    POST,
    REFUSED,
    healthy_caller,
)

ENDLESS_CHUNK = b"10000\r\n" + b" " * 0x10000 + b"\r\n"


def test_times_of_the_contract() -> None:
    """A body has 10 s, and so have the parts before and after it."""
    assert MAX_SECONDS == 10.0
    assert (DEFAULT_LIMITS.head_s, DEFAULT_LIMITS.stalled_s) == (10.0, 10.0)
    assert (DEFAULT_LIMITS.head_bytes, DEFAULT_LIMITS.headers) == (64 * 1024, 100)


async def test_connection_that_says_nothing(edge: EdgeServer) -> None:
    async with raw_connection(edge.port) as connection:
        waited = asyncio.create_task(connection.closed_after())
        await healthy_caller(edge)

        assert await waited >= SHORT.head_s * 0.9


@pytest.mark.parametrize("first", [b"", PING], ids=["first request", "later request"])
@pytest.mark.parametrize(
    ("start", "drop"),
    [(b"GET /ping HTTP/1.1\r\nX-A: ", b"a"), (b"GET /", b"a"), (b"\r\n", b"\r\n")],
    ids=["header", "path", "blank lines"],
)
async def test_head_in_drops(edge: EdgeServer, first: bytes, start: bytes, drop: bytes) -> None:
    async with raw_connection(edge.port) as connection:
        if first:
            await connection.send(first)
            assert (await connection.answer()).status == 200
        await connection.send(start)
        dripping = asyncio.create_task(connection.drip(lambda: drop, every_s=0.05))
        await healthy_caller(edge)

        assert await dripping == b""
        assert time.monotonic() - connection.opened >= SHORT.head_s * 0.9


async def test_idle_between_requests(edge: EdgeServer) -> None:
    async with raw_connection(edge.port) as connection:
        await connection.send(PING)
        assert not (await connection.answer()).closes

        assert await connection.closed_after() >= edge.keep_alive_s * 0.9


@pytest.mark.parametrize("framing", [b"Content-Length: 50\r\n\r\n", CHUNKED])
async def test_body_in_drops(edge: EdgeServer, framing: bytes) -> None:
    pieces = itertools.cycle([b"1\r\n", b"a", b"\r\n"] if framing == CHUNKED else [b"a"])
    async with raw_connection(edge.port) as connection:
        await connection.send(ECHO + framing)
        dripping = asyncio.create_task(connection.drip(lambda: next(pieces), every_s=0.1))
        await healthy_caller(edge)

        received = await dripping
        assert received.startswith(b"HTTP/1.1 408 ")
        assert b"connection: close" in received
        assert b"body_too_slow" in received


async def test_expectation_and_then_nothing(edge: EdgeServer) -> None:
    async with raw_connection(edge.port) as connection:
        await connection.send(ECHO + b"Content-Length: 9\r\nExpect: 100-continue\r\n\r\n")
        assert (await connection.answer()).status == 100
        await healthy_caller(edge)

        refused = await connection.answer()
        assert (refused.status, refused.json()["code"]) == (408, "body_too_slow")
        assert await connection.rest() == b""


async def test_expectation_that_is_met(edge: EdgeServer) -> None:
    async with raw_connection(edge.port) as connection:
        await connection.send(ECHO + b"Content-Length: 9\r\nExpect: 100-continue\r\n\r\n")
        assert (await connection.answer()).status == 100
        await connection.send(b'{"a": 42}')

        answer = await connection.answer()
        assert (answer.status, answer.json(), answer.closes) == (200, {"a": 42}, False)


@pytest.mark.parametrize(
    ("head", "status"),
    [
        (REFUSED + CHUNKED, 401),
        (REFUSED + b"Content-Length: 1000000000000\r\n\r\n", 401),
        (ECHO + b"Content-Length: 1000000000000\r\n\r\n", 413),
        (ECHO + CHUNKED, 413),
        (ECHO.replace(b"json", b"xml") + CHUNKED, 415),
        (b"GET /ping HTTP/1.1\r\nHost: a\r\n" + CHUNKED, 200),
        (POST % b"/nowhere" + CHUNKED, 404),
    ],
)
async def test_endless_body(edge: EdgeServer, head: bytes, status: int) -> None:
    """The response is sent early, and the body is not read forever."""
    async with raw_connection(edge.port) as connection:
        await connection.send(head)
        pouring = asyncio.create_task(connection.pour(ENDLESS_CHUNK))
        await healthy_caller(edge)

        answer = await connection.answer()
        assert (answer.status, answer.closes) == (status, True)
        await pouring


async def test_refused_body_that_never_comes(edge: EdgeServer) -> None:
    async with raw_connection(edge.port) as connection:
        await connection.send(REFUSED + b"Content-Length: 5\r\n\r\n")

        assert (await connection.answer()).status == 401
        await connection.send(b"a")
        assert await connection.rest() == b""


async def test_announced_length_is_refused_unread(edge: EdgeServer) -> None:
    async with raw_connection(edge.port) as connection:
        length = b"Content-Length: %d\r\n" % (MEBIBYTE + 1)
        await connection.send(ECHO + length + b"Expect: 100-continue\r\n\r\n")

        answer = await connection.answer()
        assert (answer.status, answer.json()["code"]) == (413, "body_too_large")


@pytest.mark.parametrize("chunked", [False, True])
async def test_refusal_reaches_who_sends_all_first(edge: EdgeServer, chunked: bool) -> None:
    """The response is not lost in a TCP reset, as with an immediate close."""
    size = 3 * MEBIBYTE
    framing = CHUNKED + b"%x\r\n" % size if chunked else b"Content-Length: %d\r\n\r\n" % size
    async with raw_connection(edge.port) as connection:
        assert await connection.send(ECHO + framing + b" " * size)

        answer = await connection.answer()
        assert (answer.status, answer.json()["code"]) == (413, "body_too_large")


@pytest.mark.parametrize("size", [MEBIBYTE, MEBIBYTE + 1])
async def test_largest_body(edge: EdgeServer, size: int) -> None:
    body = b'{"a": 1}'.ljust(size)
    for framed in (
        b"Content-Length: %d\r\n\r\n" % size + body,
        CHUNKED + b"%x\r\n%s\r\n0\r\n\r\n" % (size, body),
    ):
        answer = await ask(edge.port, ECHO + framed)
        assert answer.status == (200 if size == MEBIBYTE else 413)


async def test_body_in_chunks_of_one_byte(edge: EdgeServer) -> None:
    body = b'{"a": "%s"}' % (b"x" * 50_000)
    chunks = b"".join(b"1\r\n%c\r\n" % byte for byte in body)
    async with raw_connection(edge.port) as connection:
        sending = asyncio.create_task(connection.send(ECHO + CHUNKED + chunks + b"0\r\n\r\n"))
        await healthy_caller(edge)
        await sending

        answer = await connection.answer()
        assert (answer.status, answer.json()) == (200, {"a": "x" * 50_000})
