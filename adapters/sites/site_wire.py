"""The JSON messages between the engine worker and the processes that parse website pages."""

from enum import StrEnum

from pydantic import BaseModel, ConfigDict, Field

from domain.content.site_import import PageNote
from domain.content.site_page import Fetched, PageText, RobotsRead, SitemapRead


class SiteWork(StrEnum):
    ROBOTS = "robots"
    SITEMAP = "sitemap"
    PAGE = "page"
    ARTICLE = "article"


class SiteRequest(BaseModel):
    """A response to parse. `robots` is the site's robots.txt, or None. `start` is the import's
    address. `agent` is the service's name in robots.txt."""

    model_config = ConfigDict(frozen=True, ser_json_bytes="base64", val_json_bytes="base64")

    work: SiteWork
    fetched: Fetched | None
    robots: Fetched | None = None
    start: str
    agent: str


class SiteAnswer(BaseModel):
    """The response from a parsing process. `refused` is the reason why the page cannot be read.
    `failed` is the type of an unexpected error, whose message may quote the page and is dropped."""

    model_config = ConfigDict(frozen=True)

    robots: RobotsRead | None = Field(default=None)
    sitemap: SitemapRead | None = Field(default=None)
    page: PageText | None = Field(default=None)
    refused: PageNote | None = None
    failed: str = ""
