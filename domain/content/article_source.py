"""The articles of a connected system: which of them exist, and the content of each."""

import re
from typing import Final

from pydantic import BaseModel, ConfigDict, Field

from domain.content.site_import import MAX_PAGE_BYTES, PageNote
from domain.content.site_page import Fetched, PageText, PageUnreadable, page_text
from domain.integrations.integration import Integration
from domain.integrations.providers import Provider

ARTICLE_PROVIDERS: Final = frozenset({Provider.ZENDESK, Provider.INTERCOM, Provider.FRESHDESK})
"""Providers with an interface for reading articles."""

IMPORTED_LANGUAGES: Final = frozenset({"en", "fr"})

_SLUG: Final = re.compile(r"(/articles/[0-9]+)-[^/?#]*")


class SourceArticle(BaseModel):
    """A published article. `html` is its content without the title. `language` is the declared
    language, or empty."""

    model_config = ConfigDict(frozen=True)

    title: str
    html: str = Field(repr=False)
    language: str = ""

    def as_page(self, url: str) -> Fetched:
        """Return the article as the response of a website, so that the same code reads its text.
        Raises PageUnreadable."""
        body = self.html.encode()
        if len(body) > MAX_PAGE_BYTES:
            raise PageUnreadable(PageNote.TOO_LARGE)
        return Fetched(url=url, status=200, body=body, content_type="text/html", charset="utf-8")

    def text(self, read: PageText) -> PageText:
        """Return the text that was read from `as_page`, with the article's title."""
        return page_text(self.title, read.body, self.language, ())


def has_articles(integration: Integration) -> bool:
    """Return whether an import can read the articles of an integration."""
    return integration.provider in ARTICLE_PROVIDERS and not integration.only_listens


def address_of(integration: Integration) -> str:
    """Return the address at which members see the articles of a connected system."""
    settings = integration.settings
    match integration.provider:
        case Provider.ZENDESK:
            return f"https://{settings['subdomain']}.zendesk.com/hc"
        case Provider.FRESHDESK:
            return f"https://{settings['domain']}.freshdesk.com/support/solutions"
        case _:
            return "https://app.intercom.com"


def is_imported(locale: str) -> bool:
    """Return whether an import reads the articles of a locale, such as `en-us`."""
    return locale.lower().partition("-")[0] in IMPORTED_LANGUAGES


def without_slug(url: str) -> str:
    """Return the address of an article without the words of its title. The address then stays the
    same if the title changes."""
    return _SLUG.sub(r"\1", url, count=1)
