"""A membership requires explicit acceptance by the holder of the invited address."""

import httpx
import pytest

from domain.identity.invitation import Invitation
from domain.tenants.actor import Actor
from domain.tenants.client import Role
from services.identity.invitations import invite
from services.tenants.members import remove_member
from store.audit.tables import audit_entries
from store.identity.tables import invitations
from store.tenants.members import MemberRepository
from store.tenants.tables import client_users, clients
from tests.support.content.content import SETTINGS
from tests.support.core.engine import LiveEngine
from tests.support.core.mail_parts import plain_text
from tests.support.core.rows import only_row, rows
from tests.support.dashboard.visitors import PageVisitor, at_pages, form_of
from tests.support.identity.invitations import invited, role_in
from tests.support.identity.invitations import owner as owner_of
from tests.support.identity.sign_in import (
    Account,
    browser,
    csrf_in,
    mail_to,
    new_address,
    sign_in_with,
    sign_up,
)
from tests.support.servers.mail import MailServer
from tests.support.tenants.account import new_member
from tests.support.tenants.shop import Shop, open_shop

PAGE = "/app/invitations"
INVITATIONS = "/api/dashboard/me/invitations"


def path_of(invitation: Invitation, answer: str) -> str:
    return f"{INVITATIONS}/{invitation.id}/{answer}"


async def attack(engine: LiveEngine) -> Shop:
    """Create an attacker's client with the name of the victim's shop."""
    return await open_shop(engine.database, brand="Maison Lin")


async def post(engine: LiveEngine, path: str, account: Account) -> httpx.Response:
    return await engine.http.post(path, headers=account.headers)


async def test_an_owner_who_signs_up_does_not_land_in_the_tenant_of_an_attacker(
    engine: LiveEngine, mail: MailServer
) -> None:
    attacker, email = await attack(engine), new_address()
    invitation = await invited(engine, attacker, email, Role.ADMIN)
    await mail_to(mail, email)

    account = await sign_up(engine, mail, email, "Maison Lin", number=2)

    assert account.client_id != attacker.client_id
    own = await only_row(engine.database, clients, owner_user_id=account.user_id)
    assert (own["id"], own["brand_name"]) == (account.client_id, "Maison Lin")
    assert await role_in(engine, attacker, account.user_id) is None
    assert (await post(engine, path_of(invitation, "accept"), account)).status_code == 200
    assert await role_in(engine, attacker, account.user_id) is Role.ADMIN


async def test_an_owner_who_signs_up_in_a_browser_lands_in_their_own_client(
    engine: LiveEngine, mail: MailServer
) -> None:
    attacker, email = await attack(engine), new_address()
    await invited(engine, attacker, email, Role.ADMIN)
    await mail_to(mail, email)
    async with browser(engine) as client:
        answer = await sign_in_with(client, mail, email, "Atelier Nord", number=2)
        assert answer.headers["location"] == PAGE
        page = await PageVisitor(client, "").see("/app")

    assert "Atelier Nord" in page
    assert not await rows(engine.database, client_users, client_id=attacker.client_id, role="admin")


async def test_a_member_of_another_client_still_gets_the_account_they_ask_for(
    engine: LiveEngine, mail: MailServer, shop: Shop
) -> None:
    email = new_address()
    invitation = await invited(engine, shop, email)
    await mail_to(mail, email)
    member = await sign_up(engine, mail, email, None, number=2)
    assert member.client_id == ""
    await post(engine, path_of(invitation, "accept"), member)

    owner = await sign_up(engine, mail, email, "Atelier Nord", number=3)

    own = await only_row(engine.database, clients, owner_user_id=owner.user_id)
    assert (own["id"], own["brand_name"]) == (owner.client_id, "Atelier Nord")


async def test_the_invitation_names_the_inviter_and_the_client(
    engine: LiveEngine, mail: MailServer, shop: Shop
) -> None:
    attacker, email = await attack(engine), new_address()
    invitation = await invited(engine, attacker, email, Role.ADMIN)
    mailed = await mail_to(mail, email)
    assert "Maison Lin" not in mailed.as_string()
    assert PAGE in plain_text(mailed)
    account = await sign_up(engine, mail, email, "Atelier Nord", number=2)

    answer = await engine.http.get(INVITATIONS, headers=account.headers)

    inviter = f"{attacker.client_id.lower()}@example.com"
    (listed,) = answer.json()["invitations"]
    assert (listed["id"], listed["client_id"]) == (invitation.id, attacker.client_id)
    assert (listed["brand_name"], listed["role"]) == ("Maison Lin", "admin")
    assert listed["inviter_email"] == inviter
    async with browser(engine) as client:
        await sign_in_with(client, mail, email, number=3, next_page=PAGE)
        visitor = PageVisitor(client, account.user_id)
        page = await visitor.see(PAGE)
        assert "Maison Lin" in page
        assert inviter in page
        assert "we have not verified this one" in page
        assert "Atelier Nord" in await visitor.follow(await client.get("/app/no-client"))
        done = await visitor.send(PAGE, PAGE, {"do": "accept"})
        assert "You have joined “Maison Lin”." in await visitor.follow(done)
        # The pages show the user's own client until they switch.
        assert "· Atelier Nord</title>" in await visitor.see("/app")
    log = await rows(engine.database, audit_entries, client_id=attacker.client_id)
    assert "invitation accepted" in {one["what"] for one in log}


async def test_a_declined_invitation_is_gone(
    engine: LiveEngine, mail: MailServer, shop: Shop
) -> None:
    email = new_address()
    invitation = await invited(engine, shop, email)
    await mail_to(mail, email)
    account = await sign_up(engine, mail, email, "Atelier Nord", number=2)

    assert (await post(engine, path_of(invitation, "decline"), account)).status_code == 204

    for answer in ("accept", "decline"):
        refused = await post(engine, path_of(invitation, answer), account)
        assert (refused.status_code, refused.json()["code"]) == (404, "invitation_not_found")
    assert await role_in(engine, shop, account.user_id) is None
    left = await engine.http.get(INVITATIONS, headers=account.headers)
    assert left.json() == {"invitations": []}
    log = await rows(engine.database, audit_entries, client_id=shop.client_id)
    assert "invitation declined" in {one["what"] for one in log}


async def test_no_link_and_no_sign_in_joins_a_client(engine: LiveEngine, mail: MailServer) -> None:
    """An email program or a browser follows the invitation link and opens its pages, and the
    invited user signs in: none of this is an acceptance."""
    attacker, email = await attack(engine), new_address()
    account = await sign_up(engine, mail, email, "Atelier Nord")
    invitation = await invited(engine, attacker, email, Role.ADMIN)
    await mail_to(mail, email, number=2)  # the invitation, before the next requested code
    async with browser(engine) as client:
        await sign_in_with(client, mail, email, number=3, next_page=PAGE)
        for path in (PAGE, INVITATIONS, path_of(invitation, "accept")):
            for method in ("GET", "HEAD"):
                followed = await client.request(method, path, headers=account.headers)
                assert followed.status_code in (200, 401, 404, 405)
        assert "Maison Lin" in await PageVisitor(client, account.user_id).see(PAGE)

    assert await role_in(engine, attacker, account.user_id) is None
    kept = await only_row(engine.database, invitations, id=invitation.id)
    assert kept["accepted_at"] is None


async def test_a_member_who_leaves_reaches_nothing_of_the_client(
    engine: LiveEngine, mail: MailServer
) -> None:
    """The user accepted an attacker's invitation and leaves: old and new tokens give no access to
    that client, and the user's own client is unchanged."""
    attacker, email = await attack(engine), new_address()
    account = await sign_up(engine, mail, email, "Atelier Nord")
    invitation = await invited(engine, attacker, email, Role.ADMIN)
    await post(engine, path_of(invitation, "accept"), account)
    theirs = {"client_id": attacker.client_id}
    before = await engine.http.get(SETTINGS, params=theirs, headers=account.headers)
    assert before.status_code == 200, before.text

    left = await engine.http.delete(
        f"/api/dashboard/me/clients/{attacker.client_id}", headers=account.headers
    )

    assert left.status_code == 204
    after = await engine.http.get(SETTINGS, params=theirs, headers=account.headers)
    assert (after.status_code, after.json()["code"]) == (403, "access_denied")
    own = await engine.http.get(SETTINGS, headers=account.headers)
    assert own.status_code == 200, own.text
    assert (await post(engine, path_of(invitation, "accept"), account)).status_code == 404


async def test_an_invitation_of_another_address_is_not_found(
    engine: LiveEngine, mail: MailServer, shop: Shop
) -> None:
    invitation = await invited(engine, shop, new_address(), Role.ADMIN)
    thief = await sign_up(engine, mail, brand="Voleur")

    for answer in ("accept", "decline"):
        refused = await post(engine, path_of(invitation, answer), thief)
        assert refused.status_code == 404
    async with browser(engine) as client:
        await sign_in_with(client, mail, thief.email, number=2, next_page="/app/sessions")
        token = csrf_in((await client.get("/app/sessions")).text)
        form = {"csrf": token, "invitation_id": invitation.id, "do": "accept"}
        assert (await client.post(PAGE, data=form)).status_code == 404
        form["csrf"] = "x"
        assert (await client.post(PAGE, data=form)).status_code == 403
    assert await role_in(engine, shop, thief.user_id) is None
    assert (await only_row(engine.database, invitations, id=invitation.id))["accepted_at"] is None


async def test_invitations_of_a_removed_admin_end(
    engine: LiveEngine, mail: MailServer, shop: Shop
) -> None:
    admin = await new_member(engine, shop, Role.ADMIN)
    email, resources = new_address(), engine.app.state.resources
    async with resources.work.of(shop.tenant) as work:
        made = await invite(work, Actor.person(admin, Role.ADMIN), email, Role.ADMIN, language="en")
    async with resources.work.spanning(shop.tenant) as work:
        await remove_member(work, owner_of(shop), admin)
    account = await sign_up(engine, mail, email, "Atelier Nord")

    assert (await post(engine, path_of(made, "accept"), account)).status_code == 404
    assert await role_in(engine, shop, account.user_id) is None


@pytest.mark.parametrize("left", [Role.AGENT, None])
async def test_an_invitation_counts_only_while_its_inviter_may_invite(
    engine: LiveEngine, mail: MailServer, shop: Shop, left: Role | None
) -> None:
    """An admin lost the role, and the invitation of a request that was under way stayed open."""
    admin = await new_member(engine, shop, Role.ADMIN)
    email, resources = new_address(), engine.app.state.resources
    async with resources.work.of(shop.tenant) as work:
        made = await invite(work, Actor.person(admin, Role.ADMIN), email, Role.ADMIN, language="en")
    async with engine.database.service() as connection:
        members = MemberRepository(connection)
        if left is None:
            await members.remove(shop.client_id, admin)
        else:
            await members.change_role(shop.client_id, admin, left)
    account = await sign_up(engine, mail, email, "Atelier Nord")

    assert (await post(engine, path_of(made, "accept"), account)).status_code == 404
    assert await role_in(engine, shop, account.user_id) is None


@pytest.mark.parametrize("by", ["route", "page"])
async def test_a_member_leaves(engine: LiveEngine, mail: MailServer, shop: Shop, by: str) -> None:
    account = await sign_up(engine, mail)
    invitation = await invited(engine, shop, account.email, Role.ADMIN)
    await mail_to(mail, account.email, number=2)
    await post(engine, path_of(invitation, "accept"), account)
    if by == "route":
        path = f"/api/dashboard/me/clients/{shop.client_id}"
        left = await engine.http.delete(path, headers=account.headers)
        assert left.status_code == 204
        again = await engine.http.delete(path, headers=account.headers)
        assert (again.status_code, again.json()["code"]) == (403, "access_denied")
    else:
        async with browser(engine) as client:
            await sign_in_with(client, mail, account.email, number=3)
            visitor = PageVisitor(client, account.user_id)
            done = await visitor.send("/app/me", "/app/me/leave")
            assert "You have left “Boutique”." in await visitor.follow(done)
    assert await role_in(engine, shop, account.user_id) is None
    log = await rows(engine.database, audit_entries, client_id=shop.client_id)
    assert "member left" in {one["what"] for one in log}


async def test_the_owner_cannot_leave(front: LiveEngine, shop: Shop, owner: dict[str, str]) -> None:
    answer = await front.http.delete(f"/api/dashboard/me/clients/{shop.client_id}", headers=owner)
    assert (answer.status_code, answer.json()["code"]) == (409, "owner_stays")
    async with at_pages(front, shop) as visitor:
        hidden = form_of(await visitor.see("/app/me"), "/app/me")
        fields = hidden | {"client_id": shop.client_id}
        refused = await visitor.http.post("/app/me/leave", data=fields)
        assert "The owner cannot be changed or removed" in await visitor.follow(refused)
    assert await role_in(front, shop, shop.owner_user_id) is Role.OWNER


async def test_an_owner_who_accepts_an_invitation_stays_the_owner(
    front: LiveEngine, shop: Shop, owner: dict[str, str]
) -> None:
    email = f"{shop.client_id.lower()}@example.com"
    made = await invited(front, shop, email, Role.VIEWER)

    answer = await front.http.post(path_of(made, "accept"), headers=owner)

    assert answer.json() == {"client_id": shop.client_id, "role": "owner"}
    assert await role_in(front, shop, shop.owner_user_id) is Role.OWNER
