"""The content of a website: a fetched response, and the text of a page."""

import hashlib
from typing import Final

from pydantic import BaseModel, ConfigDict, Field

from domain.agent.brain import Language
from domain.agent.speech.language import likely_language, plain_language
from domain.content.content import MAX_BODY, MAX_LINE
from domain.content.site_import import FoundPage, PageNote
from domain.core.plain_text import clean_line, clean_text

_LANGUAGES: Final[dict[str, Language]] = {"fr": "fr", "en": "en"}


class PageUnreadable(Exception):
    """A page that cannot be read. `note` is the reason."""

    def __init__(self, note: PageNote) -> None:
        super().__init__(note.value)
        self.note = note


class Fetched(BaseModel):
    """A complete response. `url` is the address after redirects."""

    model_config = ConfigDict(frozen=True, ser_json_bytes="base64", val_json_bytes="base64")

    url: str
    status: int
    body: bytes = Field(repr=False)
    content_type: str = ""
    charset: str = ""


class RobotsRead(BaseModel):
    """The rules in a robots.txt. `delay_s` is the pause between two pages that the site
    requests."""

    model_config = ConfigDict(frozen=True)

    start_allowed: bool = True
    delay_s: float = 0.0
    sitemaps: tuple[str, ...] = ()


class SitemapRead(BaseModel):
    """The addresses in a sitemap file. `sitemaps` are the addresses of further sitemap files."""

    model_config = ConfigDict(frozen=True)

    pages: tuple[FoundPage, ...] = ()
    sitemaps: tuple[str, ...] = ()


class PageText(BaseModel):
    """The title and main text of a page. `language` is the declared language, or empty. `links` are
    the linked pages of the same origin."""

    model_config = ConfigDict(frozen=True)

    title: str
    body: str
    language: str = ""
    links: tuple[FoundPage, ...] = ()

    @property
    def digest(self) -> str:
        """A digest of the title and the text, in hexadecimal."""
        return hashlib.sha256(f"{self.title}\n{self.body}".encode()).hexdigest()

    def written_in(self) -> Language | None:
        """Return the language of the text if the agent supports it, or None."""
        texts = f"{self.title} {self.body}"
        if written := plain_language(texts):
            return written
        declared = self.language.lower().partition("-")[0]
        return _LANGUAGES.get(declared) if declared else likely_language(texts)


def page_text(title: str, text: str, language: str, links: tuple[FoundPage, ...]) -> PageText:
    """Return a page's title and text as an article. A repeated title is removed from the text. A
    long text is cut at a line end."""
    name = clean_line(title, MAX_LINE)
    body = clean_text(text, len(text) + 1)
    if name and body.startswith(f"{name}\n"):
        body = body[len(name) :].strip()
    if len(body) > MAX_BODY:
        body = (body[:MAX_BODY].rpartition("\n")[0] or body[:MAX_BODY]).rstrip()
    first = body[:MAX_LINE].partition("\n")[0]
    return PageText(title=name or first, body=body, language=language, links=links)
