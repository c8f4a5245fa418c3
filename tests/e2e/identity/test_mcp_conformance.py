"""The protocol's conformance suite against the server, at both revisions.

`tests/support/servers/conformance/` lists scenarios that do not apply, each with its reason. If
such a scenario passes, the test fails as well.
"""

import secrets
from pathlib import Path

import pytest

from adapters.system import new_ulid, utc_now
from domain.tenants.api_key import KEY_BYTES, new_key
from store.tenants.keys import KeyRepository
from tests.support.core.engine import LiveEngine
from tests.support.servers.conformance_suite import run_suite, suite, with_keys
from tests.support.tenants.mcp_client import BEFORE, CURRENT, MCP
from tests.support.tenants.shop import Shop

EXCEPTIONS = Path(__file__).parents[2] / "support/servers/conformance"


async def _keys(front: LiveEngine, shop: Shop, count: int) -> list[str]:
    made = [new_key(secrets.token_bytes(KEY_BYTES)) for _ in range(count)]
    async with front.database.service() as connection:
        for _, material in made:
            await KeyRepository(connection).create(
                key_id=new_ulid(),
                client_id=shop.client_id,
                label="conformance",
                material=material,
                now=utc_now(),
            )
    return [text for text, _ in made]


@pytest.mark.slow
@pytest.mark.parametrize("revision", [CURRENT, BEFORE])
async def test_the_server_conforms(front: LiveEngine, shop: Shop, revision: str) -> None:
    program = suite()
    async with with_keys(front.app, await _keys(front, shop, 10), MCP) as url:
        code, said = await run_suite(
            program,
            url,
            *("--suite", "all", "--spec-version", revision),
            *("--expected-failures", str(EXCEPTIONS / f"exceptions-{revision}.yml")),
        )

    assert code == 0, said
