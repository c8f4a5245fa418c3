"""Tenant A's flood against an API, from a separate process: python -m bench.flooder KIND.

KIND `slow` opens 2,048 sockets that send their headers or bodies byte by byte, or do not read the
response. KIND `refused` sends events beyond a client's limit on 64 connections. Closed connections
are reopened.
"""

import argparse
import asyncio
import itertools
import resource
from collections.abc import Awaitable, Callable
from contextlib import suppress
from typing import Final

import uvloop

SOCKETS: Final = 2048
REFUSED_AT_ONCE: Final = 64
_HOST: Final = "127.0.0.1"
_DROP_EVERY_S: Final = 1.0
_AGAIN_S: Final = 1.0
_HEAD: Final = "POST /api/engine/gateway HTTP/1.1\r\nHost: a\r\n"
_READ: Final = "GET /api/client/export-data HTTP/1.1\r\nHost: a\r\n"

Connection = tuple[asyncio.StreamReader, asyncio.StreamWriter]


def _slow(key: str) -> list[tuple[bytes, bytes]]:
    """Return, for each kind of slow socket, the bytes that the socket sends first and the bytes
    that it then repeats."""
    body = f"{_HEAD}Authorization: Bearer {key}\r\nContent-Type: application/json\r\n"
    return [
        (f"{_HEAD}X-A: ".encode(), b"a"),
        (f"{body}Content-Length: 1000\r\n\r\n{{".encode(), b" "),
        (f"{_READ}Authorization: Bearer {key}\r\n\r\n".encode(), b""),
    ]


async def drip(port: int, said: bytes, drop: bytes) -> None:
    reader, writer = await asyncio.open_connection(_HOST, port)
    try:
        writer.transport.pause_reading()  # type: ignore[attr-defined]
        writer.write(said)
        while not writer.is_closing():
            await asyncio.sleep(_DROP_EVERY_S)
            writer.write(drop)
            await writer.drain()
    finally:
        writer.transport.abort()
        del reader


async def ask(port: int, request: bytes) -> None:
    reader, writer = await asyncio.open_connection(_HOST, port)
    try:
        while True:
            writer.write(request)
            head = await reader.readuntil(b"\r\n\r\n")
            lines = head.lower().split(b"\r\n")
            length = next(line for line in lines if line.startswith(b"content-length:"))
            await reader.readexactly(int(length.partition(b":")[2]))
    finally:
        writer.transport.abort()


async def again_and_again(connect: Callable[[], Awaitable[None]]) -> None:
    while True:
        with suppress(OSError, EOFError):
            await connect()
        await asyncio.sleep(_AGAIN_S)


async def flood(kind: str, port: int, key: str, client_id: str) -> None:
    if kind == "refused":
        body = f'{{"client_id": "{client_id}", "message": "x"}}'
        request = (
            f"{_HEAD}Authorization: Bearer {key}\r\nContent-Type: application/json\r\n"
            f"Content-Length: {len(body)}\r\n\r\n{body}"
        ).encode()
        calls = [lambda: ask(port, request)] * REFUSED_AT_ONCE
    else:
        kinds = itertools.cycle(_slow(key))
        calls = [
            lambda said=said, drop=drop: drip(port, said, drop)  # type: ignore[misc]
            for said, drop in itertools.islice(kinds, SOCKETS)
        ]
    async with asyncio.TaskGroup() as group:
        for call in calls:
            group.create_task(again_and_again(call))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("kind", choices=("slow", "refused"))
    parser.add_argument("--port", type=int, required=True)
    parser.add_argument("--key", required=True)
    parser.add_argument("--client", required=True)
    given = parser.parse_args()
    _, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (hard, hard))
    uvloop.run(flood(given.kind, given.port, given.key, given.client))


if __name__ == "__main__":
    main()
