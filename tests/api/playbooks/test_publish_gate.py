"""The publish gate over HTTP: requests, rejections, and the cost of saving content."""

from typing import Any, Final

import pytest

from domain.playbooks.file import draft_in
from domain.tenants.client import Role
from tests.support.cases.cases import CONTENT_PREVIEWS
from tests.support.cases.verdicts import case_spec, judge, saved
from tests.support.content.content import ENTRY, KNOWLEDGE, TEMPLATES
from tests.support.core.engine import LiveEngine
from tests.support.reviews.dashboard import code, person
from tests.support.tenants.access import AUDIT
from tests.support.tenants.account import PLAYBOOK_FILE, PLAYBOOKS
from tests.support.tenants.shop import Shop

DRAFT: Final[dict[str, Any]] = {"name": "Mails", "event_type": "email.*", "threshold": 0.9}
WHY: Final = "Soldes demain."


async def made(front: LiveEngine, owner: dict[str, str], **more: object) -> str:
    answer = await front.http.post(PLAYBOOKS, json={**DRAFT, **more}, headers=owner)
    assert answer.status_code == 201, answer.text
    playbook_id: str = answer.json()["id"]
    return playbook_id


async def test_each_door_is_shut_until_the_case_is_green(
    front: LiveEngine, shop: Shop, owner: dict[str, str]
) -> None:
    it = await made(front, owner, active=False)
    one = f"{PLAYBOOKS}/{it}"
    case = await saved(front.database, shop, case_spec(event_type="email.received"))
    doors = {
        "activate": ("POST", f"{one}/activate", None),
        "update": ("PUT", one, {**DRAFT, "active": True}),
        "file": ("POST", PLAYBOOK_FILE, {"version": 1, "playbooks": [DRAFT]}),
        "create": ("POST", PLAYBOOKS, {**DRAFT, "name": "B", "event_type": "email.received"}),
    }
    for method, path, body in doors.values():
        answer = await front.http.request(method, path, json=body, headers=owner)
        assert code(answer) == (409, "cases_not_green"), path
        assert answer.json()["cases"], path
        assert (answer.json()["failing"], answer.json()["untried"]) == (0, 1)
    told = (await front.http.get(f"{one}/gate", headers=owner)).json()
    assert told == {
        "version": 1, "may_go_live": False, "was_live": False, "green": [], "failing": [],
        "untried": [{"id": case.id, "name": case.name}],
    }  # fmt: skip

    model = front.app.state.resources.model()
    await judge(front.database, shop, case, draft_in(DRAFT).spec, model=model)
    told = (await front.http.get(f"{one}/gate", headers=owner)).json()
    assert (told["may_go_live"], len(told["green"])) == (True, 1)
    assert (await front.http.post(f"{one}/activate", headers=owner)).status_code == 200
    told = (await front.http.get(f"{one}/gate?version=1", headers=owner)).json()
    assert (told["may_go_live"], told["was_live"]) == (True, True)
    missing = await front.http.get(f"{one}/gate?version=2", headers=owner)
    assert code(missing) == (404, "playbook_not_found")


async def test_an_owner_overrides_at_each_door(
    front: LiveEngine, shop: Shop, owner: dict[str, str]
) -> None:
    """Without an override, and for an admin, each is rejected; the audit log records each
    override."""
    it = await made(front, owner, active=False)
    one = f"{PLAYBOOKS}/{it}"
    off = {**DRAFT, "threshold": 0.7, "active": False}
    assert (await front.http.put(one, json=off, headers=owner)).status_code == 200
    await saved(front.database, shop, case_spec(event_type="email.received"))
    admin = await person(front, shop, Role.ADMIN)
    file = {"version": 1, "playbooks": [{**DRAFT, "threshold": 0.6}]}
    doors: tuple[tuple[str, str, dict[str, Any]], ...] = (
        ("POST", f"{one}/activate", {}),
        ("PUT", one, {**DRAFT, "threshold": 0.8}),
        ("POST", f"{one}/versions/1/restore", {}),
        ("POST", PLAYBOOK_FILE, file),
        ("POST", PLAYBOOKS, {**DRAFT, "name": "B", "event_type": "email.received"}),
    )
    for method, path, body in doors:
        shut = await front.http.request(method, path, json=body or None, headers=owner)
        assert code(shut) == (409, "cases_not_green"), path
        of_file = path == PLAYBOOK_FILE
        url = f"{path}?override={WHY}" if of_file else path
        said = body if of_file else {**body, "override": WHY}
        refused = await front.http.request(method, url, json=said, headers=admin)
        assert code(refused) == (403, "role_required"), path
        answer = await front.http.request(method, url, json=said, headers=owner)
        assert answer.status_code in (200, 201), answer.text
    versions = (await front.http.get(f"{one}/versions", headers=owner)).json()["versions"]
    assert [version["note"] for version in versions].count(WHY) == len(versions) - 1
    audit = (await front.http.get(AUDIT, headers=owner)).json()["entries"]
    kept = [entry["ids"] for entry in audit if entry["what"] == "publish gate overridden"]
    assert len(kept) == len(doors)
    assert {(ids["failing"], ids["untried"]) for ids in kept} == {("0", "1")}


@pytest.mark.parametrize(
    "why", ["", " ", "\u200b", "x" * 501], ids=["empty", "blank", "unseen", "long"]
)
async def test_an_override_has_a_reason(
    front: LiveEngine, shop: Shop, owner: dict[str, str], why: str
) -> None:
    one = f"{PLAYBOOKS}/{shop.playbook_id}"
    for method, path in (("POST", f"{one}/activate"), ("POST", f"{one}/versions/1/restore")):
        answer = await front.http.request(method, path, json={"override": why}, headers=owner)
        assert answer.status_code == 400, path
    answer = await front.http.put(one, json={**DRAFT, "override": why}, headers=owner)
    assert code(answer) == (400, "invalid_playbook")


async def test_a_save_of_content_says_how_many_verdicts_it_costs(
    front: LiveEngine, shop: Shop, owner: dict[str, str]
) -> None:
    playbook = {"name": "all", "event_type": "*"}
    case = await saved(front.database, shop, case_spec())
    await saved(front.database, shop, case_spec("untried"))
    model = front.app.state.resources.model()
    template = (await front.http.get(TEMPLATES, headers=owner)).json()["templates"][0]
    one = f"{TEMPLATES}/{template['id']}"

    async def costs(method: str, path: str, body: dict[str, Any] | None) -> str:
        await judge(front.database, shop, case, draft_in({**playbook}).spec, model=model)
        answer = await front.http.request(method, path, json=body, headers=owner)
        assert answer.status_code in (200, 201, 204), answer.text
        return str(answer.headers["x-cases-lost"])

    assert await costs("PATCH", one, {"body": template["body"]}) == "0"
    assert await costs("PATCH", one, {"body": "Bonjour."}) == "1"
    assert await costs("POST", KNOWLEDGE, ENTRY) == "1"
    assert await costs("DELETE", one, None) == "1"
    # Inactive content is not shown to an agent.
    off = {**template, "name": "off", "is_active": False}
    new = {name: off[name] for name in ("name", "category", "language", "body", "is_active")}
    assert await costs("POST", TEMPLATES, new) == "0"


async def test_a_preview_is_a_run_over_the_cases(
    front: LiveEngine, shop: Shop, owner: dict[str, str]
) -> None:
    await saved(front.database, shop, case_spec())
    template = (await front.http.get(TEMPLATES, headers=owner)).json()["templates"][0]
    answer = await front.http.post(CONTENT_PREVIEWS, json={"new_knowledge": ENTRY}, headers=owner)
    assert (answer.status_code, answer.json()["total"]) == (202, 1)
    again = {"template": {"id": template["id"], "change": {"is_active": False}}}
    busy = await front.http.post(CONTENT_PREVIEWS, json=again, headers=owner)
    assert code(busy) == (409, "case_run_under_way")


@pytest.mark.parametrize(
    ("body", "refusal"),
    [
        ({}, (400, "invalid_body")),
        ({"new_knowledge": None}, (400, "invalid_body")),
        ({"new_knowledge": ENTRY, "deletion": None}, (400, "invalid_body")),
        ({"new_knowledge": {**ENTRY, "title": " "}}, (400, "invalid_content")),
        ({"deletion": {"id": "0" * 26, "kind": "template"}}, (404, "content_not_found")),
        ({"deletion": {"id": "0" * 26, "kind": "both"}}, (400, "invalid_body")),
        ({"knowledge": {"id": "0" * 26, "change": {}}}, (400, "invalid_body")),
        ({"knowledge": {"id": "0" * 26, "change": {"body": "x"}}}, (404, "content_not_found")),
        ({"template": {"id": "0" * 26, "change": {"body": "{{"}}}, (400, "invalid_content")),
    ],
    ids=range(9),
)
async def test_a_preview_of_nothing(
    front: LiveEngine,
    shop: Shop,
    owner: dict[str, str],
    body: dict[str, Any],
    refusal: tuple[int, str],
) -> None:
    answer = await front.http.post(CONTENT_PREVIEWS, json=body, headers=owner)
    assert code(answer) == refusal
