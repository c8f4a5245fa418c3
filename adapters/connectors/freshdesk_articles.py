"""Freshdesk: the solution articles of a merchant's portal, in the portal's primary language."""

import re
from collections.abc import AsyncGenerator, Sequence
from typing import Final

import httpx
from pydantic import BaseModel, RootModel

from adapters.connectors.helpdesk import HelpdeskAccount
from adapters.connectors.http import Rows
from domain.content.article_source import SourceArticle
from domain.content.site_import import FoundPage
from domain.integrations.errors import ActionRefused

# Pages of articles are small because each article contains its body twice and the response size is
# limited (`http.MAX_BODY`).
_ARTICLES_A_PAGE: Final = 10
_FOLDERS_A_PAGE: Final = 100
_MAX_FOLDERS: Final = 100
_PUBLISHED: Final = 2
_FOR_EVERYONE: Final = 1
_ID: Final = re.compile(r"[1-9][0-9]{0,18}")


class _Category(BaseModel):
    id: int


class _Folder(BaseModel):
    id: int
    visibility: int = 0
    sub_folders_count: int = 0


class _Article(BaseModel):
    id: int
    title: str = ""
    description: str | None = None
    status: int = 0


class _Categories(RootModel[Rows[_Category]]):
    pass


class _Folders(RootModel[Rows[_Folder]]):
    pass


class _Articles(RootModel[Rows[_Article]]):
    pass


class FreshdeskArticles:
    """A portal, as domain.content.ports.ArticleSource. A reference is an article's id."""

    def __init__(self, account: HelpdeskAccount, domain: str) -> None:
        self._account = account
        self._domain = domain

    async def found(self) -> AsyncGenerator[Sequence[FoundPage]]:
        categories = await self._account.exchange().read(
            self._list("/categories", _FOLDERS_A_PAGE), _Categories
        )
        left = [f"/categories/{one.id}/folders" for one in categories.root]
        for _ in range(_MAX_FOLDERS):
            if not left:
                return
            folders = await self._account.exchange().read(
                self._list(left.pop(0), _FOLDERS_A_PAGE), _Folders
            )
            public = [one for one in folders.root if one.visibility == _FOR_EVERYONE]
            left += [f"/folders/{one.id}/subfolders" for one in public if one.sub_folders_count]
            for folder in public:
                async for page in self._in(folder):
                    yield page

    async def read(self, reference: str) -> SourceArticle | None:
        if not _ID.fullmatch(reference):
            raise ActionRefused("no article of a portal", sent=False)
        request = self._account.request("GET", f"/api/v2/solutions/articles/{reference}")
        article = await self._account.exchange().read(request, _Article)
        if article.status != _PUBLISHED:
            return None
        return SourceArticle(title=article.title, html=article.description or "")

    async def _in(self, folder: _Folder) -> AsyncGenerator[Sequence[FoundPage]]:
        """Yield the published articles of a folder."""
        number = 1
        while True:
            request = self._list(f"/folders/{folder.id}/articles", _ARTICLES_A_PAGE, number)
            page = await self._account.exchange().read(request, _Articles)
            yield [
                FoundPage(url=self._address(one), reference=str(one.id))
                for one in page.root
                if one.status == _PUBLISHED
            ]
            if len(page.root) < _ARTICLES_A_PAGE:
                return
            number += 1

    def _list(self, path: str, size: int, page: int = 1) -> httpx.Request:
        query = {"per_page": size, "page": page}
        return self._account.request("GET", f"/api/v2/solutions{path}", query=query)

    def _address(self, article: _Article) -> str:
        return f"https://{self._domain}.freshdesk.com/support/solutions/articles/{article.id}"
