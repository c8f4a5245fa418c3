"""Documents that are expensive to parse delay only their own client."""

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
"""500 KB that YAML 1.1 parses as one integer, in quadratic time."""
MANY_NODES = b"cases:\n" + b"- {a: [1, 2, 3]}\n" * 25_000
"""400 KB that take almost the time limit of a document."""


async def test_six_files_of_base_60_numbers(front: LiveEngine, owner: dict[str, str]) -> None:
    """Each is parsed immediately, because it is a string: none reaches the limit."""
    answers = await asyncio.gather(
        *(front.http.post(CASES, content=BASE_60, headers={**owner, **YAML}) for _ in range(6))
    )

    codes = {code(answer) for answer in answers}
    assert (400, "invalid_cases") in codes
    assert codes <= {(400, "invalid_cases"), (429, "caller_busy")}


@pytest.mark.alone
async def test_six_costly_files_hold_up_nobody_else(
    front: LiveEngine, shop: Shop, owner: dict[str, str]
) -> None:
    """While the first expensive file is parsed, twenty small files of another client and `/healthz`
    are answered. The flood is answered too."""
    neighbour = await open_shop(front.database)
    headers = {**await person(front, neighbour, Role.OWNER), **YAML}
    answered: list[str] = []

    async def send(name: str, path: str, body: bytes, sender: dict[str, str]) -> httpx.Response:
        answer = await front.http.post(path, content=body, headers={**sender, **YAML})
        if code(answer) != (429, "caller_busy"):
            answered.append(name)
        return answer

    flood = [asyncio.create_task(send("flood", CASES, MANY_NODES, owner)) for _ in range(6)]
    # The first is sent together with the flood, the others while the flood is parsed.
    tiny = [
        await send("tiny", PLAYBOOKS, b"name: N%d\nevent_type: a.%d\n" % (number, number), headers)
        for number in range(20)
    ]
    health = await front.http.get("/healthz")
    before = answered.count("flood")
    answers = await asyncio.gather(*flood)

    assert {answer.status_code for answer in tiny} == {201}, tiny[-1].text
    assert health.status_code == 200
    assert before <= 1
    assert {code(answer) for answer in answers} <= {
        (400, "invalid_cases"),
        (422, "document_too_costly"),
        (429, "caller_busy"),
    }
