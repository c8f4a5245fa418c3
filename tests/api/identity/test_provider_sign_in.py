"""Sign-in through another identity provider: who can sign in, and as whom."""

import asyncio
from dataclasses import replace

import httpx
import pytest

from adapters.system import new_ulid
from domain.tenants.client import Role
from store.identity.people import clients_of, user_of
from store.tenants.members import MemberRepository
from tests.support.core.engine import LiveEngine
from tests.support.dashboard.visitors import PageVisitor
from tests.support.identity.invitations import invited, role_in
from tests.support.identity.oidc import (
    CALLBACK,
    SHOP,
    START,
    come_back,
    is_in,
    new_sub,
    open_account,
    verified,
)
from tests.support.identity.sign_in import browser, csrf_in, new_address
from tests.support.servers.openid_provider import ACCESS_TOKEN, OidcProvider
from tests.support.tenants.shop import Shop


async def test_somebody_new_names_a_shop_and_comes_back(
    provided: LiveEngine, provider: OidcProvider
) -> None:
    sub, email = new_sub(), new_address()
    async with browser(provided) as client:
        page = await client.get("/app/sign-in?next=/app/sessions")
        assert f'href="{START}?next=/app/sessions"' in page.text

        answer = await come_back(client, provider, sub, verified(email))
        assert answer.headers["location"] == SHOP
        assert not await is_in(client)
        assert email in (await client.get(SHOP)).text
        refused = await client.post(SHOP, data={"brand_name": " "})
        assert refused.status_code == 400
        done = await client.post(SHOP, data={"brand_name": "Maison Lin"})

        assert (done.status_code, done.headers["location"]) == (303, "/app")
        home = (await client.get("/app/me")).text
        assert email in home
        assert "Maison Lin" in home
    async with browser(provided) as other:
        again = await come_back(other, provider, sub, next_page="/app/sessions")
        assert (again.status_code, again.headers["location"]) == (303, "/app/sessions")
        assert await is_in(other)
    async with provided.app.state.resources.database.reading_across() as connection:
        (own,) = await clients_of(connection, sub)
    assert own.role is Role.OWNER


async def test_an_invited_person_signs_in_and_accepts(
    provided: LiveEngine, provider: OidcProvider, shop: Shop
) -> None:
    sub, email = new_sub(), new_address()
    await invited(provided, shop, email)
    async with browser(provided) as client:
        answer = await come_back(client, provider, sub, verified(email.upper()))

        assert answer.headers["location"] == "/app/invitations"
        assert await role_in(provided, shop, sub) is None
        visitor = PageVisitor(client, sub)
        page = await visitor.see("/app/invitations")
        assert "Boutique" in page
        await visitor.send("/app/invitations", "/app/invitations", {"do": "accept"})
    assert await role_in(provided, shop, sub) is Role.AGENT


async def test_an_invited_person_may_open_a_client_of_their_own_instead(
    provided: LiveEngine, provider: OidcProvider, shop: Shop
) -> None:
    sub, email = new_sub(), new_address()
    await invited(provided, shop, email)
    async with browser(provided) as client:
        await come_back(client, provider, sub, verified(email))
        visitor = PageVisitor(client, sub)
        form = "/app/no-client"
        refused = await visitor.send(form, form, {"brand_name": " "})
        assert refused.status_code == 400
        done = await visitor.send(form, form, {"brand_name": "Atelier Nord"})
        assert "Atelier Nord" in await visitor.follow(done)
    async with provided.app.state.resources.database.reading_across() as connection:
        (own,) = await clients_of(connection, sub)
    assert (own.brand_name, own.role) == ("Atelier Nord", Role.OWNER)


async def test_an_address_that_moves_at_the_provider_moves_here(
    provided: LiveEngine, provider: OidcProvider, shop: Shop
) -> None:
    sub, later = new_sub(), new_address()
    async with browser(provided) as client:
        await open_account(client, provider, sub, new_address())
    await invited(provided, shop, later)
    async with browser(provided) as client:
        answer = await come_back(client, provider, sub, verified(later))
        assert answer.headers["location"] == "/app/invitations"
    async with provided.app.state.resources.database.reading_across() as connection:
        assert await user_of(connection, later) == sub


@pytest.mark.parametrize("said", [False, "true", None])
async def test_an_address_that_is_not_verified_is_nobodys(
    provided: LiveEngine, provider: OidcProvider, shop: Shop, said: object
) -> None:
    sub, email = new_sub(), new_address()
    await invited(provided, shop, email)
    async with browser(provided) as client:
        claims = {"email": email, "email_verified": said}
        answer = await come_back(client, provider, sub, claims)

        assert answer.status_code == 403
        assert "has not verified your email address" in answer.text
        assert not await is_in(client)
    async with provided.app.state.resources.database.reading_across() as connection:
        assert await MemberRepository(connection).role(sub, shop.client_id) is None


@pytest.mark.parametrize("is_verified", [True, False])
async def test_another_users_address_makes_nobody_that_user(
    provided: LiveEngine, provider: OidcProvider, is_verified: bool
) -> None:
    owner, thief, email = new_sub(), new_sub(), new_address()
    async with browser(provided) as client:
        await open_account(client, provider, owner, email)
    async with browser(provided) as client:
        claims = {"email": email, "email_verified": is_verified}
        answer = await come_back(client, provider, thief, claims)

        assert answer.status_code == (409 if is_verified else 403)
        assert not await is_in(client)
    async with provided.app.state.resources.database.reading_across() as connection:
        assert await user_of(connection, email) == owner


async def test_a_user_takes_no_invitation_of_another_users_address(
    provided: LiveEngine, provider: OidcProvider, shop: Shop
) -> None:
    one, other, email = new_sub(), new_sub(), new_address()
    for sub, address in ((one, email), (other, new_address())):
        async with browser(provided) as client:
            await open_account(client, provider, sub, address)
    await invited(provided, shop, email)
    async with browser(provided) as client:
        answer = await come_back(client, provider, other, verified(email))
        assert answer.headers["location"] == "/app"
    async with provided.app.state.resources.database.reading_across() as connection:
        assert await MemberRepository(connection).role(other, shop.client_id) is None


async def test_the_address_may_come_from_the_users_own_page(
    provided: LiveEngine, provider: OidcProvider
) -> None:
    sub, email = new_sub(), new_address()
    provider.user_info = {"sub": sub, **verified(email)}
    async with browser(provided) as client:
        answer = await come_back(client, provider, sub)
        assert answer.headers["location"] == SHOP
        assert email in (await client.get(SHOP)).text
    (asked,) = (one for one in provider.seen if one.path == "/userinfo")
    assert asked.authorization == f"Bearer {ACCESS_TOKEN}"

    provider.user_info = {"sub": "somebody else", **verified(email)}
    async with browser(provided) as client:
        assert (await come_back(client, provider, sub)).status_code == 502


async def test_an_opened_account_is_not_entered_by_the_page_that_opened_it(
    provided: LiveEngine, provider: OidcProvider
) -> None:
    """The cookie of the page that asks for a shop's name, kept by an attacker."""
    sub = new_sub()
    async with browser(provided) as client, browser(provided) as thief:
        await come_back(client, provider, sub, verified(new_address()))
        thief.cookies.update(client.cookies)
        await client.post(SHOP, data={"brand_name": "Maison Lin"})

        answer = await thief.post(SHOP, data={"brand_name": "Maison Lin"})

        assert answer.headers["location"] == "/app/sign-in?next=%2Fapp"
        assert not await is_in(thief)


async def test_no_more_accounts_in_an_hour_than_may_be(
    provided: LiveEngine, provider: OidcProvider
) -> None:
    resources = provided.app.state.resources
    limits = resources.settings.limits.model_copy(update={"accounts_an_hour": 0})
    settings = resources.settings.model_copy(update={"limits": limits})
    provided.app.state.resources = replace(resources, settings=settings)
    sub = new_sub()
    async with browser(provided) as client:
        await come_back(client, provider, sub, verified(new_address()))
        answer = await client.post(SHOP, data={"brand_name": "Maison Lin"})

        assert (answer.status_code, answer.headers["retry-after"]) == (429, "3600")
        assert not await is_in(client)


async def test_signing_out_goes_on_at_the_provider(
    provided: LiveEngine, provider: OidcProvider
) -> None:
    provider.extra = {"end_session_endpoint": f"{provider.url}/leave?theme=dark"}
    async with browser(provided) as client:
        await open_account(client, provider, new_sub(), new_address())
        csrf = csrf_in((await client.get("/app/me")).text)
        out = await client.post("/app/sign-out", data={"csrf": csrf})
        assert (out.status_code, out.headers["location"]) == (303, "/app/signed-out")
        assert not await is_in(client)

        page = (await client.get("/app/signed-out")).text

        to = (
            f"{provider.url}/leave?theme=dark&amp;client_id=the-service"
            "&amp;post_logout_redirect_uri=http%3A%2F%2F127.0.0.1%2Fapp%2Fsign-in"
        )
        assert f'content="0; url={to}"' in page
        assert f'href="{to}"' in page


async def test_signing_out_where_the_provider_has_no_page_for_it(provided: LiveEngine) -> None:
    async with browser(provided) as client:
        page = await client.get("/app/signed-out")
    assert (page.status_code, "refresh" in page.text) == (200, False)


async def test_codes_and_our_own_tokens_are_off(provided: LiveEngine) -> None:
    bodies = {
        "signup": {"email": "a@shop.example"},
        "verify": {"email": "a@shop.example", "code": "123456"},
        "refresh": {"refresh_token": "rs_x"},
    }
    for name, body in bodies.items():
        answer = await provided.http.post(f"/api/auth/{name}", json=body)
        assert answer.status_code == 404, name
    assert (await provided.http.get("/.well-known/jwks.json")).status_code == 404
    async with browser(provided) as client:
        assert (await client.get("/app/verify")).status_code == 404
        assert (await client.post("/app/sign-in", data={"email": "a@b.example"})).status_code == 404


async def test_without_a_provider_its_pages_are_not_there(front: LiveEngine) -> None:
    async with browser(front) as client:
        for path in (START, CALLBACK, SHOP, "/app/signed-out"):
            assert (await client.get(path)).status_code == 404, path


async def test_cookies_over_tls(provided: LiveEngine) -> None:
    async with browser(provided, base_url="https://service.example") as client:
        answer: httpx.Response = await client.get(START)
    cookie = answer.headers["set-cookie"]
    assert cookie.startswith("__Host-sign-in=")
    assert {"HttpOnly", "Secure", "SameSite=lax", "Path=/"} <= {*cookie.split("; ")}
    assert new_ulid() not in cookie


async def test_one_account_is_opened_by_who_asks_twice_at_once(
    provided: LiveEngine, provider: OidcProvider
) -> None:
    sub = new_sub()
    async with browser(provided) as client, browser(provided) as again:
        await come_back(client, provider, sub, verified(new_address()))
        again.cookies.update(client.cookies)
        form = {"brand_name": "Maison Lin"}
        answers = await asyncio.gather(*(one.post(SHOP, data=form) for one in (client, again)))
    assert {answer.status_code for answer in answers} == {303}
    async with provided.app.state.resources.database.reading_across() as connection:
        assert len(await clients_of(connection, sub)) == 1


async def test_two_people_with_one_address_at_once(
    provided: LiveEngine, provider: OidcProvider
) -> None:
    """The provider is wrong. One user has the address, and the other gets no access to their
    data."""
    subs, email = (new_sub(), new_sub()), new_address()
    async with browser(provided) as one, browser(provided) as other:
        for client, sub in zip((one, other), subs, strict=True):
            await come_back(client, provider, sub, verified(email))
        form = {"brand_name": "Maison Lin"}
        answers = await asyncio.gather(*(client.post(SHOP, data=form) for client in (one, other)))
        assert sorted(answer.status_code for answer in answers) == [303, 409]
        assert [await is_in(client) for client in (one, other)] == [
            answer.status_code == 303 for answer in answers
        ]
    async with provided.app.state.resources.database.reading_across() as connection:
        assert sorted([len(await clients_of(connection, sub)) for sub in subs]) == [0, 1]
