"""Refresh and revocation of an OAuth client's key."""

import asyncio

import pytest

from domain.tenants.actor import Actor
from domain.tenants.client import Role
from services.tenants.members import change_role
from store.tenants.tables import api_keys
from tests.api.identity.test_authorize import member
from tests.api.identity.test_mcp_token import RESOURCE, sent
from tests.support.core.engine import LiveEngine
from tests.support.core.locks import until_waiting
from tests.support.core.rows import rows
from tests.support.core.units import units_on
from tests.support.identity.consent import (
    REVOKE,
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


@pytest.fixture
async def browser(front: LiveEngine, shop: Shop) -> Browser:
    return await browser_of(front, shop.owner_user_id)


@pytest.fixture
async def app(front: LiveEngine) -> App:
    return await register(front)


def refresh(app: App, key: str, **change: str) -> dict[str, str]:
    return {
        "grant_type": "refresh_token",
        "refresh_token": key,
        "client_id": app.client_id,
        **change,
    }


@pytest.mark.parametrize("as_json", [False, True])
async def test_a_refresh_gives_the_same_key(
    front: LiveEngine, browser: Browser, app: App, as_json: bool
) -> None:
    key = await key_for(front, browser, app, scope="usage:read")
    form = refresh(app, key, resource=RESOURCE)
    answer = await sent(front, TOKEN, form, as_json=as_json)
    assert answer.json() == {
        "access_token": key,
        "token_type": "Bearer",
        "refresh_token": key,
        "scope": "usage:read",
    }


async def test_what_is_refreshed_must_be_the_clients_own(
    front: LiveEngine, browser: Browser, app: App, shop: Shop
) -> None:
    key, other = await key_for(front, browser, app), await register(front)
    for form in (
        refresh(other, key),
        refresh(app, "mcp_" + "0" * 32),
        refresh(app, "garbage"),
        refresh(app, shop.key),
    ):
        answer = await exchanged(front, form)
        assert (answer.status_code, error_of(answer)) == (400, "invalid_grant")


async def test_a_revoked_key_is_not_refreshed(
    front: LiveEngine, browser: Browser, app: App, shop: Shop
) -> None:
    key = await key_for(front, browser, app)
    answer = await front.http.post(REVOKE, data={"token": key, "client_id": app.client_id})
    assert (answer.status_code, answer.json()) == (200, {})
    assert not await works(front, key, shop.client_id)
    assert error_of(await exchanged(front, refresh(app, key))) == "invalid_grant"
    again = await key_for(front, browser, app)
    assert await works(front, again, shop.client_id)


async def test_a_role_that_is_lost_while_a_key_is_made(front: LiveEngine, shop: Shop) -> None:
    """The exchange waits for the change, and then uses the new role."""
    user, app = await member(front, shop, Role.ADMIN), await register(front)
    form = app.exchange(await consented(await browser_of(front, user), app))
    operator = Actor.operator("cli")

    async with units_on(front.database).spanning(shop.tenant) as work:
        await change_role(work, operator, user, Role.AGENT)
        answer = asyncio.create_task(exchanged(front, form))
        await until_waiting(front.database)
    assert error_of(await answer) == "invalid_grant"
    assert await rows(front.database, api_keys, oauth_client_id=app.client_id) == []


async def test_what_is_not_revoked(
    front: LiveEngine, browser: Browser, app: App, shop: Shop
) -> None:
    """An OAuth client cannot revoke a user's own key or another client's key."""
    key = await key_for(front, browser, app)
    for form in (
        {"token": key, "client_id": "another"},
        {"token": shop.key},
        {"token": "nothing", "token_type_hint": "refresh_token"},
    ):
        assert (await front.http.post(REVOKE, data=form)).status_code == 200
    assert error_of(await front.http.post(REVOKE, data={"client_id": "x"})) == "invalid_request"
    assert await works(front, key, shop.client_id)
    assert await works(front, shop.key, shop.client_id)
