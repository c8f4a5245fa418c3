"""The articles of each helpdesk over a real connection: which are listed, and what is read."""

from collections.abc import AsyncIterator, Callable, Iterator
from dataclasses import dataclass

import httpx
import pytest

from adapters.connectors import freshdesk, intercom, zendesk
from adapters.connectors.freshdesk_articles import FreshdeskArticles
from adapters.connectors.helpdesk import HelpdeskAccount
from adapters.connectors.http import open_client
from adapters.connectors.intercom_articles import IntercomArticles
from adapters.connectors.zendesk_articles import ZendeskArticles
from domain.content.article_source import SourceArticle
from domain.content.ports import ArticleSource
from domain.integrations.errors import (
    ActionForbidden,
    ActionRefused,
    ActionUnreachable,
    NotAuthorized,
)
from tests.support.integrations.desks import Desk, desk_of
from tests.support.servers.freshdesk import FreshdeskServer
from tests.support.servers.help_center import HelpArticle
from tests.support.servers.http_service import Fault
from tests.support.servers.intercom import IntercomServer
from tests.support.servers.zendesk import ZendeskServer

SOURCES: dict[str, Callable[[HelpdeskAccount], ArticleSource]] = {
    "zendesk": ZendeskArticles,
    "intercom": IntercomArticles,
    "freshdesk": lambda account: FreshdeskArticles(account, "acme"),
}
ACCOUNTS = {
    "zendesk": zendesk.account_of,
    "intercom": intercom.account_of,
    "freshdesk": freshdesk.account_of,
}
ADDRESS = {
    "zendesk": "https://acme.zendesk.com/hc/en-us/articles/{}",
    "intercom": "https://intercom.help/acme/en/articles/{}",
    "freshdesk": "https://acme.freshdesk.com/support/solutions/articles/{}",
}


@dataclass(frozen=True)
class Center:
    """A help center of one helpdesk."""

    name: str
    desk: Desk
    http: httpx.AsyncClient

    @property
    def articles(self) -> list[HelpArticle]:
        server = self.desk.server
        assert isinstance(server, ZendeskServer | IntercomServer | FreshdeskServer)
        return server.articles

    def source(self, **credentials: str) -> ArticleSource:
        known = {**self.desk.credentials, **credentials}
        return SOURCES[self.name](ACCOUNTS[self.name](self.desk.integration, known, self.http))

    async def found(self) -> dict[str, str | None]:
        return {one.url: one.reference async for page in self.source().found() for one in page}

    def address(self, number: int) -> str:
        return ADDRESS[self.name].format(number)


@pytest.fixture(params=SOURCES)
def desk(request: pytest.FixtureRequest) -> Iterator[tuple[str, Desk]]:
    with desk_of(request.param) as desk:
        yield request.param, desk


@pytest.fixture
async def center(desk: tuple[str, Desk]) -> AsyncIterator[Center]:
    async with open_client() as client:
        yield Center(*desk, client)


async def test_only_what_everyone_may_read_is_listed(center: Center) -> None:
    center.articles.extend(
        (
            HelpArticle(1, "Returns", "<p>Thirty days.</p>"),
            HelpArticle(2, "Draft", "<p>x</p>", published=False),
            HelpArticle(3, "Wholesale", "<p>x</p>", everyone=False),
        )
    )

    assert list(await center.found()) == [center.address(1)]


async def test_all_pages_of_the_list_are_read(center: Center) -> None:
    center.articles.extend(HelpArticle(n, f"Article {n}", "<p>x</p>") for n in range(1, 24))

    assert set(await center.found()) == {center.address(n) for n in range(1, 24)}


async def test_an_article_keeps_its_address_when_its_title_changes(center: Center) -> None:
    center.articles.append(HelpArticle(1, "Returns", "<p>Thirty days.</p>"))
    before = await center.found()
    center.articles[0].title = "Sending an item back"

    assert await center.found() == before


async def test_an_article_is_read(center: Center) -> None:
    center.articles.append(HelpArticle(1, "Returns", "<p>Thirty days.</p>"))
    (reference,) = (await center.found()).values()
    assert reference is not None
    article = await center.source().read(reference)

    assert isinstance(article, SourceArticle)
    assert (article.title, article.html) == ("Returns", "<p>Thirty days.</p>")

    center.articles[0].published = False
    assert await center.source().read(reference) is None
    center.articles.clear()
    with pytest.raises(ActionRefused):
        await center.source().read(reference)


@pytest.mark.parametrize("reference", ["../users/1", "1/../../users", "0", "", "en-us/1?x=1"])
async def test_a_reference_leads_only_to_an_article(center: Center, reference: str) -> None:
    """References are stored, so that they are checked before they become a path."""
    before = len(center.desk.server.seen)
    with pytest.raises(ActionRefused):
        await center.source().read(reference)
    assert len(center.desk.server.seen) == before


@pytest.mark.parametrize(
    ("status", "error"),
    [(401, NotAuthorized), (403, ActionForbidden), (404, ActionRefused), (500, ActionUnreachable)],
)
async def test_a_refused_list(center: Center, status: int, error: type[Exception]) -> None:
    center.desk.server.fail_next(Fault.STATUS, "GET", status=status)
    with pytest.raises(error):
        await center.found()


async def test_a_limit_says_how_long_to_wait(center: Center) -> None:
    center.desk.server.fail_next(Fault.STATUS, "GET", status=429, headers={"retry-after": "30"})
    with pytest.raises(ActionUnreachable) as limited:
        await center.found()
    assert limited.value.retry_after_s == 30


@pytest.mark.parametrize("desk", ["zendesk", "intercom"], indirect=True)
async def test_each_language_of_the_agent_is_an_article(center: Center) -> None:
    center.articles.append(
        HelpArticle(
            1, "Returns", "<p>Thirty days.</p>",
            translations={"fr": ("Retours", "<p>Trente jours.</p>"), "de": ("Rückgabe", "x")},
        )
    )  # fmt: skip
    found = await center.found()
    articles = [await center.source().read(one or "") for one in found.values()]

    assert sorted((one.language[:2], one.title) for one in articles if one) == [
        ("en", "Returns"), ("fr", "Retours"),
    ]  # fmt: skip
