"""One browser for the widget tests, and a new service and site for each test."""

from collections.abc import AsyncIterator

import pytest
from playwright.async_api import Browser, BrowserContext

from tests.support.widget.pages import CHROMIUM, Site, Visitor, chromium, listening, visit
from tests.support.widget.stub_service import KEY, StubService


@pytest.fixture(scope="session")
async def browser() -> AsyncIterator[Browser]:
    if CHROMIUM is None:
        pytest.skip("no chromium on this machine: sh scripts/system_packages.sh")
    async with chromium() as started:
        yield started


@pytest.fixture
async def stub() -> AsyncIterator[StubService]:
    service = StubService()
    async with listening(service.app) as url:
        service.url = url
        yield service
        service.closing = True
        service.let_go.set()


@pytest.fixture
async def site(stub: StubService) -> AsyncIterator[Site]:
    one = Site(stub.url, tags=({"data-key": KEY},))
    async with listening(one.app) as url:
        one.url = url
        yield one


@pytest.fixture
async def context(browser: Browser, site: Site) -> AsyncIterator[BrowserContext]:
    """A new browser context. It closes before the servers do."""
    new = await browser.new_context(locale="en-GB")
    yield new
    await new.close()


@pytest.fixture
async def visitor(context: BrowserContext, site: Site) -> Visitor:
    return await visit(context, site.url)
