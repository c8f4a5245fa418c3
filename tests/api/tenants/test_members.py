"""/api/dashboard/members: role changes, ended memberships, an owner who stays."""

import secrets

import httpx
import pytest

from adapters.system import new_ulid, utc_now
from domain.tenants.api_key import KEY_BYTES, new_key
from domain.tenants.client import Role
from store.audit.tables import audit_entries
from store.tenants.keys import KeyRepository
from tests.support.billing.usage import USAGE
from tests.support.core.engine import LiveEngine
from tests.support.core.rows import rows
from tests.support.dashboard.visitors import at_pages
from tests.support.reviews.dashboard import code, person
from tests.support.tenants.account import INVITATIONS, KEYS, MEMBERS, new_member
from tests.support.tenants.identity import bearer, session_token
from tests.support.tenants.shop import Shop


async def key_for_a_program(front: LiveEngine, shop: Shop, user_id: str) -> str:
    """Create a key as the OAuth flow does for an application that the user authorizes."""
    text, material = new_key(secrets.token_bytes(KEY_BYTES))
    async with front.database.service() as connection:
        await KeyRepository(connection).create(
            key_id=new_ulid(),
            client_id=shop.client_id,
            label="Program",
            material=material,
            now=utc_now(),
            created_by=user_id,
            user_id=user_id,
            oauth_client_id="program",
        )
    return text


async def works(front: LiveEngine, shop: Shop, key: str) -> bool:
    asked = await front.http.get(USAGE, params={"client_id": shop.client_id}, headers=bearer(key))
    return asked.status_code == 200


async def change(
    front: LiveEngine, headers: dict[str, str], user_id: str, role: str
) -> httpx.Response:
    return await front.http.patch(f"{MEMBERS}/{user_id}", json={"role": role}, headers=headers)


async def test_roles(front: LiveEngine, shop: Shop, owner: dict[str, str]) -> None:
    user_id = await new_member(front, shop, Role.AGENT)
    theirs = bearer(session_token(front.settings, user_id))
    assert code(await front.http.get(KEYS, headers=theirs)) == (403, "role_required")

    changed = await change(front, owner, user_id, "admin")

    assert changed.json()["role"] == "admin"
    assert (await front.http.get(KEYS, headers=theirs)).status_code == 200
    listed = (await front.http.get(MEMBERS, headers=theirs)).json()["members"]
    assert [(one["user_id"], one["role"]) for one in listed] == [
        (shop.owner_user_id, "owner"),
        (user_id, "admin"),
    ]
    gone = await front.http.delete(f"{MEMBERS}/{user_id}", headers=owner)
    assert gone.status_code == 204
    assert code(await front.http.get(MEMBERS, headers=theirs)) == (403, "no_client")
    again = await front.http.delete(f"{MEMBERS}/{user_id}", headers=owner)
    assert code(again) == (404, "member_not_found")


async def test_the_owner_stays_and_nobody_joins_them(
    front: LiveEngine, shop: Shop, owner: dict[str, str]
) -> None:
    admin, other = await person(front, shop, Role.ADMIN), await new_member(front, shop)
    for headers in (owner, admin):
        for answer in (
            await change(front, headers, shop.owner_user_id, "viewer"),
            await front.http.delete(f"{MEMBERS}/{shop.owner_user_id}", headers=headers),
            await change(front, headers, other, "owner"),
        ):
            assert code(answer) == (409, "owner_stays")
        invited = {"email": "x@example.com", "role": "owner"}
        answer = await front.http.post(INVITATIONS, json=invited, headers=headers)
        assert code(answer) == (409, "owner_stays")
        assert code(await change(front, headers, other, "boss")) == (400, "invalid_body")
    assert (await front.http.get(KEYS, headers=owner)).status_code == 200


@pytest.mark.parametrize("role", ["viewer", "agent", None])
async def test_programs_of_somebody_who_may_make_no_keys_any_more(
    front: LiveEngine, shop: Shop, owner: dict[str, str], role: str | None
) -> None:
    """They lose access at once; other users' applications and the client's own keys continue to
    work."""
    user_id = await new_member(front, shop, Role.ADMIN)
    theirs = await key_for_a_program(front, shop, user_id)
    others = await key_for_a_program(front, shop, shop.owner_user_id)
    assert (await change(front, owner, user_id, "admin")).status_code == 200
    assert await works(front, shop, theirs)

    if role is None:
        await front.http.delete(f"{MEMBERS}/{user_id}", headers=owner)
    else:
        await change(front, owner, user_id, role)

    assert not await works(front, shop, theirs)
    assert await works(front, shop, others)
    assert await works(front, shop, shop.key)


async def key_of(front: LiveEngine, shop: Shop, user_id: str) -> dict[str, str]:
    """Create a key as an admin for a client's system."""
    theirs = bearer(session_token(front.settings, user_id))
    made = (await front.http.post(KEYS, json={"label": "Caisse"}, headers=theirs)).json()
    return {"id": made["key"]["id"], "text": made["text"]}


@pytest.mark.parametrize("role", ["viewer", "agent", None])
@pytest.mark.parametrize("fate", ["revoke", "keep"])
async def test_keys_of_a_removed_admin_do_not_survive_unnoticed(
    front: LiveEngine, shop: Shop, owner: dict[str, str], role: str | None, fate: str
) -> None:
    """Attack: an admin creates a key and loses the role, and the key continues to work
    unnoticed."""
    user_id = await new_member(front, shop, Role.ADMIN)
    key = await key_of(front, shop, user_id)
    listed = await front.http.get(f"{MEMBERS}/{user_id}/keys", headers=owner)
    assert [one["id"] for one in listed.json()["keys"]] == [key["id"]]

    async def end(**choice: str) -> httpx.Response:
        path = f"{MEMBERS}/{user_id}"
        if role is None:
            return await front.http.delete(path, params=choice, headers=owner)
        return await front.http.patch(path, json={"role": role, **choice}, headers=owner)

    undecided = await end()
    assert code(undecided) == (409, "keys_undecided")
    assert undecided.json()["keys"] == 1
    members = (await front.http.get(MEMBERS, headers=owner)).json()["members"]
    assert ("admin", user_id) in {(one["role"], one["user_id"]) for one in members}
    assert await works(front, shop, key["text"])

    assert (await end(keys=fate)).status_code in (200, 204)

    assert await works(front, shop, key["text"]) is (fate == "keep")
    assert await works(front, shop, shop.key)
    log = await rows(front.database, audit_entries, client_id=shop.client_id)
    told = "key kept" if fate == "keep" else "key revoked"
    assert [one["ids"]["key_id"] for one in log if one["what"] == told] == [key["id"]]


async def test_the_page_lists_the_keys_and_revokes_those_that_are_ticked(
    front: LiveEngine, shop: Shop
) -> None:
    user_id = await new_member(front, shop, Role.ADMIN)
    ended, kept = await key_of(front, shop, user_id), await key_of(front, shop, user_id)
    async with at_pages(front, shop) as visitor:
        asked = await visitor.send("/app/members", "/app/members/remove", {"user_id": user_id})
        where = asked.headers["location"]
        page = await visitor.see(where)
        assert f'name="revoke:{ended["id"]}" value="on" checked' in page
        assert await works(front, shop, ended["text"])
        done = await visitor.send(
            where, "/app/members/remove", {f"revoke:{ended['id']}": "on", "user_id": user_id}
        )
        after = await visitor.follow(done)
        assert "was removed" in after
        assert "Keys without a manager" in after
        assert f"/app/keys/{kept['id']}" in after
        assert ended["id"] not in after
    assert not await works(front, shop, ended["text"])
    assert await works(front, shop, kept["text"])


@pytest.mark.parametrize("user_id", ["x" * 256, "%00", "nobody", "a%0Ab"])
async def test_nobody_of_that_name(front: LiveEngine, owner: dict[str, str], user_id: str) -> None:
    assert code(await change(front, owner, user_id, "admin")) == (404, "member_not_found")
