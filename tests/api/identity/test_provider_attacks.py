"""Attacks on sign-in through another identity provider, from outside and in the provider's
response."""

from urllib.parse import urlencode

import pytest

from tests.support.core.engine import LiveEngine
from tests.support.identity.oidc import (
    CALLBACK,
    FROM_PROVIDER,
    SHOP,
    START,
    come_back,
    is_in,
    new_sub,
    open_account,
    to_provider,
    verified,
)
from tests.support.identity.sign_in import browser, new_address
from tests.support.servers.openid_provider import OidcProvider


async def test_an_answer_to_another_browser(
    provided: LiveEngine, provider: OidcProvider, sub: str
) -> None:
    """Login CSRF: the attacker's response in another user's browser signs nobody in."""
    async with browser(provided) as thief, browser(provided) as victim:
        back = provider.answer_to(await to_provider(thief), sub)
        for begun in (False, True):
            if begun:
                await to_provider(victim)
            answer = await victim.get(CALLBACK, params=back, headers=FROM_PROVIDER)
            assert answer.status_code == 400
            assert not await is_in(victim)
        assert provider.asked_for("/token") == 0


@pytest.mark.parametrize(
    "change",
    [
        {"state": "another"},
        {"state": ""},
        {"code": ""},
        {"error": "access_denied"},
        {"iss": "https://login.example"},
    ],
)
async def test_an_answer_that_does_not_fit(
    provided: LiveEngine, provider: OidcProvider, sub: str, change: dict[str, str]
) -> None:
    async with browser(provided) as client:
        answer = await come_back(client, provider, sub, brings=change)

        assert (answer.status_code, "Start again" in answer.text) == (400, True)
        assert not await is_in(client)
        assert provider.asked_for("/token") == 0


async def test_a_provider_that_names_itself_always_does(
    provided: LiveEngine, provider: OidcProvider, sub: str
) -> None:
    """Mix-up (RFC 9207): one provider's response, presented as another's."""
    provider.extra = {"authorization_response_iss_parameter_supported": True}
    provided.app.state.resources.provider._known = None
    async with browser(provided) as client:
        assert (await come_back(client, provider, sub)).status_code == 400
        assert (
            await come_back(client, provider, sub, brings={"iss": provider.url})
        ).status_code == 303
        assert await is_in(client)


async def test_each_parameter_comes_once(
    provided: LiveEngine, provider: OidcProvider, sub: str
) -> None:
    async with browser(provided) as client:
        back = provider.answer_to(await to_provider(client), sub)
        for name in back:
            twice = f"{urlencode(back)}&{name}=another"
            assert (await client.get(f"{CALLBACK}?{twice}")).status_code == 400
    assert provider.asked_for("/token") == 0


async def test_an_answer_is_good_once(
    provided: LiveEngine, provider: OidcProvider, sub: str
) -> None:
    """In the same browser, and in one with a stolen cookie."""
    async with browser(provided) as client, browser(provided) as thief:
        back = provider.answer_to(await to_provider(client), sub)
        thief.cookies.update(client.cookies)
        assert (await client.get(CALLBACK, params=back)).status_code == 303
        assert (await client.get(CALLBACK, params=back)).status_code == 400
        assert provider.asked_for("/token") == 1

        assert (await thief.get(CALLBACK, params=back)).status_code == 400
        assert not await is_in(thief)


async def test_a_stolen_code_is_no_use_in_another_sign_in(
    provided: LiveEngine, provider: OidcProvider, sub: str
) -> None:
    """Prevented by PKCE, and by the nonce if the provider does not check the verifier."""
    async with browser(provided) as victim, browser(provided) as thief:
        stolen = provider.answer_to(await to_provider(victim), sub)["code"]
        own = provider.answer_to(await to_provider(thief), new_sub())
        answer = await thief.get(CALLBACK, params={**own, "code": stolen})
        assert answer.status_code == 400

        stolen = provider.answer_to(await to_provider(victim), sub)["code"]
        own = provider.answer_to(await to_provider(thief), new_sub())
        grants = provider._grants
        grants[stolen].asked["code_challenge"] = grants[own["code"]].asked["code_challenge"]
        answer = await thief.get(CALLBACK, params={**own, "code": stolen})
        assert answer.status_code == 502
        assert not await is_in(thief)


@pytest.mark.parametrize(
    "wanted", ["https://evil.example", "//evil.example", "/app/../x", "/\\evil", "javascript:x"]
)
async def test_nobody_is_sent_elsewhere_afterwards(
    provided: LiveEngine, provider: OidcProvider, sub: str, wanted: str
) -> None:
    async with browser(provided) as client:
        page = await client.get("/app/sign-in", params={"next": wanted})
        assert f'href="{START}?next=/app"' in page.text
        answer = await come_back(client, provider, sub, next_page=wanted)
        assert answer.headers["location"] == "/app"


async def test_a_planted_session_is_not_the_one_that_is_signed_in(
    provided: LiveEngine, provider: OidcProvider, sub: str
) -> None:
    """Session fixation: a session known to the attacker ends when the browser signs in."""
    async with browser(provided) as thief, browser(provided) as victim:
        await open_account(thief, provider, new_sub(), new_address())
        victim.cookies.update(thief.cookies)
        planted = thief.cookies["session"]
        assert (await come_back(victim, provider, sub)).status_code == 303

        assert victim.cookies["session"] != planted
        assert not await is_in(thief)
        assert await is_in(victim)


@pytest.mark.parametrize("site", ["cross-site", "same-site"])
async def test_another_sites_page_signs_nobody_in_or_out(
    provided: LiveEngine, provider: OidcProvider, site: str
) -> None:
    led = {"sec-fetch-site": site}
    async with browser(provided) as client:
        begun = await client.get(START, params={"next": "/app/sessions"}, headers=led)
        assert begun.headers["location"] == "/app/sign-in?next=%2Fapp%2Fsessions"
        assert "set-cookie" not in begun.headers
        out = await client.get("/app/signed-out", headers=led)
        assert out.headers["location"] == "/app/sign-in"

        await come_back(client, provider, new_sub(), verified(new_address()))
        opened = await client.post(SHOP, data={"brand_name": "Maison Lin"}, headers=led)
        assert opened.status_code == 403
        assert not await is_in(client)


async def test_steps_cannot_be_made_up_or_exchanged(
    provided: LiveEngine, provider: OidcProvider, sub: str
) -> None:
    sealer = provided.app.state.resources.sealer
    async with browser(provided) as client:
        back = provider.answer_to(await to_provider(client), sub)
        cookie = client.cookies["sign-in"]
        assert (await client.post(SHOP, data={"brand_name": "Maison Lin"})).status_code == 400
        for made_up in (cookie[:-8] + "AAAAAAAA", "", "x", sealer.seal("{}"), sealer.seal("no")):
            client.cookies.delete("sign-in")
            client.cookies.set("sign-in", made_up)
            assert (await client.get(CALLBACK, params=back)).status_code == 400
        assert provider.asked_for("/token") == 0
        client.cookies.delete("sign-in")

        await come_back(client, provider, new_sub(), verified(new_address()))
        assert (await client.get(CALLBACK, params=back)).status_code == 400
        assert not await is_in(client)


async def test_what_the_provider_says_when_it_is_not_well(
    provided: LiveEngine, provider: OidcProvider, sub: str
) -> None:
    async with browser(provided) as client:
        answer = await come_back(client, provider, sub, brings={"error": "temporarily_unavailable"})
    assert answer.status_code == 503
