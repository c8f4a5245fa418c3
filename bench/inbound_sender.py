"""Send a shop's webhooks, from a separate process: python -m bench.inbound_sender.

They are signed WooCommerce orders, all different, one at a time per connection. The exit code is 1
if a response was not 200.
"""

import argparse
import asyncio
import itertools
import sys
from collections.abc import Iterator
from typing import Final

import orjson
import uvloop

from domain.inbound.webhook_signature import hmac_sha256_base64

CONNECTIONS: Final = 16
_HOST: Final = "127.0.0.1"


def _request(path: str, secret: str, number: int) -> bytes:
    order = {
        "id": number,
        "number": str(number),
        "status": "processing",
        "currency": "EUR",
        "total": "10.00",
        "date_created_gmt": "2026-01-01T00:00:00",
        "date_modified_gmt": "2026-01-02T00:00:00",
        "billing": {"email": f"{number}@b.example"},
        "line_items": [{"name": "Tasse", "quantity": 1}],
    }
    body = orjson.dumps(order)
    head = (
        f"POST {path} HTTP/1.1",
        "Host: a",
        "Content-Type: application/json",
        f"Content-Length: {len(body)}",
        "X-WC-Webhook-Topic: order.updated",
        f"X-WC-Webhook-Delivery-ID: {number}",
        f"X-WC-Webhook-Signature: {hmac_sha256_base64(secret.encode(), body)}",
    )
    return "\r\n".join((*head, "", "")).encode() + body


async def _send(port: int, requests: Iterator[bytes]) -> int:
    """Return the number of requests on this connection that were not accepted."""
    refused = 0
    reader, writer = await asyncio.open_connection(_HOST, port)
    try:
        for request in requests:
            writer.write(request)
            head = await reader.readuntil(b"\r\n\r\n")
            lines = head.lower().split(b"\r\n")
            length = next(line for line in lines if line.startswith(b"content-length:"))
            await reader.readexactly(int(length.partition(b":")[2]))
            refused += not head.startswith(b"HTTP/1.1 200 ")
    finally:
        writer.close()
    return refused


async def send(port: int, path: str, secret: str, numbers: range) -> int:
    requests = (_request(path, secret, number) for number in numbers)
    # All connections take their requests from one shared iterator.
    each = [_send(port, requests) for _ in itertools.repeat(None, CONNECTIONS)]
    return sum(await asyncio.gather(*each))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--port", type=int, required=True)
    parser.add_argument("--path", required=True)
    parser.add_argument("--secret", required=True)
    parser.add_argument("--first", type=int, required=True)
    parser.add_argument("--number", type=int, required=True)
    given = parser.parse_args()
    numbers = range(given.first, given.first + given.number)
    sys.exit(1 if uvloop.run(send(given.port, given.path, given.secret, numbers)) else 0)


if __name__ == "__main__":
    main()
