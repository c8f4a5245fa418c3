"""POST /api/mcp/token and its alias: a code is exchanged for a key, once."""

import asyncio
import dataclasses
import json
from datetime import timedelta

import httpx
import pytest
import sqlalchemy as sa

from adapters.system import new_ulid, utc_now
from domain.core.errors import EngineUnavailable
from domain.identity.grant import CODE_LASTS
from domain.intake.rate_limit import LimitScope, limits
from domain.tenants.api_key import MAX_ACTIVE
from domain.tenants.client import Role
from domain.tenants.scopes import EVERY_SCOPE
from store.tenants.accounts import AccountRepository
from store.tenants.tables import api_keys
from tests.api.identity.test_authorize import member
from tests.support.core.engine import LiveEngine, database_away
from tests.support.core.locks import until_waiting
from tests.support.core.rows import rows
from tests.support.core.units import units_on
from tests.support.identity.consent import (
    TOKEN,
    App,
    Browser,
    browser_of,
    consented,
    error_of,
    exchanged,
    key_for,
    register,
    works,
)
from tests.support.tenants.shop import Shop

RESOURCE = "http://127.0.0.1:8080/api/mcp"


@pytest.fixture
async def browser(front: LiveEngine, shop: Shop) -> Browser:
    return await browser_of(front, shop.owner_user_id)


@pytest.fixture
async def app(front: LiveEngine) -> App:
    return await register(front)


async def sent(
    front: LiveEngine, path: str, form: dict[str, str], *, as_json: bool
) -> httpx.Response:
    if as_json:
        return await front.http.post(path, json=form)
    return await front.http.post(path, data=form)


async def key_ids(front: LiveEngine, app: App, *, active: bool) -> list[str]:
    found = await rows(front.database, api_keys, oauth_client_id=app.client_id, is_active=active)
    return [row["id"] for row in found]


@pytest.mark.parametrize("path", [TOKEN, "/token"])
@pytest.mark.parametrize("as_json", [False, True])
async def test_a_code_becomes_a_key(
    front: LiveEngine, browser: Browser, app: App, shop: Shop, path: str, as_json: bool
) -> None:
    form = app.exchange(await consented(browser, app, resource=RESOURCE), resource=RESOURCE)
    answer = await sent(front, path, form, as_json=as_json)

    assert answer.status_code == 200
    key = answer.json()["access_token"]
    assert answer.json() == {
        "access_token": key,
        "token_type": "Bearer",
        "refresh_token": key,
        "scope": " ".join(EVERY_SCOPE),
    }
    assert key.startswith("mcp_")
    assert answer.headers["cache-control"] == "no-store"
    assert answer.headers["pragma"] == "no-cache"
    assert answer.headers["access-control-allow-origin"] == "*"
    assert await works(front, key, shop.client_id)


async def test_a_new_key_takes_the_place_of_the_one_before(
    front: LiveEngine, browser: Browser, app: App, shop: Shop
) -> None:
    before = await key_for(front, browser, app)
    other = await key_for(front, browser, await register(front))
    after = await key_for(front, browser, app)

    assert not await works(front, before, shop.client_id)
    assert await works(front, after, shop.client_id)
    assert await works(front, other, shop.client_id), "another client's"
    assert len(await key_ids(front, app, active=True)) == 1


async def test_another_users_key_of_the_same_client_stays(
    front: LiveEngine, browser: Browser, app: App, shop: Shop
) -> None:
    mine = await key_for(front, browser, app)
    admin = await browser_of(front, await member(front, shop, Role.ADMIN))
    await key_for(front, admin, app)
    assert await works(front, mine, shop.client_id)


async def test_of_several_at_once_one_key_is_left(
    front: LiveEngine, browser: Browser, app: App, shop: Shop
) -> None:
    """A connection has one key, however many codes are exchanged concurrently."""
    codes = [await consented(browser, app) for _ in range(4)]
    async with units_on(front.database).spanning(shop.tenant) as work:
        await AccountRepository(work.connection, shop.tenant).lock()
        exchanges = [asyncio.create_task(exchanged(front, app.exchange(code))) for code in codes]
        await until_waiting(front.database, len(codes))
    answers = await asyncio.gather(*exchanges)
    assert {answer.status_code for answer in answers} == {200}
    assert len(await key_ids(front, app, active=True)) == 1


async def test_what_may_not_be_missing(front: LiveEngine, browser: Browser, app: App) -> None:
    form = app.exchange(await consented(browser, app))
    fields = ("grant_type", "code", "redirect_uri", "code_verifier")
    for without in (
        *({**form, missing: ""} for missing in fields),
        *({k: v for k, v in form.items() if k != missing} for missing in fields),
    ):
        answer = await exchanged(front, without)
        assert (answer.status_code, error_of(answer)) == (400, "invalid_request")
        assert answer.headers["cache-control"] == "no-store"


async def test_whoever_does_not_say_who_it_is(
    front: LiveEngine, browser: Browser, app: App
) -> None:
    """Basic authentication is not accepted either: the specification allows no passwords there."""
    form = app.exchange(await consented(browser, app))
    del form["client_id"]
    answer = await front.http.post(TOKEN, data=form, auth=(app.client_id, ""))
    assert (answer.status_code, error_of(answer)) == (401, "invalid_client")
    assert "www-authenticate" in answer.headers


REFUSED = (
    ({"grant_type": "password"}, "unsupported_grant_type"),
    ({"grant_type": "client_credentials"}, "unsupported_grant_type"),
    ({"redirect_uri": "https://app.example/other"}, "invalid_request"),
    ({"code_verifier": "a" * 43}, "invalid_grant"),
    ({"code_verifier": "a" * 42}, "invalid_grant"),
    ({"code_verifier": "a" * 129}, "invalid_grant"),
    ({"code": "a" * 43}, "invalid_grant"),
    ({"code": "a"}, "invalid_grant"),
    ({"client_id": "another"}, "invalid_grant"),
    ({"resource": "https://evil.example/api/mcp"}, "invalid_target"),
)


async def test_refused_and_the_code_is_still_good(
    front: LiveEngine, browser: Browser, app: App
) -> None:
    form = app.exchange(await consented(browser, app))
    for change, error in REFUSED:
        answer = await exchanged(front, form | change)
        assert (answer.status_code, error_of(answer)) == (400, error), change
    assert (await exchanged(front, form)).status_code == 200


@pytest.mark.parametrize(
    ("content", "kind"),
    [
        (b"grant_type=refresh_token&grant_type=refresh_token", "application/x-www-form-urlencoded"),
        (b"grant_type=%ff", "application/x-www-form-urlencoded"),
        (b'{"grant_type": "refresh_token", "grant_type": "refresh_token"}', "application/json"),
        (b'{"grant_type": ["refresh_token"]}', "application/json"),
        (b"[]", "application/json"),
        (b"{", "application/json"),
        (b"grant_type=refresh_token", "text/plain"),
        (b"", "application/x-www-form-urlencoded"),
    ],
)
async def test_bodies_that_cannot_be_read(front: LiveEngine, content: bytes, kind: str) -> None:
    answer = await front.http.post(TOKEN, content=content, headers={"content-type": kind})
    assert (answer.status_code, error_of(answer)) == (400, "invalid_request")


async def test_a_code_does_not_last(front: LiveEngine, browser: Browser, app: App) -> None:
    form = app.exchange(await consented(browser, app))
    resources = front.app.state.resources
    work = type(resources.work)(
        resources.database,
        resources.engine,
        lambda: resources.now() + CODE_LASTS + timedelta(seconds=1),
        resources.new_id,
    )
    front.app.state.resources = dataclasses.replace(resources, work=work)
    assert error_of(await exchanged(front, form)) == "invalid_grant"
    assert await key_ids(front, app, active=True) == []


async def test_whoever_lost_the_role_meanwhile_gets_no_key(
    front: LiveEngine, shop: Shop, app: App
) -> None:
    user = await member(front, shop, Role.ADMIN)
    form = app.exchange(await consented(await browser_of(front, user), app))
    await member(front, shop, Role.AGENT, user)
    assert error_of(await exchanged(front, form)) == "invalid_grant"
    await member(front, shop, Role.ADMIN, user)
    assert error_of(await exchanged(front, form)) == "invalid_grant", "the code is used up"
    assert await key_ids(front, app, active=True) == []


async def test_an_account_with_as_many_keys_as_it_may_have(
    front: LiveEngine, browser: Browser, app: App, shop: Shop
) -> None:
    """The replaced key makes room for its successor."""
    await key_for(front, browser, app)
    spare = {"client_id": shop.client_id, "label": "x", "prefix": "ak_", "created_at": utc_now()}
    async with front.database.service() as connection:
        await connection.execute(
            sa.insert(api_keys),
            [
                {**spare, "id": new_ulid(), "digest": new_ulid().encode()}
                for _ in range(MAX_ACTIVE - 2)
            ],
        )
    await key_for(front, browser, app)
    other = await register(front)
    answer = await exchanged(front, other.exchange(await consented(browser, other)))
    assert error_of(answer) == "invalid_grant"
    assert "keys" in answer.json()["error_description"]


async def test_guesses_from_one_address_end(front: LiveEngine, app: App) -> None:
    quota = limits(dry_runs=1)[LimitScope.EXCHANGE].quota
    answers = [await exchanged(front, app.exchange("a" * 43)) for _ in range(quota + 1)]
    assert [answer.status_code for answer in answers] == [400] * quota + [429]
    assert error_of(answers[-1]) == "temporarily_unavailable"
    assert answers[-1].headers["cache-control"] == "no-store"


async def test_while_the_database_is_away(front: LiveEngine, app: App) -> None:
    resources = front.app.state.resources
    with database_away(resources.database):
        answer: httpx.Response = await exchanged(front, app.exchange("a" * 43))
    assert answer.status_code == 500
    assert answer.json()["code"] == EngineUnavailable.code
    assert answer.headers["cache-control"] == "no-store"


async def test_no_secret_is_told_apart_from_the_answer(
    front: LiveEngine,
    browser: Browser,
    app: App,
    caplog: pytest.LogCaptureFixture,
    capsys: pytest.CaptureFixture[str],
) -> None:
    code = await consented(browser, app)
    key = (await exchanged(front, app.exchange(code))).json()["access_token"]
    logged = capsys.readouterr().out + caplog.text
    assert "key created" in logged
    assert not [secret for secret in (code, key, app.verifier) if secret in logged]
    assert json.dumps(key) not in logged
