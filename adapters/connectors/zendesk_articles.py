"""Zendesk: the articles of a merchant's help center, in each language of the help center."""

import re
from collections.abc import AsyncGenerator, Sequence
from typing import Final

from pydantic import BaseModel, JsonValue

from adapters.connectors.helpdesk import HelpdeskAccount
from adapters.connectors.http import Rows
from domain.content.article_source import SourceArticle, is_imported, without_slug
from domain.content.site_address import page_address
from domain.content.site_import import FoundPage
from domain.integrations.errors import ActionRefused

# Pages are small because each article contains its body and the response size is limited
# (`http.MAX_BODY`).
_ARTICLES_A_PAGE: Final = 10
_LOCALE: Final = re.compile(r"[a-z]{2,3}(?:-[a-z0-9]{2,8}){0,3}")
_REFERENCE: Final = re.compile(rf"{_LOCALE.pattern}/[1-9][0-9]{{0,18}}")


class _Locales(BaseModel):
    locales: Rows[str]


class _Article(BaseModel):
    """An article in one language. Everyone may read it if it belongs to no user segment."""

    id: int
    html_url: str = ""
    title: str = ""
    body: str | None = None
    locale: str = ""
    draft: bool = True
    # None means that everyone may read the article. A missing field counts as a restriction.
    user_segment_id: int | None = 0
    user_segment_ids: JsonValue = None

    @property
    def is_public(self) -> bool:
        return not self.draft and self.user_segment_id is None and not self.user_segment_ids


class _Meta(BaseModel):
    has_more: bool = False
    after_cursor: str | None = None


class _Articles(BaseModel):
    articles: Rows[_Article]
    meta: _Meta = _Meta()


class _Shown(BaseModel):
    article: _Article


class ZendeskArticles:
    """A help center, as domain.content.ports.ArticleSource. A reference is a locale and an id."""

    def __init__(self, account: HelpdeskAccount) -> None:
        self._account = account

    async def found(self) -> AsyncGenerator[Sequence[FoundPage]]:
        request = self._account.request("GET", "/api/v2/help_center/locales.json")
        listed = await self._account.exchange().read(request, _Locales)
        for locale in listed.locales:
            if is_imported(locale) and _LOCALE.fullmatch(locale.lower()):
                async for page in self._in(locale.lower()):
                    yield page

    async def read(self, reference: str) -> SourceArticle | None:
        if not _REFERENCE.fullmatch(reference):
            raise ActionRefused("no article of a help center", sent=False)
        locale, _, number = reference.partition("/")
        path = f"/api/v2/help_center/{locale}/articles/{number}.json"
        request = self._account.request("GET", path)
        article = (await self._account.exchange().read(request, _Shown)).article
        if not article.is_public:
            return None
        return SourceArticle(title=article.title, html=article.body or "", language=locale)

    async def _in(self, locale: str) -> AsyncGenerator[Sequence[FoundPage]]:
        """Yield the articles in one language, latest change first."""
        path = f"/api/v2/help_center/{locale}/articles.json"
        query: dict[str, str | int] = {
            "page[size]": _ARTICLES_A_PAGE, "sort_by": "updated_at", "sort_order": "desc",
        }  # fmt: skip
        while True:
            request = self._account.request("GET", path, query=query)
            page = await self._account.exchange().read(request, _Articles)
            yield [
                FoundPage(url=url, reference=f"{locale}/{one.id}")
                for one in page.articles
                if one.is_public and (url := _address(one.html_url))
            ]
            if not page.meta.has_more or not page.meta.after_cursor:
                return
            query["page[after]"] = page.meta.after_cursor


def _address(url: str) -> str | None:
    return page_address(url, without_slug(url))
