"""The script, the real service and a real browser, each of which disconnects and reconnects."""

from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager
from pathlib import Path
from typing import Any

import httpx
import pytest
from playwright.async_api import Browser, BrowserContext, expect

from adapters.system import utc_now
from domain.reviews.escalation import Decision
from domain.tenants.client_settings import Branding, SettingsChange
from embedded.ports import free_port
from store.reviews.tables import escalation_tickets
from store.tenants.client_settings import SettingsRepository
from tests.support.core.engine import LiveEngine
from tests.support.core.processes import process
from tests.support.core.rows import only_row
from tests.support.core.serving import serves
from tests.support.core.waiting import eventually
from tests.support.identity.sign_in import code_in, mail_to, new_address
from tests.support.servers.mail import MailServer
from tests.support.tenants.shop import ORDER_QUESTION, UNSURE_MESSAGE, Shop, open_shop
from tests.support.widget.page import with_widget
from tests.support.widget.pages import Site, Visitor, listening, visit

pytestmark = pytest.mark.slow

ORDER_ANSWER = "Bonjour, votre commande 1042 est en route."


class Service:
    """The API as a process that can be stopped and restarted at the same address."""

    def __init__(self, engine: LiveEngine, folder: Path) -> None:
        self._engine = engine
        self._folder = folder
        self._port = free_port()
        self.url = f"http://127.0.0.1:{self._port}"

    @asynccontextmanager
    async def running(self) -> AsyncIterator[None]:
        serve = ("cli.py", "serve", "--port", str(self._port))
        with process("api", *serve, settings=self._engine.settings, folder=self._folder):
            async with httpx.AsyncClient(base_url=self.url, timeout=5) as http:
                await eventually(lambda: serves(http))
            yield


@asynccontextmanager
async def site_of(engine: LiveEngine, shop: Shop, service: Service) -> AsyncIterator[Site]:
    """Return a shop's pages in French, from which its widget key may be used."""
    site = Site(service.url, language="fr")
    async with listening(site.app) as url:
        site.url = url
        key = await with_widget(engine.database, shop, allowed_origins=(url,))
        async with engine.database.tenant(shop.tenant) as connection:
            branding = Branding(display_name=f"Chez {shop.client_id[-4:]}")
            await SettingsRepository(connection, shop.tenant).change(
                SettingsChange(branding=branding), utc_now()
            )
        site.tags = ({"data-key": key},)
        yield site


async def _in_french(browser: Browser, state: Any = None) -> BrowserContext:
    return await browser.new_context(locale="fr-FR", storage_state=state)


async def _confirm_address(visitor: Visitor, mail: MailServer) -> str:
    email = new_address()
    await visitor.page.get_by_label("Votre adresse e-mail").fill(email)
    await visitor.page.get_by_role("button", name="Recevoir un code").click()
    code = visitor.page.get_by_label("Le code")
    await code.fill(code_in(await mail_to(mail, email)))
    await visitor.page.get_by_role("button", name="Confirmer").click()
    return email


async def test_a_conversation_outlives_the_browser_and_the_service(
    engine: LiveEngine, shop: Shop, mail: MailServer, browser: Browser, tmp_path: Path
) -> None:
    service = Service(engine, tmp_path)
    async with AsyncExitStack() as stack:
        site = await stack.enter_async_context(site_of(engine, shop, service))
        async with service.running():
            context = await _in_french(browser)
            visitor = await visit(context, site.url)
            await visitor.open()
            await expect(visitor.dialog).to_have_accessible_name(f"Chez {shop.client_id[-4:]}")
            await visitor.write(ORDER_QUESTION)
            await _confirm_address(visitor, mail)
            await expect(visitor.texts).to_have_text([ORDER_QUESTION, ORDER_ANSWER], timeout=20_000)
            await expect(visitor.page.locator(".known")).to_contain_text("…@")

            await visitor.write(UNSURE_MESSAGE)
            await expect(visitor.notice).to_contain_text("Notre équipe vous répondra ici, ou par")
            state = await context.storage_state()
            await context.close()

        review = await only_row(engine.database, escalation_tickets, client_id=shop.client_id)
        async with service.running():
            context = await _in_french(browser, state)
            visitor = await visit(context, f"{site.url}/second")
            await visitor.open()
            said = [ORDER_QUESTION, ORDER_ANSWER, UNSURE_MESSAGE]
            await expect(visitor.texts).to_have_text(said)
            await engine.decide(review["id"], Decision.EDIT, "Oui, demain. Anna")
            said.append("Oui, demain. Anna")
            await expect(visitor.texts).to_have_text(said, timeout=20_000)
            await expect(visitor.page.locator(".by").last).to_have_text("Service client")
            await expect(visitor.notice).to_be_hidden()

        # The service is unavailable: new messages are kept, and sent once.
        await visitor.write("Merci beaucoup !")
        await expect(visitor.notice).to_contain_text("Nous sommes injoignables")
        async with service.running():
            await expect(visitor.texts.nth(4)).to_have_text("Merci beaucoup !", timeout=40_000)
            await expect(visitor.pending).to_have_count(0, timeout=40_000)
            await expect(visitor.texts.filter(has_text="Merci beaucoup !")).to_have_count(1)
            assert [line for line in visitor.said if "error:" in line or "Policy" in line] == []
            await context.close()


async def test_two_shops_in_one_browser(
    engine: LiveEngine, shop: Shop, browser: Browser, tmp_path: Path
) -> None:
    """Each with its own conversation, offline and online again; a key copied to another site gives
    no access."""
    other, service = await open_shop(engine.database), Service(engine, tmp_path)
    async with (
        service.running(),
        site_of(engine, shop, service) as site,
        site_of(engine, other, service) as second,
    ):
        context = await _in_french(browser)
        visitors = [await visit(context, one.url) for one in (site, second)]
        for number, visitor in enumerate(visitors):
            await visitor.open()
            await visitor.write(f"Bonjour numéro {number}")
            await expect(visitor.pending).to_have_count(0, timeout=20_000)
        await context.set_offline(True)
        for number, visitor in enumerate(visitors):
            await visitor.write(f"Sans réseau {number}")
            await expect(visitor.notice).to_contain_text("Vous êtes hors ligne")
        await context.set_offline(False)
        for number, visitor in enumerate(visitors):
            await expect(visitor.pending).to_have_count(0, timeout=20_000)
            own = visitor.page.locator(".customer .text")
            await expect(own).to_have_text([f"Bonjour numéro {number}", f"Sans réseau {number}"])

        thief = Site(service.url, tags=site.tags)
        async with listening(thief.app) as url:
            stolen = await visit(context, url)

            async def told() -> bool:
                return any("origin_not_allowed" in line for line in stolen.said)

            await eventually(told)
            await expect(stolen.launcher).to_have_count(0)
        await context.close()
