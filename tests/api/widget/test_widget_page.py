"""The pages of settings and of the widget."""

import re

import pytest

from domain.tenants.client import Role
from tests.support.core.engine import LiveEngine
from tests.support.dashboard.visitors import at_pages, form_of
from tests.support.tenants.shop import Shop

SETTINGS = "/app/settings"
WIDGET = "/app/widget"


async def test_settings_are_saved_and_refused(front: LiveEngine, shop: Shop) -> None:
    async with at_pages(front, shop) as owner:
        given = {"system_prompt": "Be <kind>.", "sensitive_words": "recall\n\n", "color": "#1A2b3c"}
        page = await owner.follow(await owner.send(SETTINGS, SETTINGS, given))
        assert "Saved." in page
        assert "Be &lt;kind&gt;." in page
        wrong = await owner.send(SETTINGS, SETTINGS, {**given, "color": "red"})
        assert "branding.color" in await owner.follow(wrong)


async def test_a_key_and_a_secret_that_is_shown_once(front: LiveEngine, shop: Shop) -> None:
    async with at_pages(front, shop) as owner:
        given = {"allowed_origins": "https://shop.example", "hourly_messages": "50"}
        assert "Saved." in await owner.follow(await owner.send(WIDGET, WIDGET, given))
        made = await owner.follow(await owner.send(WIDGET, f"{WIDGET}/key"))
        assert re.search(r"wk_[0-9a-f]{32}", made)
        form = form_of(await owner.see(WIDGET), f"{WIDGET}/secret")
        shown = await owner.http.post(f"{WIDGET}/secret", data=form)
        assert shown.status_code == 200
        assert "Your new secret" in shown.text
        again = await owner.follow(await owner.http.post(f"{WIDGET}/secret", data=form))
        assert "Already created." in again


@pytest.mark.parametrize("path", [SETTINGS, WIDGET])
async def test_a_viewer_reads(front: LiveEngine, shop: Shop, path: str) -> None:
    async with at_pages(front, shop, Role.VIEWER, language="fr") as viewer:
        assert "Enregistrer</button>" not in await viewer.see(path)
