"""Attacks on the OAuth flow that need several parties. Each was tried against the implementation.

Redirect attacks: tests/domain/identity/test_redirect_uri.py. SSRF: tests/adapters/identity.
"""

import dataclasses
from collections.abc import Iterator

import pytest

from adapters.identity.client_documents import HttpClientDocuments
from adapters.system import utc_now
from domain.identity.pkce import challenge_of
from domain.tenants.client import Role
from domain.tenants.scopes import EVERY_SCOPE
from store.core.database import Database
from store.identity.tables import oauth_codes
from store.tenants.tables import api_keys
from tests.api.identity.test_authorize import ISSUER, member
from tests.domain.identity.test_redirect_uri import REGISTERED, TRICKS
from tests.support.core.engine import LiveEngine
from tests.support.core.rows import rows
from tests.support.identity.consent import (
    APP,
    App,
    Browser,
    browser_of,
    consented,
    error_of,
    exchanged,
    form_of,
    key_for,
    links_away,
    register,
    sent_back,
    works,
)
from tests.support.servers.webhook_receiver import WebhookReceiver, webhook_receiver
from tests.support.tenants.shop import Shop, open_shop


@pytest.fixture
async def browser(front: LiveEngine, shop: Shop) -> Browser:
    return await browser_of(front, shop.owner_user_id)


@pytest.fixture
def site() -> Iterator[WebhookReceiver]:
    with webhook_receiver() as found:
        yield found


async def test_code_injection(front: LiveEngine, browser: Browser, database: Database) -> None:
    """A stolen code is injected into the attacker's session with the same client, which has another
    verifier."""
    app = await register(front)
    attackers = App(app.client_id)
    stolen = await consented(browser, app)
    assert error_of(await exchanged(front, attackers.exchange(stolen))) == "invalid_grant"


async def test_a_code_of_one_client_is_none_of_another(front: LiveEngine, browser: Browser) -> None:
    app, evil = await register(front), await register(front)
    code = await consented(browser, app)
    form = app.exchange(code, client_id=evil.client_id)
    assert error_of(await exchanged(front, form)) == "invalid_grant"
    assert (await exchanged(front, app.exchange(code))).status_code == 200


async def test_mix_up(front: LiveEngine, browser: Browser) -> None:
    """Every response names its issuer, so that a client with two servers can distinguish them."""
    app = await register(front, "http://127.0.0.1:1/cb")
    form = form_of(await browser.open(app.url()))
    answers = [
        await browser.send(app.url(), form),
        await browser.send(app.url(), form | {"decision": "deny"}),
        await browser.open(app.url(scope="nothing")),
    ]
    assert [sent_back(answer)["iss"] for answer in answers] == [ISSUER] * 3
    told = (await front.http.get("/.well-known/oauth-authorization-server")).json()
    assert told["issuer"] == ISSUER


async def test_redirect_tricks(front: LiveEngine, browser: Browser) -> None:
    app = await register(front, *REGISTERED)
    for uri in TRICKS:
        page = await browser.open(app.url(redirect_uri=uri))
        assert page.status_code == 400, uri
        assert "<form" not in page.text
        assert "location" not in page.headers
        assert uri not in page.text


@pytest.mark.parametrize(
    "change",
    [
        {"code_challenge": None, "code_challenge_method": None},
        {"code_challenge_method": None},
        {"code_challenge_method": "plain"},
        {"code_challenge_method": "s256"},
        {"code_challenge": "plain-text-that-a-client-would-send-as-it-is"},
        {"code_challenge": ""},
    ],
)
async def test_pkce_downgrade(
    front: LiveEngine, browser: Browser, change: dict[str, str | None]
) -> None:
    """Neither the page nor its form accepts a request without S256."""
    app = await register(front, "http://127.0.0.1:1/cb")
    form = form_of(await browser.open(app.url()))
    opened = await browser.open(app.url(**change))
    sent = await browser.send(app.url(**change), form)
    assert sent_back(opened)["error"] == "invalid_request"
    [link] = links_away(sent)
    assert link.startswith(f"{app.redirect_uri}?error=invalid_request&")


async def test_a_code_without_its_verifier(front: LiveEngine, browser: Browser) -> None:
    app = await register(front)
    form = app.exchange(await consented(browser, app))
    del form["code_verifier"]
    assert error_of(await exchanged(front, form)) == "invalid_request"
    seen_underway = form | {"code_verifier": challenge_of(app.verifier)}
    assert error_of(await exchanged(front, seen_underway)) == "invalid_grant"


async def test_replay(front: LiveEngine, browser: Browser, shop: Shop) -> None:
    """One of the two callers stole the code, and nobody knows which: its key is revoked."""
    app = await register(front)
    form = app.exchange(await consented(browser, app))
    key = (await exchanged(front, form)).json()["access_token"]
    assert await works(front, key, shop.client_id)

    assert error_of(await exchanged(front, form)) == "invalid_grant"

    assert not await works(front, key, shop.client_id)
    assert error_of(await exchanged(front, form)) == "invalid_grant"


async def test_a_replay_needs_no_verifier_and_harms_no_later_key(
    front: LiveEngine, browser: Browser, shop: Shop
) -> None:
    app, other, thief = await register(front), await register(front), App("thief")
    codes = [await consented(browser, app), await consented(browser, app)]
    first, second = [
        (await exchanged(front, app.exchange(code))).json()["access_token"] for code in codes
    ]
    others = await key_for(front, browser, other)
    assert not await works(front, first, shop.client_id), "replaced"

    assert error_of(await exchanged(front, thief.exchange(codes[0]))) == "invalid_grant"
    assert await works(front, second, shop.client_id)

    assert error_of(await exchanged(front, thief.exchange(codes[1]))) == "invalid_grant"
    assert not await works(front, second, shop.client_id)
    assert await works(front, others, shop.client_id)


async def test_wrong_resource(front: LiveEngine, browser: Browser) -> None:
    """A key for another server cannot be requested here, nor ours for another server."""
    app = await register(front, "http://127.0.0.1:1/cb")
    asked = await browser.open(app.url(resource="https://other.example/api/mcp"))
    assert sent_back(asked)["error"] == "invalid_target"
    wrong = {"resource": "https://other.example/api/mcp"}
    form = app.exchange(await consented(browser, app))
    assert error_of(await exchanged(front, form | wrong)) == "invalid_target"
    key = (await exchanged(front, form)).json()["access_token"]
    again = {"grant_type": "refresh_token", "refresh_token": key, "client_id": app.client_id}
    assert error_of(await exchanged(front, again | wrong)) == "invalid_target"


@pytest.mark.parametrize(
    ("headers", "change"),
    [
        ({"sec-fetch-site": "cross-site"}, {}),
        ({"sec-fetch-site": "same-site"}, {}),
        ({"sec-fetch-site": "none"}, {}),
        ({}, {"csrf": ""}),
        ({}, {"csrf": "A" * 43}),
    ],
)
async def test_csrf_on_consent(
    front: LiveEngine,
    browser: Browser,
    headers: dict[str, str],
    change: dict[str, str],
) -> None:
    """Another site submits the form for a signed-in user."""
    app = await register(front)
    form = form_of(await browser.open(app.url()))
    answer = await browser.send(app.url(), form | change, **headers)
    assert answer.status_code == 403
    assert "location" not in answer.headers
    assert await rows(front.database, oauth_codes, oauth_client_id=app.client_id) == []


async def test_the_token_of_another_session_is_no_proof(
    front: LiveEngine, browser: Browser, shop: Shop
) -> None:
    app, mine = await register(front), await browser_of(front, shop.owner_user_id)
    form = form_of(await browser.open(app.url()))
    assert (await mine.send(app.url(), form)).status_code == 403


async def test_scope_escalation(front: LiveEngine, browser: Browser, shop: Shop) -> None:
    """No form, exchange or refresh grants a scope that the page did not show."""
    app = await register(front)
    url = app.url(scope="content:read")
    form = form_of(await browser.open(url))
    more = {f"scope:{scope}": "on" for scope in EVERY_SCOPE} | {"scope:keys:write": "on"}
    code = sent_back(await browser.send(url, form | more))["code"]
    answer = await exchanged(front, app.exchange(code, scope=" ".join(EVERY_SCOPE)))
    assert answer.json()["scope"] == "content:read"
    key = answer.json()["access_token"]
    again = {"grant_type": "refresh_token", "refresh_token": key, "client_id": app.client_id}
    answer = await exchanged(front, again | {"scope": "usage:read"})
    assert answer.json()["scope"] == "content:read"
    refused = await front.http.get(
        "/api/billing/usage",
        params={"client_id": shop.client_id},
        headers={"authorization": f"Bearer {key}"},
    )
    assert (refused.status_code, refused.json()["code"]) == (403, "insufficient_scope")


@pytest.mark.parametrize("role", [None, Role.AGENT, Role.VIEWER])
async def test_another_tenants_session(
    front: LiveEngine, browser: Browser, database: Database, shop: Shop, role: Role | None
) -> None:
    """The form names a client that the user does not manage."""
    other = await open_shop(database)
    if role is not None:
        await member(front, other, role, shop.owner_user_id)
    app = await register(front)
    form = form_of(await browser.open(app.url()))
    for named in (other.client_id, other.client_id.lower()):
        answer = await browser.send(app.url(), form | {"client": named})
        assert answer.status_code == 403
    for named in ("", "all", "x"):
        answer = await browser.send(app.url(), form | {"client": named})
        assert answer.status_code == 400
    assert await rows(front.database, oauth_codes, oauth_client_id=app.client_id) == []


async def test_open_redirect(front: LiveEngine, browser: Browser) -> None:
    """Anyone can register a client with invalid requests: none of our URLs redirects to its
    site."""
    evil = await register(front, "https://evil.example/phish")
    wrong = evil.url(response_type="token")
    nobody = await Browser(front.http, None).open(wrong)
    assert nobody.headers["location"].startswith("/app/sign-in?")
    page = await browser.open(wrong)
    assert page.status_code == 400
    assert "location" not in page.headers
    assert 'http-equiv="refresh"' not in page.text


async def test_ssrf_by_metadata_document(
    front: LiveEngine, browser: Browser, site: WebhookReceiver
) -> None:
    """A client's id is an arbitrary URL; this one points to this machine."""
    page = await browser.open(App(site.url).url())
    assert page.status_code == 400
    nobody = await Browser(front.http, None).open(App(site.url).url())
    assert nobody.status_code == 303
    assert site.contacts == 0


async def test_a_document_that_may_be_fetched(
    front: LiveEngine, browser: Browser, site: WebhookReceiver, shop: Shop
) -> None:
    """If private addresses are allowed, as on a developer's machine: consent with a metadata
    document."""
    resources = front.app.state.resources
    documents = HttpClientDocuments(utc_now, allow_private=True, ca_file=site.ca_file)
    front.app.state.resources = dataclasses.replace(resources, client_documents=documents)
    site.answer(
        200,
        f'{{"client_id": "{site.url}", "client_name": "By document",'
        f' "redirect_uris": ["{APP}"]}}'.encode(),
    )
    app = App(site.url)

    page = await browser.open(app.url())
    assert site.url in page.text
    key = await key_for(front, browser, app)

    assert await works(front, key, shop.client_id)
    assert len(site.seen) == 1, "kept between page and form"
    [row] = await rows(front.database, api_keys, oauth_client_id=site.url)
    assert row["label"] == "By document"
