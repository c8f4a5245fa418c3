"""/api/dashboard/templates: validation, and the agent's use of changed templates."""

from typing import Any

import pytest
import sqlalchemy as sa
import structlog

from adapters.system import new_ulid, utc_now
from domain.agent.intent import Intent
from domain.content.content import MAX_BODY, MAX_LINE, MAX_TEMPLATES
from store.content import content
from store.content.content import ContentRepository
from store.content.tables import response_templates
from tests.support.content.content import TEMPLATE, TEMPLATES
from tests.support.core.engine import LiveEngine
from tests.support.core.rows import only_row
from tests.support.reviews.dashboard import code
from tests.support.tenants.shop import Shop


async def create(front: LiveEngine, headers: dict[str, str], **body: object) -> dict[str, Any]:
    answer = await front.http.post(TEMPLATES, json={**TEMPLATE, **body}, headers=headers)
    assert answer.status_code == 201, answer.text
    made: dict[str, Any] = answer.json()
    return made


async def test_create_read_change_delete(
    front: LiveEngine, shop: Shop, owner: dict[str, str]
) -> None:
    made = await create(front, owner, name=" Où est\u00a0ma\ncommande ", body="\n Bonjour. \n")
    assert (made["name"], made["body"]) == ("Où est ma commande", "Bonjour.")
    assert (made["is_active"], made["updated_at"], made["needs"]) == (True, None, [])
    one = f"{TEMPLATES}/{made['id']}"
    assert (await front.http.get(one, headers=owner)).json() == made
    below = f"{TEMPLATES}/{made['id'].lower()}"
    assert (await front.http.get(below, headers=owner)).json() == made

    assert (made["intent"], made["not_for"]) == (None, [])
    change = {"category": "complaint", "body": "Le colis est à {{ parcel_shop }}.", "name": None}
    changed = (await front.http.patch(one, json=change, headers=owner)).json()
    assert changed == {
        **made, "category": "complaint", "body": change["body"], "needs": ["parcel_shop"],
        "updated_at": changed["updated_at"],
    }  # fmt: skip
    assert changed["updated_at"] is not None
    row = await only_row(front.database, response_templates, id=made["id"])
    assert (row["client_id"], row["language"]) == (shop.client_id, "fr")

    assert (await front.http.delete(one, headers=owner)).status_code == 204
    assert code(await front.http.get(one, headers=owner)) == (404, "content_not_found")
    assert code(await front.http.delete(one, headers=owner)) == (404, "content_not_found")


async def test_an_edit_cannot_exceed_the_exclusions_of_all_templates(
    front: LiveEngine, owner: dict[str, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(content, "MAX_ALL_NOT_FOR", 3)
    made = await create(front, owner, not_for=["vol", "douane"])
    one = f"{TEMPLATES}/{made['id']}"
    many = {"not_for": ["vol", "douane", "plainte", "police"]}
    for answer in (
        await front.http.patch(one, json=many, headers=owner),
        await front.http.post(TEMPLATES, json={**TEMPLATE, **many}, headers=owner),
    ):
        assert answer.status_code == 400, answer.text
        assert "pour tous les modèles" in answer.json()["error"]
    assert (await front.http.get(one, headers=owner)).json() == made

    # Existing exclusions above the limit can be reduced.
    monkeypatch.setattr(content, "MAX_ALL_NOT_FOR", 0)
    fewer = await front.http.patch(one, json={"not_for": ["vol"]}, headers=owner)
    assert fewer.json()["not_for"] == ["vol"]


async def test_what_it_answers_and_what_not_is_set_and_taken_away(
    front: LiveEngine, shop: Shop, owner: dict[str, str]
) -> None:
    made = await create(front, owner, intent="track_order", not_for=[" douane\n", "douane", "vol"])
    assert (made["intent"], made["not_for"]) == ("track_order", ["douane", "vol"])
    one = f"{TEMPLATES}/{made['id']}"
    async with front.database.tenant(shop.tenant) as connection:
        shown = (await ContentRepository(connection, shop.tenant).templates()).templates
    assert (Intent.TRACK_ORDER, ("douane", "vol")) in {(of.intent, of.not_for) for of in shown}

    left = (await front.http.patch(one, json={"name": "Suivi"}, headers=owner)).json()
    assert (left["intent"], left["not_for"]) == ("track_order", ["douane", "vol"])
    gone = {"intent": "none", "not_for": []}
    changed = (await front.http.patch(one, json=gone, headers=owner)).json()
    assert (changed["intent"], changed["not_for"]) == (None, [])


async def test_one_that_is_off_is_shown_to_people_and_to_no_brain(
    front: LiveEngine, shop: Shop, owner: dict[str, str]
) -> None:
    off = await create(front, owner, is_active=False)
    on = await create(front, owner)
    await front.http.patch(f"{TEMPLATES}/{on['id']}", json={"is_active": False}, headers=owner)
    back = await create(front, owner, is_active=False)
    await front.http.patch(f"{TEMPLATES}/{back['id']}", json={"is_active": True}, headers=owner)

    async with front.database.tenant(shop.tenant) as connection:
        content = await ContentRepository(connection, shop.tenant).templates()
        shown = {one.id for one in content.templates}
    listed = (await front.http.get(TEMPLATES, headers=owner)).json()["templates"]
    states = {one["id"]: one["is_active"] for one in listed}

    assert shown & {off["id"], on["id"], back["id"]} == {back["id"]}
    assert (states[off["id"]], states[on["id"]], states[back["id"]]) == (False, False, True)


@pytest.mark.parametrize(
    ("wrong", "named"),
    [
        ({"name": " \n "}, "name : 1 à 200"),
        ({"name": "\u200b"}, "name : 1 à 200"),
        ({"name": "x" * (MAX_LINE + 1)}, "name : 1 à 200"),
        ({"body": "  "}, "body : 1 à 20000"),
        ({"body": "x" * (MAX_BODY + 1)}, "body : 1 à 20000"),
        ({"body": "Bonjour {{ a b }}"}, "illisible comme champ, tel que {{ nom }} : {{ a b }}"),
        ({"body": "{% if x %}Oui{% endif %}"}, "{% if x %}"),
        ({"not_for": [" "]}, "not_for : 1 à 80"),
        ({"not_for": ["x" * 81]}, "not_for : 1 à 80"),
        ({"not_for": [f"mot {n}" for n in range(51)]}, "not_for : 50 expressions"),
    ],
)
async def test_what_breaks_a_rule_is_named(
    front: LiveEngine, owner: dict[str, str], wrong: dict[str, str], named: str
) -> None:
    made = await create(front, owner)
    one = f"{TEMPLATES}/{made['id']}"
    for answer in (
        await front.http.post(TEMPLATES, json={**TEMPLATE, **wrong}, headers=owner),
        await front.http.patch(one, json=wrong, headers=owner),
    ):
        assert code(answer) == (400, "invalid_content")
        assert named in answer.json()["error"]
    assert (await front.http.get(one, headers=owner)).json() == made


@pytest.mark.parametrize(
    "wrong",
    [
        {"category": "nothing"}, {"language": "de"}, {"body": 1}, {"is_active": 1},
        {"id": "x"}, {"name": ["x"]}, {"intent": "nothing"}, {"not_for": "x"}, {"not_for": [1]},
    ],
)  # fmt: skip
async def test_what_has_another_shape_is_refused(
    front: LiveEngine, owner: dict[str, str], wrong: dict[str, object]
) -> None:
    one = f"{TEMPLATES}/{new_ulid()}"
    for answer in (
        await front.http.post(TEMPLATES, json={**TEMPLATE, **wrong}, headers=owner),
        await front.http.patch(one, json=wrong, headers=owner),
        await front.http.patch(one, json={}, headers=owner),
    ):
        assert code(answer) == (400, "invalid_body")


async def test_a_thousand_and_no_more(front: LiveEngine, shop: Shop, owner: dict[str, str]) -> None:
    async with front.database.tenant(shop.tenant) as connection:
        there = await connection.scalar(sa.select(sa.func.count()).select_from(response_templates))
        assert there is not None
        await connection.execute(
            sa.insert(response_templates),
            [
                {**TEMPLATE, "client_id": shop.client_id, "id": new_ulid(), "created_at": utc_now()}
                for _ in range(MAX_TEMPLATES - there - 1)
            ],
        )
    last = await create(front, owner)
    refused = await front.http.post(TEMPLATES, json=TEMPLATE, headers=owner)
    assert code(refused) == (409, "too_much_content")
    assert "1000" in refused.json()["error"]
    await front.http.delete(f"{TEMPLATES}/{last['id']}", headers=owner)
    await create(front, owner)


async def test_changes_are_logged_without_what_was_written(
    front: LiveEngine, shop: Shop, owner: dict[str, str]
) -> None:
    with structlog.testing.capture_logs(
        processors=[structlog.contextvars.merge_contextvars]
    ) as lines:
        made = await create(front, owner, body="Un zèbre.")
        one = f"{TEMPLATES}/{made['id']}"
        await front.http.patch(one, json={"body": "Deux zèbres."}, headers=owner)
        await front.http.delete(one, headers=owner)

    told = [line for line in lines if line["event"].startswith("template ")]
    assert [line["event"].split()[1] for line in told] == ["created", "changed", "deleted"]
    for line in told:
        assert line["client_id"] == shop.client_id
        assert line["user_id"] == shop.owner_user_id
        assert line["template_id"] == made["id"]
    assert "zèbre" not in str(lines)
