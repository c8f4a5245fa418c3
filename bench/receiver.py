"""A merchant's HTTPS receiver in a separate process: python -m bench.receiver. It responds
immediately, except to requests under /hang, to which it never responds."""

import argparse
import asyncio
import ssl
from contextlib import suppress
from typing import Final

import uvloop

_TAKEN: Final = b"HTTP/1.1 204 No Content\r\nConnection: close\r\n\r\n"
_HANG: Final = b"/hang"
_PATIENCE_S: Final = 60.0
_BACKLOG: Final = 512


async def take(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    try:
        with suppress(OSError, EOFError, TimeoutError):
            async with asyncio.timeout(_PATIENCE_S):
                head = await reader.readuntil(b"\r\n\r\n")
                if _HANG in head.split(b"\r\n", 1)[0]:
                    # Keep the connection open until the sender closes it.
                    await reader.read()
                else:
                    writer.write(_TAKEN)
                    await writer.drain()
    finally:
        writer.close()


async def serve(port: int, certificate: str) -> None:
    tls = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    tls.load_cert_chain(certificate)
    server = await asyncio.start_server(take, "127.0.0.1", port, ssl=tls, backlog=_BACKLOG)
    await server.serve_forever()


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--port", type=int, required=True)
    parser.add_argument(
        "--certificate", required=True, help=("PEM file with the certificate and its key.")
    )
    arguments = parser.parse_args()
    uvloop.run(serve(arguments.port, arguments.certificate))


if __name__ == "__main__":
    main()
