"""The sign-in link of an embedded stack: it signs one user in, once."""

import secrets
from datetime import timedelta

import pytest

from adapters.system import utc_now
from domain.core.errors import InvalidInput
from domain.identity.sign_in_link import LASTS, LINK_PATH, TOKEN_BYTES
from domain.tenants.actor import Actor
from services.identity.sign_in_links import make_sign_in_link
from store.identity.people import address_of
from tests.support.core.engine import LiveEngine
from tests.support.core.forks import ROOT
from tests.support.identity.sign_in import browser, new_address
from tests.support.reviews.dashboard import set_clock
from tests.support.tenants.shop import Shop


async def _link(front: LiveEngine, email: str) -> str:
    async with front.app.state.resources.work.everywhere() as work:
        random = secrets.token_bytes(TOKEN_BYTES)
        token = await make_sign_in_link(work, Actor.system("demo"), email, random)
    return f"{LINK_PATH}/{token}"


async def _owners_address(front: LiveEngine, shop: Shop) -> str:
    async with front.database.reading_across() as connection:
        email = await address_of(connection, shop.owner_user_id)
    assert email is not None
    return email


async def test_it_signs_in_by_its_button_and_once(front: LiveEngine, shop: Shop) -> None:
    link = await _link(front, await _owners_address(front, shop))
    async with browser(front) as first, browser(front) as second:
        for _ in range(2):  # viewing the page does not use up the link
            assert "Open the demo" in (await first.get(link)).text
        entered = await first.post(link)
        assert (entered.status_code, entered.headers["location"]) == (303, "/app")
        assert (await first.get("/app")).status_code == 200

        for answer in (await second.post(link), await second.get(link)):
            assert answer.status_code == 410
        assert (await second.get("/app")).headers["location"].startswith("/app/sign-in")


async def test_another_sites_form_does_not_use_it(front: LiveEngine, shop: Shop) -> None:
    link = await _link(front, await _owners_address(front, shop))
    async with browser(front) as visitor:
        refused = await visitor.post(link, headers={"sec-fetch-site": "cross-site"})
        assert refused.status_code == 403
        assert (await visitor.get(link)).status_code == 200


async def test_it_ends(front: LiveEngine, shop: Shop, monkeypatch: pytest.MonkeyPatch) -> None:
    link = await _link(front, await _owners_address(front, shop))
    real = front.app.state.resources
    set_clock(front, utc_now() + LASTS + timedelta(seconds=1))
    try:
        async with browser(front) as late:
            assert (await late.get(link)).status_code == 410
    finally:
        front.app.state.resources = real


@pytest.mark.parametrize("token", ["x", "A" * 43])
async def test_a_link_that_nobody_made(front: LiveEngine, token: str) -> None:
    async with browser(front) as stranger:
        assert (await stranger.get(f"{LINK_PATH}/{token}")).status_code in (404, 410)


async def test_there_is_none_for_nobody(front: LiveEngine) -> None:
    with pytest.raises(InvalidInput):
        await _link(front, new_address())


def test_only_the_demo_makes_links() -> None:
    callers = [
        str(file.relative_to(ROOT))
        for room in ("api", "commands", "workers", "activities", "services", "embedded", "demo")
        for file in (ROOT / room).rglob("*.py")
        if "make_sign_in_link" in file.read_text()
    ]

    assert sorted(callers) == ["demo/back_office.py", "services/identity/sign_in_links.py"]
