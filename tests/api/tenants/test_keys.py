"""/api/dashboard/keys: create, show once, list, rename, revoke; and the last use."""

import asyncio
import secrets

import httpx
import pytest
import structlog

from domain.tenants.actor import Actor
from domain.tenants.api_key import KEY_BYTES, MAX_ACTIVE, MAX_LABEL
from domain.tenants.client import Role
from services.tenants.keys import create_key
from tests.support.billing.usage import USAGE
from tests.support.core.engine import LiveEngine
from tests.support.core.units import units_on
from tests.support.reviews.dashboard import code, person
from tests.support.tenants.account import KEYS
from tests.support.tenants.identity import bearer
from tests.support.tenants.shop import Shop, open_shop


async def use(front: LiveEngine, shop: Shop, headers: dict[str, str]) -> httpx.Response:
    return await front.http.get(USAGE, params={"client_id": shop.client_id}, headers=headers)


async def test_the_life_of_a_key(front: LiveEngine, shop: Shop, owner: dict[str, str]) -> None:
    with structlog.testing.capture_logs() as lines:
        made = await front.http.post(KEYS, json={"label": " Caisse \n de Lyon "}, headers=owner)
        key, text = made.json()["key"], made.json()["key_value"]
        assert made.json()["text"] == text, "its name until the next release"
        assert made.status_code == 201
        assert {**key, "id": "", "created_at": ""} == {
            "id": "",
            "client_id": shop.client_id,
            "label": "Caisse de Lyon",
            "is_active": True,
            "prefix": text[:8],
            "created_at": "",
            "created_by": shop.owner_user_id,
            "scopes": None,
            "oauth_client_id": None,
            "last_used_at": None,
            "last_used_from": None,
            "revoked_at": None,
            "vouches": True,
        }
        at = f"{KEYS}/{key['id']}"
        renamed = await front.http.patch(at, json={"label": "Lyon"}, headers=owner)
        assert (await use(front, shop, bearer(text))).status_code == 200
        first, again = [await front.http.delete(at, headers=owner) for _ in range(2)]
        assert (await use(front, shop, bearer(text))).status_code == 401

    assert renamed.json() == {**key, "label": "Lyon"}
    assert (first.status_code, again.status_code) == (204, 204)
    kept = (await front.http.get(at, headers=owner)).json()
    assert kept["revoked_at"] is not None
    assert kept["is_active"] is False
    assert text not in str(lines)
    assert text not in str(kept)
    told = [line["event"] for line in lines if line.get("key_id") == key["id"]]
    assert told == ["key created", "key renamed", "key revoked", "key revoked"]


async def test_the_list_by_pages(front: LiveEngine, shop: Shop, owner: dict[str, str]) -> None:
    for number in range(4):
        await front.http.post(KEYS, json={"label": f"clé {number}"}, headers=owner)
    other = await open_shop(front.database)

    labels, cursor = [], None
    for _ in range(3):
        query: dict[str, str] = {"limit": "2", **({"cursor": cursor} if cursor else {})}
        page = (await front.http.get(KEYS, params=query, headers=owner)).json()
        labels.append([key["label"] for key in page["keys"]])
        cursor = page["next_cursor"]

    assert labels == [["clé 3", "clé 2"], ["clé 1", "clé 0"], ["test"]]
    assert cursor is None
    theirs = await front.http.get(KEYS, headers=await person(front, other, Role.OWNER))
    assert [key["id"] for key in theirs.json()["keys"]] == [other.key_id]


@pytest.mark.parametrize("label", ["", "  ", "\u202e\u200b", "x" * (MAX_LABEL + 1)])
async def test_labels_that_say_nothing(
    front: LiveEngine, owner: dict[str, str], label: str
) -> None:
    answer = await front.http.post(KEYS, json={"label": label}, headers=owner)

    assert code(answer) == (400, "invalid_label")


async def test_a_hundred_at_most(front: LiveEngine, shop: Shop, owner: dict[str, str]) -> None:
    """Even for two concurrent requests; a revoked key frees a slot."""
    made, maker = [], Actor.person(shop.owner_user_id, Role.OWNER)
    # one transaction each: a single transaction would take too long
    for _ in range(MAX_ACTIVE - 2):
        async with units_on(front.database).of(shop.tenant) as work:
            made.append(await create_key(work, maker, "x", secrets.token_bytes(KEY_BYTES)))
    at_once = await asyncio.gather(
        *(front.http.post(KEYS, json={"label": "y"}, headers=owner) for _ in range(3))
    )

    assert sorted(answer.status_code for answer in at_once) == [201, 409, 409]
    full = next(answer for answer in at_once if answer.status_code == 409)
    assert code(full) == (409, "too_many_keys")
    assert full.json()["error"] == "100 clés actives au plus : révoquez-en une d'abord."
    await front.http.delete(f"{KEYS}/{made[0].id}", headers=owner)
    again = await front.http.post(KEYS, json={"label": "y"}, headers=owner)
    assert again.status_code == 201


async def test_where_a_key_was_last_used(
    front: LiveEngine, shop: Shop, owner: dict[str, str]
) -> None:
    assert (await use(front, shop, shop.headers)).status_code == 200
    before = (await front.http.get(f"{KEYS}/{shop.key_id}", headers=owner)).json()

    await front.app.state.resources.key_uses.write()

    after = (await front.http.get(f"{KEYS}/{shop.key_id}", headers=owner)).json()
    assert (before["last_used_at"], before["last_used_from"]) == (None, None)
    assert after["last_used_from"] == "127.0.0.0/24"
    assert after["last_used_at"] is not None
