"""The curl commands in docs/api.md about the account and playbooks work as described."""

import httpx

from tests.support.core.document_curls import curl_call, curl_commands
from tests.support.core.engine import LiveEngine
from tests.support.tenants.shop import Shop


def lines_of(section: str) -> list[str]:
    return list(curl_commands("docs/api.md", section))


async def run(front: LiveEngine, line: str, known: dict[str, str]) -> httpx.Response:
    return await curl_call(line, **known).send(front.http)


async def test_the_lines_of_the_account(
    front: LiveEngine, shop: Shop, owner: dict[str, str]
) -> None:
    known = {"TOKEN": owner["authorization"].split()[1], "KEY_ID": shop.key_id}

    answers = [await run(front, line, known) for line in lines_of("The account")]

    assert [one.status_code for one in answers] == [200, 201, 200, 204, 201]
    assert answers[1].json()["key"]["label"] == "Caisse de Lyon"
    assert len(answers[2].json()["keys"]) == 2


async def test_the_lines_of_playbooks(front: LiveEngine, owner: dict[str, str]) -> None:
    known = {"TOKEN": owner["authorization"].split()[1]}
    first, *others = lines_of("/api/dashboard/playbooks")

    made = await run(front, first, known)
    known["PLAYBOOK_ID"] = made.json()["id"]
    changed, diff, restored, gate, file = [await run(front, line, known) for line in others]

    assert (made.status_code, changed.status_code) == (201, 200)
    assert changed.json()["changed"] == ["threshold", "actions.reply"]
    assert diff.json()["changed"] == changed.json()["changed"]
    assert restored.json()["version"] == 3
    assert (gate.json()["version"], gate.json()["may_go_live"]) == (3, True)
    assert "name: Retours\n" in file.text
