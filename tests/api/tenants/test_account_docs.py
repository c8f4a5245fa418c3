"""The lines of curl in docs/api.md about the account and playbooks do what they say."""

import re
import shlex
from string import Template
from typing import Final

import httpx

from tests.support.core.engine import LiveEngine
from tests.support.core.forks import ROOT
from tests.support.tenants.shop import Shop

DOC: Final = (ROOT / "docs" / "api.md").read_text()
ADDRESS: Final = "http://127.0.0.1:8080"


def lines_of(section: str) -> list[str]:
    """The commands of a section's first block."""
    text = DOC.partition(f"\n## {section}\n")[2].partition("\n## ")[0]
    block = text.partition("```\n")[2].partition("```")[0]
    return re.split(r"\n(?=curl )", block.strip())


async def run(front: LiveEngine, line: str, known: dict[str, str]) -> httpx.Response:
    """Send what the line says. It uses no other options than these."""
    _, *words = shlex.split(Template(line).substitute(known))
    method, body, headers, url = "GET", None, [], ""
    while words:
        match words.pop(0):
            case "-s":
                pass
            case "-X":
                method = words.pop(0)
            case "-H":
                headers.append(tuple(words.pop(0).split(": ", 1)))
            case "-d" | "--data-binary":
                body, method = words.pop(0), "POST" if method == "GET" else method
            case word:
                assert not url
                url = word.removeprefix(ADDRESS)
    sent = [(name, value) for name, value in headers]
    return await front.http.request(method, url, content=body, headers=sent)


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
