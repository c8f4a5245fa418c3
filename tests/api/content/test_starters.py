"""Starter templates: added, edited, and listed on the page."""

from typing import Any

from adapters.system import new_ulid, utc_now
from domain.agent.intent import Intent
from domain.content.content import MAX_TEMPLATES
from domain.content.starter_templates import starter_templates
from domain.tenants.client import Role
from store.content.content import ContentRepository
from store.content.tables import response_templates
from tests.support.content.content import STARTERS, TEMPLATE, TEMPLATES
from tests.support.core.engine import LiveEngine
from tests.support.core.rows import rows
from tests.support.dashboard.visitors import at_pages
from tests.support.reviews.dashboard import code
from tests.support.tenants.shop import Shop

LIST = "/app/templates"


async def kept(front: LiveEngine, shop: Shop) -> list[dict[str, Any]]:
    return await rows(front.database, response_templates, of=shop, is_starter=True)


async def add(front: LiveEngine, owner: dict[str, str]) -> int:
    answer = await front.http.post(STARTERS, headers=owner)
    assert answer.status_code == 200, answer.text
    added: int = answer.json()["added"]
    return added


async def test_intents_that_the_client_answers_are_skipped(
    front: LiveEngine, shop: Shop, owner: dict[str, str]
) -> None:
    own = {(row["intent"], row["language"]) for row in await rows(
        front.database, response_templates, of=shop
    )}  # fmt: skip
    own.add(("invoice", "fr"))
    invoice = {**TEMPLATE, "intent": "invoice", "is_active": False}
    await front.http.post(TEMPLATES, json=invoice, headers=owner)

    added = await add(front, owner)

    starters = await kept(front, shop)
    assert len(starters) == added > 0
    assert not own & {(row["intent"], row["language"]) for row in starters}
    wanted = {
        (one.intent and one.intent.value, one.language) for one in starter_templates(new_ulid)
    }
    assert {(row["intent"], row["language"]) for row in starters} == wanted - own
    assert await add(front, owner) == 0


async def test_no_starter_goes_beyond_the_clients_limit(
    front: LiveEngine, shop: Shop, owner: dict[str, str]
) -> None:
    there = len(await rows(front.database, response_templates, of=shop))
    (first, *_) = starter_templates(new_ulid)
    async with front.database.tenant(shop.tenant) as connection:
        await ContentRepository(connection, shop.tenant).add_templates(
            [
                first.model_copy(update={"id": new_ulid(), "is_starter": False, "intent": None})
                for _ in range(MAX_TEMPLATES - there)
            ],
            utc_now(),
        )
    answer = await front.http.post(STARTERS, headers=owner)
    assert code(answer) == (409, "too_much_content")
    assert await kept(front, shop) == []


async def test_an_edited_starter_is_the_clients_own(
    front: LiveEngine, shop: Shop, owner: dict[str, str]
) -> None:
    await add(front, owner)
    listed = (await front.http.get(TEMPLATES, params={"limit": 100}, headers=owner)).json()
    starter = next(one for one in listed["templates"] if one["intent"] == Intent.INVOICE)
    assert starter["is_starter"]
    one = f"{TEMPLATES}/{starter['id']}"

    async def changed(**change: object) -> bool:
        answer = await front.http.patch(one, json=change, headers=owner)
        assert answer.status_code == 200, answer.text
        is_starter: bool = answer.json()["is_starter"]
        return is_starter

    assert await changed(is_active=False)
    assert await changed(is_active=True, body=starter["body"], intent="invoice", not_for=[])
    assert not await changed(not_for=["Suisse"])
    assert not await changed(not_for=[])


async def test_each_part_of_a_starter_makes_it_the_clients_own(
    front: LiveEngine, shop: Shop, owner: dict[str, str]
) -> None:
    await add(front, owner)
    starters = iter(await kept(front, shop))
    for change in (
        {"name": "Autre"}, {"category": "complaint"}, {"body": "x"}, {"intent": "none"},
        {"intent": "size"}, {"not_for": ["x y z"]},
    ):  # fmt: skip
        one = f"{TEMPLATES}/{next(starters)['id']}"
        changed = (await front.http.patch(one, json=change, headers=owner)).json()
        assert changed["is_starter"] is False, change


async def test_the_page_adds_them_and_names_them(front: LiveEngine, shop: Shop) -> None:
    async with at_pages(front, shop) as owner:
        added = await owner.follow(await owner.send(LIST, f"{LIST}/starters"))
        assert "Starter templates added." in added
        assert "Starter</span>" in added
        (starter, *_) = await kept(front, shop)
        one = f"{LIST}/{starter['id']}"
        page = await owner.see(one)
        assert "Starter</span>" in page
        again = await owner.follow(await owner.send(LIST, f"{LIST}/starters"))
        assert "Nothing was added." in again
        # Saved unchanged, it remains a starter.
        await owner.send(one, one, {})
        assert "Starter</span>" in await owner.see(one)
    async with at_pages(front, shop, role=Role.VIEWER) as viewer:
        assert f"{LIST}/starters" not in await viewer.see(LIST)


async def test_the_preview_has_the_clients_frame(front: LiveEngine, shop: Shop) -> None:
    async with at_pages(front, shop) as owner:
        await owner.send(
            "/app/settings/replies",
            "/app/settings/replies",
            {"frame_en_named_greeting": "Dear {{ customer_name }},", "frame_en_sign_off": "Yours"},
        )
        new = f"{LIST}/new"
        fields = {
            "name": "n", "language": "en", "category": "other", "preview": "1",
            "body": "{{ greeting }}\n\nIt is on its way.\n\n{{ sign_off }}",
        }  # fmt: skip
        seen = await owner.send(new, new, fields)
        assert "Dear Anne Martin,\n\nIt is on its way.\n\nYours" in seen.text
