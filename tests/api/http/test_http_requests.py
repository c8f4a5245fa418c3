"""The edge parses requests unambiguously: an ambiguous request is rejected and its connection
closed."""

import asyncio
import json

import pytest

from tests.support.core.edge_server import EdgeServer
from tests.support.core.raw_http import ask, raw_connection
from tests.support.core.waiting import eventually
from tests.support.servers.edge_callers import PING, serves

GET = b"GET /ping HTTP/1.1\r\nHost: a\r\n"
POST = b"POST /echo HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\n"
BODY = b'{"a": 1}'
AMBIGUOUS = {
    "length and chunked": POST
    + b"Content-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
    "chunked and length": POST
    + b"Transfer-Encoding: chunked\r\nContent-Length: 5\r\n\r\n0\r\n\r\n",
    "length twice": POST + b"Content-Length: 8\r\nContent-Length: 8\r\n\r\n" + BODY,
    "two lengths": POST + b"Content-Length: 8\r\nContent-Length: 5\r\n\r\n" + BODY,
    "length list": POST + b"Content-Length: 8, 8\r\n\r\n" + BODY,
    "signed length": POST + b"Content-Length: +8\r\n\r\n" + BODY,
    "negative length": POST + b"Content-Length: -8\r\n\r\n" + BODY,
    "hexadecimal length": POST + b"Content-Length: 0x8\r\n\r\n" + BODY,
    "empty length": POST + b"Content-Length: \r\n\r\n" + BODY,
    "length of 23 digits": POST + b"Content-Length: 99999999999999999999999\r\n\r\n",
    "chunked twice": POST + b"Transfer-Encoding: chunked\r\nTransfer-Encoding: chunked\r\n\r\n",
    "chunked list": POST + b"Transfer-Encoding: chunked, chunked\r\n\r\n0\r\n\r\n",
    "gzip, chunked": POST + b"Transfer-Encoding: gzip, chunked\r\n\r\n0\r\n\r\n",
    "identity": POST + b"Transfer-Encoding: identity\r\n\r\n",
    "not quite chunked": POST + b"Transfer-Encoding: xchunked\r\n\r\n0\r\n\r\n",
    "chunked in HTTP/1.0": POST.replace(b"1.1", b"1.0")
    + b"Transfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
    "chunk of a negative size": POST + b"Transfer-Encoding: chunked\r\n\r\n-1\r\n",
    "chunk of a huge size": POST + b"Transfer-Encoding: chunked\r\n\r\n" + b"f" * 17 + b"\r\n",
    "chunk longer than it says": POST + b"Transfer-Encoding: chunked\r\n\r\n1\r\nab\r\n0\r\n\r\n",
    "chunk with bare LF": POST + b"Transfer-Encoding: chunked\r\n\r\n1\na\n0\n\n",
    "folded header": GET + b"X-A: a\r\n b\r\n\r\n",
    "folded first header": b"GET /ping HTTP/1.1\r\n Host: a\r\n\r\n",
    "space before the colon": GET + b"X-A : a\r\n\r\n",
    "no name": GET + b": a\r\n\r\n",
    "no colon": GET + b"X-A\r\n\r\n",
    "NUL in a header": GET + b"X-A: a\0b\r\n\r\n",
    "NUL in a name": GET + b"X\0A: b\r\n\r\n",
    "bare LF in a header": GET + b"X-A: a\nX-B: b\r\n\r\n",
    "bare CR in a header": GET + b"X-A: a\rX-B: b\r\n\r\n",
    "bare LF everywhere": PING.replace(b"\r\n", b"\n"),
    "no Host": PING.replace(b"Host: a\r\n", b""),
    "two Hosts": GET + b"Host: b\r\n\r\n",
    "two Hosts in HTTP/1.0": (GET + b"Host: b\r\n\r\n").replace(b"1.1", b"1.0"),
    "HTTP/2": b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n",
    "HTTP/2.0 by name": PING.replace(b"1.1", b"2.0"),
    "HTTP/1.2": PING.replace(b"1.1", b"1.2"),
    "HTTP/0.9": b"GET /ping\r\n\r\n",
    "TLS": b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03",
    "no request": b"\0\0\0\0",
    "unknown method": PING.replace(b"GET", b"FETCH"),
    "CONNECT": b"CONNECT a:443 HTTP/1.1\r\nHost: a\r\n\r\n",
    "address without a path": PING.replace(b"/ping", b"http://a"),
    "space in the path": PING.replace(b"/ping", b"/pi ng"),
    "control character in the path": PING.replace(b"/ping", b"/pi\x01ng"),
    "path beyond ASCII": PING.replace(b"/ping", "/é".encode()),
}


@pytest.mark.parametrize("request_bytes", AMBIGUOUS.values(), ids=AMBIGUOUS.keys())
async def test_refused_and_closed(edge: EdgeServer, request_bytes: bytes) -> None:
    async with raw_connection(edge.port) as connection:
        await connection.send(request_bytes)
        answer = await connection.answer()

        assert (answer.status, answer.closes) == (400, True)
        assert answer.headers["content-type"] == "application/json"
        assert answer.json() == {
            "error": "Requête HTTP invalide.",
            "code": "invalid_request",
            "request_id": answer.headers["x-request-id"],
        }
        # The following bytes are not a request: they may be the smuggled part.
        await connection.send(PING)
        assert await connection.rest() == b""
    assert await serves(edge)


@pytest.mark.parametrize(
    "request_bytes",
    [
        PING,
        PING.replace(b"Host: a\r\n", b"").replace(b"1.1", b"1.0"),
        PING.replace(b"/ping", b"http://elsewhere.example/ping"),
        PING.replace(b"/ping", b"/%70ing?a=%00&b=%ff"),
        b"\r\n\r\n" + PING,
        GET + "X-A: é\r\n\r\n".encode(),
        GET + b"Connection: close\r\n\r\n" + PING,
        PING.replace(b"GET", b"HEAD").replace(b"/ping", b"/nowhere"),
    ],
    ids=["plain", "1.0", "absolute", "escapes", "blank lines", "UTF-8", "close", "HEAD"],
)
async def test_accepted(edge: EdgeServer, request_bytes: bytes) -> None:
    async with raw_connection(edge.port) as connection:
        await connection.send(request_bytes)
        head = request_bytes.startswith(b"HEAD")
        answer = (await connection.rest()).split(b"\r\n")

        assert answer[0].split()[1] == (b"404" if head else b"200")
        assert sum(line.startswith(b"HTTP/1.1 ") for line in answer) == 1


async def test_path_reaches_the_log_as_one_line(edge: EdgeServer) -> None:
    request = PING.replace(b"/ping", b"/a%0d%0a%7b%22event%22:%22forged%22%7d")

    assert (await ask(edge.port, request)).status == 404

    async def logged() -> list[str]:  # the line may arrive after the response
        return [line for line in edge.log.read_text().splitlines() if "forged" in line]

    lines = await eventually(logged)
    assert all(json.loads(line).get("event") != "forged" for line in lines)


async def test_length_shorter_than_the_body(edge: EdgeServer) -> None:
    """The remaining bytes are not a request: only one response is sent, and the connection is
    closed."""
    async with raw_connection(edge.port) as connection:
        await connection.send(POST + b"Content-Length: 8\r\n\r\n" + BODY + b"\0" + PING)

        answer = await connection.answer()
        assert (answer.status, answer.json(), answer.closes) == (200, {"a": 1}, True)
        assert await connection.rest() == b""


async def test_length_longer_than_the_body(edge: EdgeServer) -> None:
    async with raw_connection(edge.port) as connection:
        await connection.send(POST + b"Content-Length: 9\r\n\r\n" + BODY)

        answer = await connection.answer()
        assert (answer.status, answer.closes) == (408, True)
        assert await connection.rest() == b""


async def test_end_of_input_within_a_body(edge: EdgeServer) -> None:
    async with raw_connection(edge.port) as connection:
        await connection.send(POST + b"Content-Length: 9\r\n\r\n" + BODY)
        connection.writer.write_eof()

        assert await connection.rest() == b""
    assert await serves(edge)


@pytest.mark.parametrize(
    "broken",
    [b"\0", b"GET /ping HTTP/1.1\r\n\r\n", POST + b"Transfer-Encoding: chunked\r\n\r\nx"],
    ids=["no request", "no Host", "body that breaks off"],
)
async def test_garbage_behind_an_unanswered_request(edge: EdgeServer, broken: bytes) -> None:
    """The error must not be sent before or within the pending response."""
    async with raw_connection(edge.port) as connection:
        await connection.send(PING.replace(b"ping", b"held") + PING + broken)
        await ask(edge.port, PING.replace(b"ping", b"release"))
        waiting = asyncio.create_task(connection.answer())
        while not waiting.done():  # the release may have come before the request
            assert (await ask(edge.port, PING.replace(b"ping", b"release"))).status == 200

        assert (await waiting).json() == {"held": True}
        last = await connection.answer()
        assert (last.json(), last.closes) == ({"pong": True}, True)
        assert await connection.rest() == b""


async def test_body_that_breaks_off_while_it_is_read(edge: EdgeServer) -> None:
    async with raw_connection(edge.port) as connection:
        await connection.send(POST + b"Transfer-Encoding: chunked\r\nExpect: 100-continue\r\n\r\n")
        assert (await connection.answer()).status == 100
        await connection.send(b"1\r\na\r\nx")

        answer = await connection.answer()
        assert (answer.status, answer.json()["code"]) == (400, "invalid_request")
        assert await connection.rest() == b""


# --- Upgrade requests: HTTP allows a server to ignore them --------------------------------------

OFFERS = {
    "WebSocket": b"Connection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\n"
    b"Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n",
    "HTTP/2": b"Connection: Upgrade, HTTP2-Settings\r\nUpgrade: h2c\r\n"
    b"HTTP2-Settings: AAMAAABk\r\n",
}
FRAMED = {
    "length": b"Content-Length: 8\r\n\r\n" + BODY,
    "chunked": b"Transfer-Encoding: chunked\r\n\r\n8\r\n" + BODY + b"\r\n0\r\n\r\n",
}


@pytest.mark.parametrize("offer", OFFERS.values(), ids=OFFERS.keys())
@pytest.mark.parametrize("framed", FRAMED.values(), ids=FRAMED.keys())
@pytest.mark.parametrize("piece", [1, 7, 100_000])
async def test_offer_to_upgrade(edge: EdgeServer, offer: bytes, framed: bytes, piece: int) -> None:
    """The body is read, and the connection stays open; Java's client offers HTTP/2 in its first
    request."""
    request = POST + offer + framed
    async with raw_connection(edge.port) as connection:
        for start in range(0, len(request), piece):
            await connection.send(request[start : start + piece])
        first = await connection.answer()
        assert (first.status, first.json(), first.closes) == (200, {"a": 1}, False)

        await connection.send(request + GET + offer + b"\r\n" + PING)
        answers = [(await connection.answer()).json() for _ in range(3)]
        assert answers == [{"a": 1}, {"pong": True}, {"pong": True}]


async def test_body_of_an_offer_is_no_request(edge: EdgeServer) -> None:
    """A proxy sees one request here; the server must not see two."""
    request = POST.replace(b"/echo", b"/refused") + OFFERS["WebSocket"]
    async with raw_connection(edge.port) as connection:
        await connection.send(request + b"Content-Length: %d\r\n\r\n" % len(PING) + PING)
        assert (await connection.answer()).status == 401

        assert await connection.rest() == b""


async def test_many_offers_at_once(edge: EdgeServer) -> None:
    async with raw_connection(edge.port) as connection:
        await connection.send((GET + OFFERS["HTTP/2"] + b"\r\n") * 2000)
        answers = [await connection.answer() for _ in range(edge.limits.pipelined + 1)]

        assert {answer.status for answer in answers} == {200}
        assert await connection.rest() == b""
