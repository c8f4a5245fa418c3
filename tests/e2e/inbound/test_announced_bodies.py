"""Capacity for webhook bodies is reserved by the received bytes, over real sockets."""

from contextlib import AsyncExitStack
from pathlib import Path

import pytest

from domain.integrations.providers import Provider
from domain.tenants.client import Role
from tests.support.core.engine import LiveEngine
from tests.support.core.raw_http import raw_connection
from tests.support.core.serving import serving
from tests.support.inbound.arriving import listening, status_of
from tests.support.reviews.dashboard import person
from tests.support.tenants.shop import open_shop

pytestmark = pytest.mark.own_database

ANNOUNCED = 25 * 1024 * 1024
ATTACKER = "127.0.0.2"


async def test_six_sockets_that_announce_25_mib(idle_engine: LiveEngine, tmp_path: Path) -> None:
    """They send almost nothing. Another client's email with a large file is accepted."""
    attacked = []
    for _ in range(6):
        shop = await open_shop(idle_engine.database)
        headers = await person(idle_engine, shop, Role.OWNER)
        attacked.append(await listening(idle_engine, shop, headers, Provider.POSTMARK))
    shop = await open_shop(idle_engine.database)
    owner = await person(idle_engine, shop, Role.OWNER)
    address = await listening(idle_engine, shop, owner, Provider.POSTMARK)
    file = {"Name": "a.pdf", "ContentType": "application/pdf", "Content": "A" * 20_000_000}
    mail = {"MessageID": "m-1", "From": "eve@example.com", "Attachments": [file]}

    async with serving(idle_engine, tmp_path) as (_, http), AsyncExitStack() as sockets:
        port = http.base_url.port
        assert port is not None
        for one in attacked:
            socket = await sockets.enter_async_context(raw_connection(port, ATTACKER))
            head = (
                f"POST {one.path} HTTP/1.1\r\nHost: engine\r\nContent-Type: application/json\r\n"
                f"Content-Length: {ANNOUNCED}\r\nExpect: 100-continue\r\n\r\n"
            )
            assert await socket.send(head.encode())
            # From here on, the API reads the body.
            assert (await socket.answer()).status == 100
            assert await socket.send(b'{"MessageID": "')
        answer = await http.post(address.path, json=mail)

    assert status_of(answer) == (200, "received")
