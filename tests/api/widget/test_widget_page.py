"""The pages of the settings and the widget."""

import html
import json
import re

import pytest

from domain.tenants.client import Role
from domain.tenants.disclosure import DEFAULT_DISCLOSURE, DisclosureStatus
from domain.tenants.guidance import Guidance
from store.tenants.client_settings import SettingsRepository
from tests.support.core.engine import LiveEngine
from tests.support.dashboard.visitors import at_pages, form_of
from tests.support.tenants.shop import Shop

SETTINGS = "/app/settings"
WIDGET = "/app/widget"


async def test_settings_are_saved_and_refused(front: LiveEngine, shop: Shop) -> None:
    async with at_pages(front, shop) as owner:
        for section, given, shown in (
            ("/replies", {"system_prompt": "Be <kind>."}, "Be &lt;kind&gt;."),
            ("/safety", {"sensitive_words": "recall\n\n", "holds_loosening": "on"}, "recall</text"),
            ("", {"color": "#1A2b3c"}, "#1a2b3c"),
        ):
            path = f"{SETTINGS}{section}"
            page = await owner.follow(await owner.send(path, path, given))
            assert "Saved." in page
            assert shown in page
        wrong = await owner.send(SETTINGS, SETTINGS, {"color": "red"})
        assert "Brand colour" in await owner.follow(wrong)
        # A section leaves the other sections unchanged.
        assert "Be &lt;kind&gt;." in await owner.see(f"{SETTINGS}/replies")
        assert "recall" in await owner.see(f"{SETTINGS}/safety")


async def test_guidance_is_written_one_rule_a_line(front: LiveEngine, shop: Shop) -> None:
    path = f"{SETTINGS}/replies"
    given = {
        "guidance_tone": "Warm <b>.",
        "guidance_do": "Say hello.\r\n\r\n Name the product. ",
        "guidance_dont": "\n".join(f"No {n}." for n in range(11)),
    }
    async with at_pages(front, shop) as owner:
        refused = await owner.follow(await owner.send(path, path, given))
        assert "Don’t: </strong>at most 10 rules" in refused
        assert "No 10." in refused
        page = await owner.follow(await owner.send(path, path, {**given, "guidance_dont": ""}))
        assert "Saved." in page
        assert 'value="Warm &lt;b&gt;."' in page
        assert "Say hello.\nName the product.</textarea>" in page
    async with front.database.reading(shop.tenant) as connection:
        found = await SettingsRepository(connection, shop.tenant).read()
    assert found.guidance == Guidance(tone="Warm <b>.", do=("Say hello.", "Name the product."))


async def test_a_key_and_a_secret_that_is_shown_once(front: LiveEngine, shop: Shop) -> None:
    async with at_pages(front, shop) as owner:
        given = {"allowed_origins": "https://shop.example", "hourly_messages": "50"}
        assert "Saved." in await owner.follow(await owner.send(WIDGET, WIDGET, given))
        made = await owner.follow(await owner.send(WIDGET, f"{WIDGET}/key"))
        assert re.search(r"wk_[0-9a-f]{32}", made)
        form = form_of(await owner.see(WIDGET), f"{WIDGET}/secret")
        shown = await owner.http.post(f"{WIDGET}/secret", data=form)
        assert shown.status_code == 200
        assert "Your signing secret" in shown.text
        again = await owner.follow(await owner.http.post(f"{WIDGET}/secret", data=form))
        assert "Already created." in again


async def test_the_disclosure_is_worded_and_switched_off_for_a_reason(
    front: LiveEngine, shop: Shop
) -> None:
    async with at_pages(front, shop) as owner:
        given = {"disclosure_en": "Léa, our AI, answers.", "disclosure_status": "people_review"}
        path = f"{SETTINGS}/disclosure"
        page = await owner.follow(await owner.send(path, path, given))
        assert "Léa, our AI, answers." in page
        assert '<option value="people_review" selected>' in page
        hidden = await owner.send(path, path, {**given, "disclosure_en": "Léa answers."})
        assert "Say that an AI assistant answers" in await owner.follow(hidden)
        unknown = {**given, "disclosure_status": "because"}
        assert (await owner.send(path, path, unknown)).status_code == 303
    async with front.database.reading(shop.tenant) as connection:
        found = await SettingsRepository(connection, shop.tenant).read()
    assert found.disclosure == {"en": "Léa, our AI, answers."}
    assert found.disclosure_status is DisclosureStatus.PEOPLE_REVIEW


async def test_the_preview_is_the_widget_dressed_as_on_the_site(
    front: LiveEngine, shop: Shop
) -> None:
    async with at_pages(front, shop) as owner:
        looks = {"display_name": 'Été "&" <Fils>', "color": "#0b5d4e"}
        logo = {"logo_url": "https://cdn.example/logo.svg"}
        await owner.follow(await owner.send(SETTINGS, SETTINGS, {**looks, **logo}))
        page = await owner.see(WIDGET)
    found = re.search(r'src="/widget.js" data-language="en" data-preview="([^"]*)"', page)
    assert found is not None
    preview = json.loads(html.unescape(found.group(1)))
    assert (preview["display_name"], preview["color"]) == (looks["display_name"], "#0b5d4e")
    assert preview["disclosure"] == DEFAULT_DISCLOSURE
    assert [author for author, _ in preview["messages"]] == ["customer", "agent", "human"]
    assert "cdn.example" not in page, "pages load nothing from other hosts"


@pytest.mark.parametrize("path", [SETTINGS, WIDGET])
async def test_a_viewer_reads(front: LiveEngine, shop: Shop, path: str) -> None:
    async with at_pages(front, shop, Role.VIEWER, language="fr") as viewer:
        assert "Enregistrer</button>" not in await viewer.see(path)
