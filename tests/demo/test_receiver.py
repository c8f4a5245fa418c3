"""The demo shop's webhook receiver."""

import asyncio
import ssl
from collections.abc import AsyncIterator
from pathlib import Path

import httpx
import pytest

from adapters.system import utc_now
from demo.receiver import Receiver, receiving
from embedded.certificates import trusted_authorities
from embedded.data_folder import DataFolder


@pytest.fixture
async def receiver(tmp_path: Path) -> AsyncIterator[Receiver]:
    folder = DataFolder(tmp_path)
    trusted_authorities(folder, None, utc_now())
    async with receiving(folder.certificate) as receiver:
        yield receiver


def believing(tmp_path: Path) -> httpx.AsyncClient:
    """Return an SSL context with Python's strictest checks, the default since 3.13."""
    context = ssl.create_default_context(cafile=str(DataFolder(tmp_path).authority))
    context.verify_flags |= ssl.VERIFY_X509_STRICT
    return httpx.AsyncClient(verify=context, trust_env=False)


async def test_takes_what_comes(receiver: Receiver, tmp_path: Path) -> None:
    body = "é".encode() * 40_000
    async with believing(tmp_path) as http:
        answer = await http.post(receiver.url, content=body, headers={"Webhook-Id": "m"})

    assert answer.status_code == 204
    (arrival,) = receiver.arrivals
    assert (arrival.body, arrival.headers["webhook-id"]) == (body, "m")


async def test_tells_whoever_listens_from_then_on(receiver: Receiver, tmp_path: Path) -> None:
    heard: list[bytes] = []
    receiver.heard = lambda arrival: heard.append(arrival.body)
    async with believing(tmp_path) as http:
        await http.post(receiver.url, content=b"x")

    assert (heard, receiver.arrivals) == ([b"x"], [])


@pytest.mark.parametrize(
    "sent",
    [b"\r\n\r\n", b"POST / HTTP/1.1\r\nContent-Length: x\r\n\r\n", b"x" * 100_000, b"POST /"],
)
async def test_whoever_speaks_no_http_is_hung_up_on(
    receiver: Receiver, tmp_path: Path, sent: bytes
) -> None:
    context = ssl.create_default_context(cafile=str(DataFolder(tmp_path).authority))
    port = httpx.URL(receiver.url).port
    reader, writer = await asyncio.open_connection("localhost", port, ssl=context)
    writer.write(sent)
    if sent.endswith(b"/"):
        writer.close()
    else:
        await reader.read()  # returns when the peer has closed the connection
    writer.close()
    async with believing(tmp_path) as http:
        assert (await http.post(receiver.url, content=b"next")).status_code == 204
