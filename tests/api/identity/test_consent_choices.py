"""/authorize: nothing is granted that the user has not selected."""

import re
from html import unescape

import pytest

from domain.tenants.client import Role
from store.core.database import Database
from store.identity.tables import oauth_codes
from tests.api.identity.test_authorize import member
from tests.support.core.engine import LiveEngine
from tests.support.core.rows import rows
from tests.support.identity.consent import Browser, browser_of, form_of, register
from tests.support.tenants.shop import Shop, open_shop


@pytest.fixture
async def browser(front: LiveEngine, shop: Shop) -> Browser:
    return await browser_of(front, shop.owner_user_id)


async def test_a_person_who_only_clicks_allow_grants_nothing(
    front: LiveEngine, browser: Browser
) -> None:
    """Attack: an application requests everything and relies on one quick click."""
    app = await register(front)
    form = form_of(await browser.open(app.url()), untouched=True)
    answer = await browser.send(app.url(), form)
    assert answer.status_code == 400
    assert not await rows(front.database, oauth_codes, oauth_client_id=app.client_id)


@pytest.mark.parametrize(
    ("language", "warning"),
    [("fr", "Une copie ne se reprend pas."), ("en", "You cannot take a copy back.")],
)
async def test_the_export_stands_apart_with_its_own_warning(
    front: LiveEngine, browser: Browser, language: str, warning: str
) -> None:
    app = await register(front)
    page = await browser.open(app.url(), **{"accept-language": language})
    others, apart = re.findall(r"<fieldset>.*?</fieldset>", page.text, re.DOTALL)
    assert "export:read" not in others
    assert re.findall(r'name="scope:([^"]+)"', apart) == ["export:read"]
    assert warning in unescape(apart)
    without = await browser.open(app.url(scope="usage:read"), **{"accept-language": language})
    assert warning not in unescape(without.text)


async def test_what_was_ticked_stays_ticked_when_the_client_is_missing(
    front: LiveEngine, database: Database, shop: Shop
) -> None:
    other = await open_shop(database, brand="Autre")
    user = await member(front, shop, Role.ADMIN)
    await member(front, other, Role.ADMIN, user)
    browser, app = await browser_of(front, user), await register(front)
    form = form_of(await browser.open(app.url())) | {"client": ""}
    answer = await browser.send(app.url(), form, **{"accept-language": "en"})
    assert answer.status_code == 400
    assert "Choose the shop that the app acts for." in answer.text
    assert 'name="scope:usage:read" checked' in answer.text
