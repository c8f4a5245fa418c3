"""Intercom: the articles of a merchant's help center, in each language of an article."""

import re
from collections.abc import AsyncGenerator, Iterator, Sequence
from typing import Final

from pydantic import BaseModel, ConfigDict, JsonValue, ValidationError

from adapters.connectors.helpdesk import HelpdeskAccount
from adapters.connectors.http import Rows
from domain.content.article_source import SourceArticle, is_imported, without_slug
from domain.content.site_address import page_address
from domain.content.site_import import FoundPage
from domain.integrations.errors import ActionRefused

# Pages are small because each article contains its body in all languages and the response size is
# limited (`http.MAX_BODY`).
_ARTICLES_A_PAGE: Final = 10
_REFERENCE: Final = re.compile(r"[1-9][0-9]{0,18}/[A-Za-z-]{0,35}")


class _Content(BaseModel):
    """An article in one language. `url` is missing unless the article is in a help center."""

    model_config = ConfigDict(coerce_numbers_to_str=True)

    title: str | None = None
    body: str | None = None
    state: str = ""
    url: str | None = None

    @property
    def address(self) -> str | None:
        """Return the address if everyone may read the article, or None."""
        if self.state != "published" or not self.url:
            return None
        return page_address(self.url, without_slug(self.url))


class _Article(_Content):
    id: str
    default_locale: str | None = None
    translated_content: dict[str, JsonValue] | None = None

    def in_languages(self) -> Iterator[tuple[str, _Content]]:
        """Yield the article in its default language and in others, with the locale or ""."""
        if not self.default_locale or is_imported(self.default_locale):
            yield self.default_locale or "", self
        for locale, given in (self.translated_content or {}).items():
            if locale == self.default_locale or not is_imported(locale):
                continue
            try:
                yield locale, _Content.model_validate(given)
            except ValidationError:
                continue


class _Pages(BaseModel):
    total_pages: int = 1


class _Articles(BaseModel):
    data: Rows[_Article]
    pages: _Pages | None = None


class IntercomArticles:
    """A help center, as domain.content.ports.ArticleSource. A reference is an id and a locale."""

    def __init__(self, account: HelpdeskAccount) -> None:
        self._account = account

    async def found(self) -> AsyncGenerator[Sequence[FoundPage]]:
        number = 1
        while True:
            query = {"page": number, "per_page": _ARTICLES_A_PAGE}
            request = self._account.request("GET", "/articles", query=query)
            page = await self._account.exchange().read(request, _Articles)
            yield [
                FoundPage(url=url, reference=f"{one.id}/{locale}")
                for one in page.data
                for locale, content in one.in_languages()
                if (url := content.address)
            ]
            if page.pages is None or number >= page.pages.total_pages:
                return
            number += 1

    async def read(self, reference: str) -> SourceArticle | None:
        if not _REFERENCE.fullmatch(reference):
            raise ActionRefused("no article of a help center", sent=False)
        number, _, wanted = reference.partition("/")
        request = self._account.request("GET", f"/articles/{number}")
        article = await self._account.exchange().read(request, _Article)
        for locale, content in article.in_languages():
            if locale == wanted and content.address:
                return SourceArticle(
                    title=content.title or "", html=content.body or "", language=locale
                )
        return None
