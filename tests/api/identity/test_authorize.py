"""/authorize: who is asked, what the page shows, and the effect of the answer."""

import re
from html import unescape

import pytest

from adapters.system import new_ulid, utc_now
from domain.tenants.client import Role
from domain.tenants.scopes import EVERY_SCOPE
from store.core.database import Database
from store.tenants.members import MemberRepository
from store.tenants.tables import api_keys, clients
from tests.support.core.engine import LiveEngine
from tests.support.core.rows import rows
from tests.support.identity.consent import (
    APP,
    App,
    Browser,
    browser_of,
    consented,
    exchanged,
    form_of,
    links_away,
    register,
    sent_back,
)
from tests.support.identity.sign_in import SAME_ORIGIN
from tests.support.tenants.shop import Shop, open_shop

ISSUER = "http://127.0.0.1:8080"


@pytest.fixture
async def browser(front: LiveEngine, shop: Shop) -> Browser:
    return await browser_of(front, shop.owner_user_id)


async def member(front: LiveEngine, shop: Shop, role: Role, user_id: str | None = None) -> str:
    """Create a member. `user_id`: an existing user; otherwise a new one is created."""
    async with front.database.service() as connection:
        members = MemberRepository(connection)
        if user_id is None:
            user_id = new_ulid()
            await members.ensure_user(user_id, f"{user_id}@example.com", utc_now())
        await members.add(shop.client_id, user_id, role, utc_now())
    return user_id


async def test_whoever_is_not_signed_in_signs_in_first(front: LiveEngine) -> None:
    app = await register(front)
    answer = await Browser(front.http, None).open(app.url(scope="usage:read"))
    assert answer.status_code == 303
    where, _, back = answer.headers["location"].partition("?next=")
    assert where == "/app/sign-in"
    assert unescape(back).startswith("%2Fauthorize%3Fresponse_type%3Dcode")


@pytest.mark.parametrize(
    ("language", "words"), [("fr", "demande l’accès"), ("en-GB,fr;q=0.5", "wants to access")]
)
async def test_the_page(
    front: LiveEngine, browser: Browser, shop: Shop, language: str, words: str
) -> None:
    app = await register(front, client_name="<b>Claude</b>")
    page = await browser.open(app.url(), **{"accept-language": language})

    assert page.status_code == 200
    assert words in page.text
    assert "&lt;b&gt;Claude&lt;/b&gt;" in page.text
    assert "app.example" in page.text
    assert "Boutique" in page.text
    assert "<script" not in page.text
    for scope in EVERY_SCOPE:
        assert f'name="scope:{scope}">' in page.text
    policy = page.headers["content-security-policy"]
    assert "form-action 'self' https://app.example;" in f"{policy};"
    assert "frame-ancestors 'none'" in policy
    assert page.headers["x-frame-options"] == "DENY"
    assert page.headers["cache-control"] == "private, no-store"


async def test_consent_makes_a_key(front: LiveEngine, browser: Browser, shop: Shop) -> None:
    app = await register(front, client_name="Claude")
    page = await browser.open(app.url())
    answer = await browser.send(app.url(), form_of(page))

    told = sent_back(answer)
    assert answer.headers["location"].startswith(f"{APP}?")
    assert {*told} == {"code", "state", "iss"}
    assert (told["state"], told["iss"]) == (app.state, ISSUER)
    assert answer.headers["cache-control"] == "no-store"
    token = await exchanged(front, app.exchange(told["code"]))
    assert token.status_code == 200
    [key] = await rows(front.database, api_keys, oauth_client_id=app.client_id)
    assert (key["label"], key["scopes"], key["client_id"]) == ("Claude", None, shop.client_id)
    assert key["user_id"] == key["created_by"] == shop.owner_user_id


async def test_rights_that_are_taken_away_are_not_given(
    front: LiveEngine, browser: Browser
) -> None:
    app = await register(front)
    url = app.url(scope="usage:read content:read events:write")
    form = form_of(await browser.open(url))
    assert {name for name in form if name.startswith("scope:")} == {
        "scope:usage:read",
        "scope:content:read",
        "scope:events:write",
    }
    del form["scope:events:write"]
    code = sent_back(await browser.send(url, form))["code"]
    answer = await exchanged(front, app.exchange(code))
    assert answer.json()["scope"] == "content:read usage:read"
    [key] = await rows(front.database, api_keys, oauth_client_id=app.client_id)
    assert key["scopes"] == ["content:read", "usage:read"]


async def test_nothing_left_is_asked_again(front: LiveEngine, browser: Browser) -> None:
    app = await register(front)
    form = form_of(await browser.open(app.url()))
    bare = {name: value for name, value in form.items() if not name.startswith("scope:")}
    answer = await browser.send(app.url(), bare, **{"accept-language": "en"})
    assert answer.status_code == 400
    assert 'role="alert"' in answer.text
    assert "Tick at least one right, or refuse." in answer.text
    assert not re.search(r"<input[^>]* checked", answer.text)


async def test_a_refusal_is_told(front: LiveEngine, browser: Browser) -> None:
    app = await register(front)
    form = form_of(await browser.open(app.url()), decision="deny")
    told = sent_back(await browser.send(app.url(), form))
    assert told == {"error": "access_denied", "state": app.state, "iss": ISSUER}


async def test_of_several_clients_one_is_chosen(
    front: LiveEngine, database: Database, shop: Shop
) -> None:
    other, third = await open_shop(database, brand="Autre"), await open_shop(database, brand="Non")
    user = await member(front, shop, Role.ADMIN)
    await member(front, other, Role.ADMIN, user)
    await member(front, third, Role.AGENT, user)
    browser, app = await browser_of(front, user), await register(front)

    page = await browser.open(app.url())
    assert re.findall(r'<option value="(\w*)"', page.text) == [
        "",
        shop.client_id,
        other.client_id,
    ]
    assert "Autre (propri" in page.text
    code = await consented(browser, app, client_id=shop.client_id)
    assert (await exchanged(front, app.exchange(code))).status_code == 200
    [key] = await rows(front.database, api_keys, oauth_client_id=app.client_id)
    assert key["client_id"] == shop.client_id


@pytest.mark.parametrize("role", [Role.AGENT, Role.VIEWER])
async def test_whoever_makes_no_keys_connects_nothing(
    front: LiveEngine, shop: Shop, role: Role
) -> None:
    browser, app = await browser_of(front, await member(front, shop, role)), await register(front)
    page = await browser.open(app.url(), **{"accept-language": "en"})
    assert page.status_code == 403
    assert "Only an owner or an admin" in page.text
    assert "<form" not in page.text


async def test_a_user_without_a_client(front: LiveEngine, database: Database) -> None:
    shop = await open_shop(database)
    user = await member(front, shop, Role.ADMIN)
    async with database.service() as connection:
        await MemberRepository(connection).remove(shop.client_id, user)
    page = await (await browser_of(front, user)).open((await register(front)).url())
    assert page.status_code == 403
    assert "aucune boutique" in page.text


@pytest.mark.parametrize(
    ("change", "error"),
    [
        ({"client_id": "01J9ZQ4Z8N3V5X7B2C4D6E8F0G"}, "invalid_client"),
        ({"client_id": None}, "invalid_client"),
        ({"client_id": "https://127.0.0.1/client.json"}, "invalid_client"),
        ({"redirect_uri": None}, "invalid_redirect_uri"),
        ({"redirect_uri": "https://evil.example/callback"}, "invalid_redirect_uri"),
    ],
)
async def test_before_it_is_sure_who_asks_nobody_is_told(
    front: LiveEngine, browser: Browser, change: dict[str, str | None], error: str
) -> None:
    page = await browser.open((await register(front)).url(**change))
    assert page.status_code == 400
    assert f"{error}:" in page.text
    assert links_away(page) == []


WRONG = [
    ({"response_type": "token"}, "unsupported_response_type"),
    ({"response_type": None}, "invalid_request"),
    ({"code_challenge": None}, "invalid_request"),
    ({"code_challenge_method": "plain"}, "invalid_request"),
    ({"code_challenge_method": None}, "invalid_request"),
    ({"scope": "everything"}, "invalid_scope"),
    ({"resource": "https://evil.example/api/mcp"}, "invalid_target"),
]


@pytest.mark.parametrize(("change", "error"), WRONG)
async def test_a_program_on_this_machine_is_told_at_once(
    front: LiveEngine, browser: Browser, change: dict[str, str | None], error: str
) -> None:
    app = await register(front, "http://127.0.0.1:5000/callback")
    app.redirect_uri = "http://127.0.0.1:6000/callback"
    answer = await browser.open(app.url(**change))
    assert answer.headers["location"].startswith(f"{app.redirect_uri}?")
    told = sent_back(answer)
    assert (told["error"], told["state"], told["iss"]) == (error, app.state, ISSUER)


async def test_a_browser_that_has_just_signed_in_goes_to_the_program_by_a_link(
    front: LiveEngine, browser: Browser
) -> None:
    """The sign-in form must not lead to another site, including by redirect."""
    app = await register(front, "http://127.0.0.1:5000/callback")
    page = await browser.open(app.url(scope="all"), **SAME_ORIGIN)
    assert page.status_code == 400
    [link] = links_away(page)
    assert link.startswith(f"{app.redirect_uri}?error=invalid_scope&")


@pytest.mark.parametrize(("change", "error"), WRONG)
async def test_to_a_site_the_person_goes_by_a_link(
    front: LiveEngine, browser: Browser, change: dict[str, str | None], error: str
) -> None:
    app = await register(front)
    page = await browser.open(app.url(**change))
    assert page.status_code == 400
    [link] = links_away(page)
    assert link.startswith(f"{APP}?error={error}&error_description=")
    assert f"state={app.state}&iss=" in link


async def test_a_parameter_that_comes_twice(front: LiveEngine, browser: Browser) -> None:
    app = await register(front)
    page = await browser.open(f"{app.url()}&redirect_uri=https%3A%2F%2Fevil.example%2F")
    assert page.status_code == 400
    assert "invalid_request" in page.text
    assert links_away(page) == []


async def test_a_client_that_is_being_erased_is_no_choice(
    front: LiveEngine, database: Database, shop: Shop, browser: Browser
) -> None:
    async with database.service() as connection:
        await connection.execute(
            clients.update().where(clients.c.id == shop.client_id).values(closed_at=utc_now())
        )
    assert (await browser.open((await register(front)).url())).status_code == 403


async def test_the_page_holds_together_without_a_name(front: LiveEngine, browser: Browser) -> None:
    app = await register(front, client_name="\u200b")
    page = await browser.open(app.url(), **{"accept-language": "en"})
    assert "Unnamed app" in page.text
    code = await consented(browser, app)
    await exchanged(front, app.exchange(code))
    [key] = await rows(front.database, api_keys, oauth_client_id=app.client_id)
    assert key["label"] == "MCP: app.example"


async def test_an_app_that_is_not_ours_gets_no_page(front: LiveEngine, browser: Browser) -> None:
    assert (await browser.open(App("", "").url())).status_code == 400
