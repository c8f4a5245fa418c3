"""/api/dashboard/playbooks: create, change, activate and deactivate, as JSON and YAML."""

import asyncio
from typing import Any

import httpx
import pytest

from domain.core.strict_yaml import write_yaml
from domain.playbooks.file import MAX_FILE_BYTES
from store.playbooks.tables import playbook_versions
from tests.support.core.engine import LiveEngine
from tests.support.core.rows import rows
from tests.support.reviews.dashboard import code
from tests.support.tenants.account import PLAYBOOKS, RETURNS, a_playbook
from tests.support.tenants.shop import Shop

YAML = {"content-type": "application/yaml"}


async def make(front: LiveEngine, owner: dict[str, str], **changed: object) -> dict[str, Any]:
    answer = await front.http.post(PLAYBOOKS, json={**RETURNS, **changed}, headers=owner)
    assert answer.status_code == 201, answer.text
    found: dict[str, Any] = answer.json()
    return found


async def put(
    front: LiveEngine, owner: dict[str, str], playbook_id: str, **changed: object
) -> httpx.Response:
    body = {**RETURNS, **changed}
    return await front.http.put(f"{PLAYBOOKS}/{playbook_id}", json=body, headers=owner)


async def test_what_is_read_can_be_written(front: LiveEngine, owner: dict[str, str]) -> None:
    """Sending it back as JSON or YAML changes nothing."""
    made = await make(front, owner)
    at = f"{PLAYBOOKS}/{made['id']}"
    assert made == {"id": made["id"], "version": 1, "is_active": True, "playbook": RETURNS}
    assert (await front.http.get(at, headers=owner)).json() == made

    by_json = await front.http.put(at, json=made["playbook"], headers=owner)
    text = write_yaml(made["playbook"]).encode()
    by_yaml = await front.http.put(at, content=text, headers={**owner, **YAML})

    for answer in (by_json, by_yaml):
        assert answer.json() == {**made, "outcome": "unchanged", "changed": []}


async def test_each_change_is_the_next_version(
    front: LiveEngine, shop: Shop, owner: dict[str, str]
) -> None:
    made = await make(front, owner, note="  Pour \x07les retours.  ")

    renamed = await put(front, owner, made["id"], name="Retours et échanges", note="Plus clair.")
    switched = await put(front, owner, made["id"], name="Retours et échanges", active=False)
    silent = {name: value for name, value in RETURNS.items() if name != "active"}
    at = f"{PLAYBOOKS}/{made['id']}"
    kept_off = await front.http.put(at, json={**silent, "threshold": 0.9}, headers=owner)

    told = [
        (
            one.json()["outcome"],
            one.json()["version"],
            one.json()["changed"],
            one.json()["is_active"],
        )
        for one in (renamed, switched, kept_off)
    ]
    assert told == [
        ("changed", 2, ["name"], True),
        ("switched", 2, ["active"], False),
        ("changed", 3, ["name", "threshold"], False),
    ]
    kept = await rows(front.database, playbook_versions, of=shop, playbook_id=made["id"])
    assert [(one["version"], one["author"], one["note"]) for one in kept] == [
        (1, shop.owner_user_id, "Pour les retours."),
        (2, shop.owner_user_id, "Plus clair."),
        (3, shop.owner_user_id, None),
    ]


async def test_two_people_change_one_at_once(front: LiveEngine, owner: dict[str, str]) -> None:
    """A change with the version that was read does not overwrite a concurrent change."""
    made = await make(front, owner)

    answers = await asyncio.gather(
        *(
            put(front, owner, made["id"], threshold=number / 10, expected_version=1)
            for number in range(1, 6)
        )
    )

    done = [answer for answer in answers if answer.is_success]
    refused = [answer for answer in answers if not answer.is_success]
    assert [answer.json()["version"] for answer in done] == [2]
    for answer in refused:
        assert code(answer) == (409, "playbook_changed")
        assert answer.json()["version"] == 2


async def test_the_order_in_which_they_win(
    front: LiveEngine, shop: Shop, owner: dict[str, str]
) -> None:
    for pattern in ("email.*", "email.returns.*", "email.received", "shopify.*"):
        await make(front, owner, name=pattern, event_type=pattern, active=pattern != "shopify.*")

    listed = (await front.http.get(PLAYBOOKS, headers=owner)).json()["playbooks"]

    assert [(one["event_type"], one["is_active"]) for one in listed] == [
        ("email.received", True),
        ("email.returns.*", True),
        ("shopify.*", False),
        ("email.*", True),
        ("*", True),
    ]
    assert listed[-1]["id"] == shop.playbook_id


async def test_turned_on_and_off(front: LiveEngine, shop: Shop, owner: dict[str, str]) -> None:
    """Two active playbooks cannot have the same pattern."""
    made = await make(front, owner, event_type="*", active=False)
    at = f"{PLAYBOOKS}/{made['id']}"

    taken = await front.http.post(f"{at}/activate", headers=owner)
    off = await front.http.post(f"{PLAYBOOKS}/{shop.playbook_id}/deactivate", headers=owner)
    on = await front.http.post(f"{at}/activate", headers=owner)

    assert code(taken) == (409, "pattern_taken")
    assert taken.json()["error"].startswith("Un autre playbook actif répond déjà à « * »")
    assert off.json()["is_active"] is False
    assert on.json() == {
        **made,
        "is_active": True,
        "playbook": {**made["playbook"], "active": True},
    }
    assert (await front.http.delete(at, headers=owner)).status_code == 204
    for gone in (await front.http.get(at, headers=owner), await put(front, owner, made["id"])):
        assert code(gone) == (404, "playbook_not_found")


async def test_names_are_given_once(front: LiveEngine, shop: Shop, owner: dict[str, str]) -> None:
    made = await make(front, owner)

    twice = await front.http.post(PLAYBOOKS, json=RETURNS, headers=owner)
    other = await put(front, owner, made["id"], name="all")

    assert code(twice) == code(other) == (409, "playbook_name_taken")


WRONG: tuple[tuple[dict[str, Any], list[str]], ...] = (
    ({"threshold": 2}, ["threshold: must be less than or equal to 1"]),
    (
        {"event_type": "a*b"},
        ["event_type: `*` stands alone or ends a dotted prefix, as in shopify.*"],
    ),
    ({"retries": 3}, ["retries: there is no such key"]),
    (
        {"actions": {"refund": {"level": "autonomous", "limits": {"currency": "EUR"}}}},
        ["actions.refund: a refund that is autonomous needs limits with per_action"],
    ),
    (
        {"actions": {"refund": {"level": "sometimes"}}, "name": ""},
        ["name: 1 to 200 characters", "actions.refund.level: "],
    ),
    ({"note": "x" * 501}, ["note: "]),
    ({"expected_version": 0}, ["expected_version: "]),
)


@pytest.mark.parametrize(("wrong", "told"), WRONG)
async def test_each_place_that_is_wrong_is_named(
    front: LiveEngine, owner: dict[str, str], wrong: dict[str, Any], told: list[str]
) -> None:
    body = {**RETURNS, **wrong}
    as_json = await front.http.post(PLAYBOOKS, json=body, headers=owner)
    text = write_yaml(body).encode()
    as_yaml = await front.http.post(PLAYBOOKS, content=text, headers={**owner, **YAML})

    for answer in (as_json, as_yaml):
        assert code(answer) == (400, "invalid_playbook")
        problems = answer.json()["problems"]
        assert len(problems) == len(told)
        assert all(map(str.startswith, problems, told)), problems


@pytest.mark.parametrize(
    ("text", "told"),
    [
        (b"name: a\n  event_type: b", "not valid YAML: line 2, column 13: "),
        (b"name: &a [*a]", "not valid YAML: "),
        (b"\xff\xfe", "a playbook file is UTF-8 text"),
        (b"- a", "the playbook: keys and values expected"),
        (b"# " + b"x" * MAX_FILE_BYTES, "a playbook file has at most 256 KiB"),
        (b"[" * 5_000, "not valid YAML: "),
    ],
)
async def test_yaml_that_cannot_be_read(
    front: LiveEngine, owner: dict[str, str], text: bytes, told: str
) -> None:
    answer = await front.http.post(PLAYBOOKS, content=text, headers={**owner, **YAML})

    assert code(answer) == (400, "invalid_playbook")
    (problem,) = answer.json()["problems"]
    assert problem.startswith(told)


async def test_other_types_of_body(front: LiveEngine, owner: dict[str, str]) -> None:
    """YAML is accepted only where it is documented."""
    for media_type in ("text/yaml", "application/yaml; charset=latin-1", "text/plain"):
        answer = await front.http.post(
            PLAYBOOKS, content=b"name: a", headers={**owner, "content-type": media_type}
        )
        assert code(answer) == (415, "unsupported_media_type")
    elsewhere = await front.http.post(
        "/api/dashboard/templates", content=b"name: a", headers={**owner, **YAML}
    )
    assert code(elsewhere) == (415, "unsupported_media_type")


async def test_a_deleted_one_has_no_versions(front: LiveEngine, owner: dict[str, str]) -> None:
    ids = await a_playbook(front, owner)
    at = f"{PLAYBOOKS}/{ids['playbook_id']}"
    await front.http.delete(at, headers=owner)

    for path in (f"{at}/versions", f"{at}/versions/1", f"{at}/diff"):
        assert code(await front.http.get(path, headers=owner)) == (404, "playbook_not_found")
    restored = await front.http.post(f"{at}/versions/1/restore", headers=owner)
    assert code(restored) == (404, "playbook_not_found")
