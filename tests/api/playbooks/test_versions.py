"""A playbook's versions, the difference between two, and restoring one; all playbooks as one
file."""

import threading
from collections.abc import Iterator, Sequence
from typing import Any

import httpx
import pytest

from domain.core.comparable import DiffBudget, unified
from domain.playbooks import file
from domain.playbooks.playbook import MAX_PLAYBOOKS
from domain.tenants.client import Role
from services.playbooks import change_limit
from tests.support.core.engine import LiveEngine
from tests.support.dashboard.visitors import at_pages
from tests.support.reviews.dashboard import code
from tests.support.tenants.account import PLAYBOOK_FILE, PLAYBOOKS, RETURNS
from tests.support.tenants.shop import Shop

YAML = {"content-type": "application/yaml"}
VERSIONS = (
    {"threshold": 0.5},
    {"threshold": 0.8, "note": "Plus prudent."},
    {"threshold": 0.8, "name": "Échanges", "instructions": "Tutoyez.\nSoyez bref."},
)


@pytest.fixture
async def at(front: LiveEngine, owner: dict[str, str]) -> str:
    """Return the path of a playbook with three versions."""
    first, *others = VERSIONS
    made = await front.http.post(PLAYBOOKS, json={**RETURNS, **first}, headers=owner)
    path = f"{PLAYBOOKS}/{made.json()['id']}"
    for change in others:
        await front.http.put(path, json={**RETURNS, **change}, headers=owner)
    return path


async def test_the_versions_by_pages(
    front: LiveEngine, shop: Shop, owner: dict[str, str], at: str
) -> None:
    first = (await front.http.get(f"{at}/versions", params={"limit": 2}, headers=owner)).json()
    cursor = {"limit": "2", "cursor": first["next_cursor"]}
    last = (await front.http.get(f"{at}/versions", params=cursor, headers=owner)).json()

    found = [*first["versions"], *last["versions"]]
    assert [(one["version"], one["name"], one["note"]) for one in found] == [
        (3, "Échanges", None),
        (2, "Retours", "Plus prudent."),
        (1, "Retours", None),
    ]
    assert {one["author"] for one in found} == {shop.owner_user_id}
    assert last["next_cursor"] is None
    one = (await front.http.get(f"{at}/versions/1", headers=owner)).json()
    silent = {name: value for name, value in RETURNS.items() if name != "active"}
    assert one["playbook"] == {**silent, "threshold": 0.5}


async def diff(front: LiveEngine, owner: dict[str, str], at: str, **query: int) -> dict[str, Any]:
    answer = await front.http.get(f"{at}/diff", params=query, headers=owner)
    assert answer.status_code == 200, answer.text
    found: dict[str, Any] = answer.json()
    return found


@pytest.mark.parametrize("by", ["route", "page"])
async def test_the_comparison_leaves_the_event_loop_free(
    front: LiveEngine,
    shop: Shop,
    owner: dict[str, str],
    at: str,
    monkeypatch: pytest.MonkeyPatch,
    by: str,
) -> None:
    on_loop = list[bool]()

    def compared(
        old: Sequence[str], new: Sequence[str], budget: DiffBudget | None = None
    ) -> Iterator[str]:
        on_loop.append(threading.current_thread() is threading.main_thread())
        return unified(old, new, budget)

    monkeypatch.setattr(file, "unified", compared)
    if by == "route":
        await diff(front, owner, at, **{"from": 1, "to": 2})
    else:
        async with at_pages(front, shop, Role.OWNER) as visitor:
            await visitor.see(f"/app/playbooks/{at.rpartition('/')[2]}/diff")
    assert on_loop == [False]


async def test_what_differs(front: LiveEngine, owner: dict[str, str], at: str) -> None:
    """Without version parameters, the last change."""
    whole = await diff(front, owner, at, **{"from": 1, "to": 2})
    assert whole == {
        "from": 1,
        "to": 2,
        "changed": ["threshold"],
        "diff": "--- before\n+++ after\n@@ -1,6 +1,6 @@\n name: Retours\n event_type: email.*\n"
        "-threshold: 0.5\n+threshold: 0.8\n instructions: Tutoyez.\n actions:\n   note:\n",
    }
    assert (await diff(front, owner, at))["changed"] == ["name", "instructions"]
    back = await diff(front, owner, at, **{"from": 3, "to": 1})
    assert back["changed"] == ["name", "threshold", "instructions"]
    assert "-name: Échanges\n+name: Retours\n" in back["diff"]
    same = await diff(front, owner, at, **{"from": 2, "to": 2})
    assert (same["changed"], same["diff"]) == ([], "")
    first = await diff(front, owner, at, to=1)
    assert (first["from"], first["diff"]) == (1, "")


@pytest.mark.parametrize("path", ["versions/4", "versions/0", "versions/x", "versions/9999999999"])
async def test_no_such_version(
    front: LiveEngine, owner: dict[str, str], at: str, path: str
) -> None:
    assert code(await front.http.get(f"{at}/{path}", headers=owner)) == (404, "playbook_not_found")


async def test_numbers_that_no_version_has(
    front: LiveEngine, owner: dict[str, str], at: str
) -> None:
    for number, told in ((4, (404, "playbook_not_found")), (2**70, (400, "invalid_query"))):
        answer = await front.http.get(f"{at}/diff", params={"to": number}, headers=owner)
        assert code(answer) == told
        listed = await front.http.get(f"{at}/versions", params={"cursor": number}, headers=owner)
        assert listed.status_code == (200 if number == 4 else 400)


async def test_the_way_back(front: LiveEngine, owner: dict[str, str], at: str) -> None:
    """It is restored as the next version, with its name; the playbook stays inactive."""
    await front.http.post(f"{at}/deactivate", headers=owner)

    restored = await front.http.post(
        f"{at}/versions/1/restore", json={"note": "Trop prudent."}, headers=owner
    )
    again = await front.http.post(f"{at}/versions/1/restore", headers=owner)

    told = {name: restored.json()[name] for name in ("version", "is_active", "outcome", "changed")}
    assert told == {
        "version": 4,
        "is_active": False,
        "outcome": "changed",
        "changed": ["name", "threshold", "instructions"],
    }
    assert restored.json()["playbook"] == {**RETURNS, "threshold": 0.5, "active": False}
    assert (again.json()["outcome"], again.json()["version"]) == ("unchanged", 4)
    noted = (await front.http.get(f"{at}/versions/4", headers=owner)).json()["note"]
    assert noted == "Trop prudent."


async def test_a_name_that_is_anothers_by_now(
    front: LiveEngine, owner: dict[str, str], at: str
) -> None:
    await front.http.post(PLAYBOOKS, json={**RETURNS, "event_type": "widget.*"}, headers=owner)

    restored = await front.http.post(f"{at}/versions/1/restore", headers=owner)

    assert code(restored) == (409, "playbook_name_taken")


async def test_all_of_them_as_a_file(front: LiveEngine, owner: dict[str, str], at: str) -> None:
    """Importing the export changes nothing; a dry run reports the changes without making them."""
    exported = await front.http.get(PLAYBOOK_FILE, headers=owner)
    assert exported.headers["content-type"] == "application/yaml"
    assert exported.headers["content-disposition"] == "attachment; filename=playbooks.yaml"

    async def bring(text: bytes, dry_run: str) -> dict[str, Any]:
        answer = await front.http.post(
            PLAYBOOK_FILE, content=text, params={"dry_run": dry_run}, headers={**owner, **YAML}
        )
        assert answer.status_code == 200, answer.text
        found: dict[str, Any] = answer.json()
        return found

    same = await bring(exported.content, "false")
    assert {one["outcome"] for one in same["playbooks"]} == {"unchanged"}
    more = exported.content.replace(b"threshold: 0.8", b"threshold: 0.9") + (
        b"- name: Neuf\n  event_type: neuf.*\n"
    )
    for dry_run in ("true", "false"):
        told = await bring(more, dry_run)
        by_name = {one["name"]: one for one in told["playbooks"]}
        assert (by_name["Échanges"]["outcome"], by_name["Échanges"]["version"]) == ("changed", 4)
        assert by_name["Neuf"]["outcome"] == "created"
        assert (by_name["Neuf"]["id"] is None) == (dry_run == "true")
        now = (await front.http.get(at, headers=owner)).json()["version"]
        assert now == (3 if dry_run == "true" else 4)


async def test_a_file_that_is_wrong_changes_nothing(
    front: LiveEngine, owner: dict[str, str], at: str
) -> None:
    body = {"version": 1, "playbooks": [RETURNS, {**RETURNS, "threshold": -1}]}

    answer = await front.http.post(PLAYBOOK_FILE, json=body, headers=owner)

    assert code(answer) == (400, "invalid_playbook")
    assert answer.json()["problems"] == [
        "playbooks[1].threshold: must be greater than or equal to 0"
    ]


async def test_so_many_and_no_more(front: LiveEngine, owner: dict[str, str], at: str) -> None:
    """The shop already has two."""

    def named(numbers: range) -> dict[str, Any]:
        return {
            "version": 1,
            "playbooks": [
                {"name": f"n{number}", "event_type": "t.*", "active": False} for number in numbers
            ],
        }

    async def bring(number: int) -> httpx.Response:
        return await front.http.post(PLAYBOOK_FILE, json=named(range(number)), headers=owner)

    full = await bring(MAX_PLAYBOOKS - 1)
    assert code(full) == (409, "too_many_playbooks")
    fits = await bring(MAX_PLAYBOOKS - 2)
    assert fits.status_code == 200
    again = await front.http.post(
        PLAYBOOK_FILE, json=named(range(MAX_PLAYBOOKS - 2)), headers=owner
    )
    assert again.status_code == 200
    assert (
        len((await front.http.get(PLAYBOOKS, headers=owner)).json()["playbooks"]) == MAX_PLAYBOOKS
    )
    one = await front.http.post(PLAYBOOKS, json={**RETURNS, "event_type": "x.*"}, headers=owner)
    assert code(one) == (409, "too_many_playbooks")


async def test_activations_of_a_day_are_bounded(
    front: LiveEngine, owner: dict[str, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Each is sent to up to 100 webhooks. The shop has one version, and the new playbook adds a
    version and an activation."""
    made = await front.http.post(PLAYBOOKS, json={**RETURNS, "event_type": "x.*"}, headers=owner)
    assert made.status_code == 201
    monkeypatch.setattr(change_limit, "MAX_DAY_CHANGES", 4)

    async def turn(active: bool) -> httpx.Response:
        turned = "activate" if active else "deactivate"
        path = f"{PLAYBOOKS}/{made.json()['id']}/{turned}"
        return await front.http.post(path, headers=owner)

    for active in (False, True, False):
        assert (await turn(active)).status_code == 200
    assert code(await turn(True)) == (409, "too_many_playbook_changes")
    assert (await turn(False)).status_code == 200


async def test_versions_of_a_day_are_bounded(
    front: LiveEngine, owner: dict[str, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Versions are kept permanently: without a limit, they filled a gigabyte in minutes. The shop
    has one."""
    monkeypatch.setattr(change_limit, "MAX_DAY_CHANGES", 4)

    async def bring(instructions: str) -> httpx.Response:
        of_it = {"name": "n", "event_type": "t.*", "active": False, "instructions": instructions}
        json = {"version": 1, "playbooks": [of_it, {**of_it, "name": "m"}]}
        return await front.http.post(PLAYBOOK_FILE, json=json, headers=owner)

    assert (await bring("a")).status_code == 200
    refused = await bring("b")
    assert code(refused) == (409, "too_many_playbook_changes")
    assert (await bring("a")).status_code == 200, "it makes no version"
    one = await front.http.post(
        PLAYBOOKS, json={**RETURNS, "event_type": "x.*", "active": False}, headers=owner
    )
    assert one.status_code == 201
    changed = {**RETURNS, "event_type": "x.*", "active": False, "threshold": 0.91}
    path = f"{PLAYBOOKS}/{one.json()['id']}"
    assert code(await front.http.put(path, json=changed, headers=owner)) == (
        409,
        "too_many_playbook_changes",
    )
