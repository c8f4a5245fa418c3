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
MANY_NODES = b"cases:\n" + b"- {a: [1, 2, 3]}\n" * 25_000
"""400 KB that take as long as a document may."""


@pytest.mark.alone
@pytest.mark.parametrize(("costly", "at_most"), [(BASE_60, 5), (MANY_NODES, 1)])
async def test_six_files_of_base_60_numbers(
    front: LiveEngine, shop: Shop, owner: dict[str, str], costly: bytes, at_most: int
) -> None:
    """Another client's tiny file and `/healthz` are answered before the flood, while the first of a
    costly one is read, and the flood is answered too."""
    neighbour = await open_shop(front.database)
    headers = {**await person(front, neighbour, Role.OWNER), **YAML}
    answered: list[str] = []

    async def send(name: str, path: str, body: bytes, sender: dict[str, str]) -> httpx.Response:
        answer = await front.http.post(path, content=body, headers={**sender, **YAML})
        answered.append(name)
        return answer

    flood = [asyncio.create_task(send("flood", CASES, costly, owner)) for _ in range(6)]
    await asyncio.sleep(0)
    tiny = await send("tiny", PLAYBOOKS, b"name: Retours\nevent_type: email.*\n", headers)
    health = await front.http.get("/healthz")
    before = answered.count("flood")
    answers = await asyncio.gather(*flood)

    assert (tiny.status_code, health.status_code) == (201, 200), tiny.text
    assert before <= at_most
    assert {code(answer) for answer in answers} <= {
        (400, "invalid_cases"),
        (422, "document_too_costly"),
        (429, "caller_busy"),
    }
