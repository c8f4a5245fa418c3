"""The signed-in user, their clients and sessions; a client's invitations."""

from adapters.system import new_ulid, utc_now
from domain.tenants.client import Role
from store.tenants.members import MemberRepository
from tests.support.core.engine import LiveEngine
from tests.support.reviews.dashboard import admin, code, person
from tests.support.tenants.account import (
    CLIENTS,
    INVITATIONS,
    INVITED,
    ME,
    SESSIONS,
    new_member,
    signed_in,
)
from tests.support.tenants.identity import bearer, session_token
from tests.support.tenants.shop import Shop, open_shop


async def test_who_is_signed_in(front: LiveEngine, shop: Shop, owner: dict[str, str]) -> None:
    """The first client is the default if a request names none."""
    joined = await open_shop(front.database, brand="Deuxième")
    async with front.database.service() as connection:
        await MemberRepository(connection).add(
            joined.client_id, shop.owner_user_id, Role.VIEWER, utc_now()
        )

    answer = await front.http.get(ME, headers=owner)

    own = {"id": shop.client_id, "brand_name": "Boutique", "role": "owner"}
    other = {"id": joined.client_id, "brand_name": "Deuxième", "role": "viewer"}
    clients = [
        own | {"owner_email": f"{shop.client_id.lower()}@example.com"},
        other | {"owner_email": f"{joined.client_id.lower()}@example.com"},
    ]
    assert answer.json() == {
        "clients": clients,
        "user_id": shop.owner_user_id,
        "email": f"{shop.client_id.lower()}@example.com",
        "is_admin": False,
    }
    assert (await front.http.get(CLIENTS, headers=owner)).json() == {"clients": clients}


async def test_somebody_without_a_client(front: LiveEngine) -> None:
    """A user known only to another identity provider, or an admin of the service."""
    stranger = bearer(session_token(front.settings, new_ulid()))
    told = (await front.http.get(ME, headers=stranger)).json()
    assert (told["email"], told["is_admin"], told["clients"]) == (None, False, [])
    assert (await front.http.get(SESSIONS, headers=stranger)).json() == {"sessions": []}
    assert (await front.http.delete(SESSIONS, headers=stranger)).json() == {"ended": 0}
    assert (await front.http.get(ME, headers=admin(front))).json()["is_admin"] is True


async def test_a_client_that_is_being_erased_is_nobodys(
    front: LiveEngine, shop: Shop, owner: dict[str, str]
) -> None:
    async with front.database.service() as connection:
        await connection.exec_driver_sql(
            "UPDATE clients SET closed_at = now() WHERE id = %s", (shop.client_id,)
        )

    assert (await front.http.get(CLIENTS, headers=owner)).json() == {"clients": []}


async def test_ones_own_sessions(front: LiveEngine, shop: Shop, owner: dict[str, str]) -> None:
    other = await new_member(front, shop, Role.ADMIN)
    theirs = await signed_in(front, other)
    mine = [await signed_in(front, shop.owner_user_id) for _ in range(3)]

    listed = (await front.http.get(SESSIONS, headers=owner)).json()["sessions"]
    assert sorted(one["id"] for one in listed) == sorted(mine)
    assert {(one["network"], one["agent"], one["kind"]) for one in listed} == {
        ("203.0.113.0/24", "Firefox", "browser")
    }
    assert code(await front.http.delete(f"{SESSIONS}/{theirs}", headers=owner)) == (
        404,
        "session_not_found",
    )
    assert (await front.http.delete(f"{SESSIONS}/{mine[0]}", headers=owner)).status_code == 204
    again = await front.http.delete(f"{SESSIONS}/{mine[0]}", headers=owner)
    assert code(again) == (404, "session_not_found")
    assert (await front.http.delete(SESSIONS, headers=owner)).json() == {"ended": 2}
    assert (await front.http.get(SESSIONS, headers=owner)).json() == {"sessions": []}
    headers = bearer(session_token(front.settings, other))
    assert len((await front.http.get(SESSIONS, headers=headers)).json()["sessions"]) == 1


async def test_invitations(front: LiveEngine, shop: Shop, owner: dict[str, str]) -> None:
    """An address has one open invitation at a time, in the requested language."""
    manager = await person(front, shop, Role.ADMIN)
    first = await front.http.post(
        INVITATIONS, json=INVITED, headers={**manager, "accept-language": "en"}
    )
    second = await front.http.post(INVITATIONS, json={**INVITED, "role": "viewer"}, headers=owner)
    assert (first.json()["language"], second.json()["language"]) == ("en", "fr")

    again = await front.http.post(
        f"{INVITATIONS}/{second.json()['id']}/resend", json={"language": "en"}, headers=owner
    )

    assert again.status_code == 201
    assert {**again.json(), "language": "fr"} == {
        **second.json(),
        **{name: again.json()[name] for name in ("id", "created_at", "expires_at")},
    }
    listed = (await front.http.get(INVITATIONS, headers=owner)).json()
    assert listed == {"invitations": [again.json()]}
    at = f"{INVITATIONS}/{again.json()['id']}"
    assert (await front.http.delete(at, headers=owner)).status_code == 204
    for gone in (
        await front.http.delete(at, headers=owner),
        await front.http.post(f"{at}/resend", headers=owner),
    ):
        assert code(gone) == (404, "invitation_not_found")
    assert (await front.http.get(INVITATIONS, headers=owner)).json() == {"invitations": []}


async def test_an_address_that_is_none(front: LiveEngine, owner: dict[str, str]) -> None:
    for email in ("", "x", "a@b", "léa@example.com", "a@b.example\nBcc: c@d.example"):
        answer = await front.http.post(
            INVITATIONS, json={"email": email, "role": "agent"}, headers=owner
        )
        assert code(answer) == (400, "invalid_address"), email
