"""Many concurrent, slow and large exports: other callers are unaffected."""

import asyncio
from pathlib import Path

import httpx
import psutil
import pytest

from api.http.edge_limits import DEFAULT_LIMITS
from embedded.ports import free_port
from tests.support.core.engine import GATEWAY, LiveEngine
from tests.support.core.processes import process
from tests.support.core.waiting import eventually
from tests.support.exports.export import EXPORT, MEBIBYTE, add_conversations, nothing_open, served
from tests.support.exports.export_reader import WEIGHT, reader, request
from tests.support.tenants.shop import Shop, open_shop

pytestmark = pytest.mark.slow


async def test_twenty_at_once(front: LiveEngine, shop: Shop) -> None:
    """Complete or rejected; the gateway responds, and all resources are released."""
    url = front.settings.database.url
    shops = [shop, *[await open_shop(front.database) for _ in range(3)]]
    for one in shops:
        add_conversations(url, one, 100, weight=WEIGHT)
    async with (
        served(front.app) as port,
        httpx.AsyncClient(base_url=f"http://127.0.0.1:{port}", trust_env=False, timeout=60) as http,
    ):
        exports = [
            asyncio.create_task(http.get(EXPORT, headers=shops[n % 4].headers)) for n in range(20)
        ]
        at_gateway = [
            await http.post(
                GATEWAY, json={"client_id": shop.client_id, "message": 5}, headers=shop.headers
            )
            for _ in range(5)
        ]
        answers = await asyncio.gather(*exports)

    assert {answer.status_code for answer in at_gateway} == {400}
    assert {answer.status_code for answer in answers} <= {200, 503}
    assert sum(answer.status_code == 200 for answer in answers) >= 4
    for answer in answers:
        if answer.status_code == 200:
            assert len(answer.json()["ai_conversations"]) == 100
        else:
            assert answer.json()["code"] == "exports_busy"
            assert answer.headers["retry-after"] == "10"
    assert await nothing_open(url)


@pytest.mark.parametrize("stalls", [False, True])
async def test_memory_stays_flat(
    front: LiveEngine, shop: Shop, tmp_path: Path, *, stalls: bool
) -> None:
    """For a reader, and then for a stalled one, in a separate process."""
    url, port = front.settings.database.url, free_port()
    add_conversations(url, shop, 500, weight=WEIGHT)
    serve = ("cli.py", "serve", "--port", str(port))
    with process("api", *serve, settings=front.settings, folder=tmp_path) as api:
        async with httpx.AsyncClient(
            base_url=f"http://127.0.0.1:{port}", trust_env=False, timeout=60
        ) as http:
            await eventually(lambda: is_ready(http))
            await http.get(EXPORT, headers=(await open_shop(front.database)).headers)
            before, most, received = memory(api.pid), 0, 0
            async with http.stream("GET", EXPORT, headers=shop.headers) as answer:
                async for piece in answer.aiter_raw():
                    received += len(piece)
                    most = max(most, memory(api.pid))
            if stalls:
                async with reader(port, request(shop)) as stalled:
                    await stalled.begin()
                    await eventually(lambda: nothing_open(url), DEFAULT_LIMITS.stalled_s + 10)
                    most = max(most, memory(api.pid))

    assert received > 45 * MEBIBYTE
    assert most - before < 16 * MEBIBYTE


def memory(pid: int) -> int:
    return int(psutil.Process(pid).memory_info().rss)


async def is_ready(http: httpx.AsyncClient) -> bool:
    try:
        return (await http.get("/healthz")).status_code == 200
    except httpx.TransportError:
        return False
