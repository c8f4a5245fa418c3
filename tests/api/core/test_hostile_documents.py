"""Documents that are costly to read hold up their own client only."""

import asyncio

import httpx
import pytest

from domain.tenants.client import Role
from tests.support.core.engine import LiveEngine
from tests.support.reviews.dashboard import code, person
from tests.support.tenants.account import PLAYBOOKS
from tests.support.tenants.shop import Shop, open_shop

YAML = {"content-type": "application/yaml"}
CASES = "/api/dashboard/cases"
BASE_60 = b"name: " + b"1:" * 250_000 + b"1"
"""500 KB that YAML 1.1 reads as one integer, in the square of the time."""


@pytest.mark.alone
async def test_six_files_of_base_60_numbers(
    front: LiveEngine, shop: Shop, owner: dict[str, str]
) -> None:
    """The tiny file of another client is answered before the flood's, and the flood at all."""
    neighbour = await open_shop(front.database)
    headers = {**await person(front, neighbour, Role.OWNER), **YAML}
    answered: list[str] = []

    async def send(name: str, path: str, body: bytes, sender: dict[str, str]) -> httpx.Response:
        answer = await front.http.post(path, content=body, headers={**sender, **YAML})
        answered.append(name)
        return answer

    flood = [asyncio.create_task(send("flood", CASES, BASE_60, owner)) for _ in range(6)]
    await asyncio.sleep(0)
    tiny = await send("tiny", PLAYBOOKS, b"name: Retours\nevent_type: email.*\n", headers)
    answers = await asyncio.gather(*flood)

    assert tiny.status_code == 201, tiny.text
    assert answered.index("tiny") < len(answered) - 1
    assert {code(answer) for answer in answers} <= {(400, "invalid_cases"), (429, "caller_busy")}
