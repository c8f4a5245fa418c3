"""An import of knowledge from a website or a connected system: its limits, its state, and the pages
that it reads."""

from datetime import datetime, timedelta
from enum import StrEnum
from typing import Final

from pydantic import BaseModel, ConfigDict, Field

MAX_PAGES: Final = 100
"""Maximum number of pages that one import reads."""

MAX_ARTICLES: Final = 200
"""Maximum number of articles that one import reads from a connected system. More than
MAX_SITE_SUGGESTIONS could not become suggestions."""

MAX_LISTED: Final = 300
"""Maximum number of pages that one import lists, including those that it does not read."""

MAX_PAGE_BYTES: Final = 1024 * 1024
"""Maximum size of one page, sitemap or robots.txt, in bytes."""

MAX_BYTES: Final = 20 * 1024 * 1024
"""Maximum size of all responses of one import, in bytes."""

MAX_DEPTH: Final = 2
"""Maximum number of links between the given address and a page, if the site has no sitemap."""

MAX_SITEMAPS: Final = 10
"""Maximum number of sitemap files that one import reads."""

IMPORTS_A_DAY: Final = 10
"""Maximum number of imports that a client may start within 24 hours."""

MAX_SITE_SUGGESTIONS: Final = 200
"""Maximum number of pending suggestions from websites per client."""

LISTING: Final = timedelta(minutes=1)
"""Time after which an import reads no further sitemap files."""

MAX_CRAWL_DELAY_S: Final = 10.0
"""Maximum pause between two pages, in seconds, if the site's robots.txt asks for a pause."""

ARTICLE_PAUSE_S: Final = 1.0
"""Pause between two articles of a connected system, in seconds. The agent's answers count against
the same rate limit."""

LASTS: Final = timedelta(hours=1)
"""Time after which an import reads no further pages."""

DAY: Final = timedelta(days=1)

KEPT_IMPORTS: Final = 30
"""Number of latest imports that are kept per client. It is larger than IMPORTS_A_DAY, because that
limit counts the kept imports."""

MAX_SILENT: Final = 5
"""Number of pages in a row without a usable answer, after which an import reads no more pages."""

MIN_TEXT: Final = 40
"""Minimum length of a page's main text, in characters. A shorter text is not an article."""


class SiteScope(StrEnum):
    """The pages that an import reads. `site`: the pages below the address that are in the sitemap
    or linked from it, or all articles of a connected system. `page`: only the page at the
    address."""

    SITE = "site"
    PAGE = "page"


class SiteImportState(StrEnum):
    QUEUED = "queued"
    RUNNING = "running"
    DONE = "done"
    FAILED = "failed"


class PageState(StrEnum):
    """The state of an imported page.

    - `suggested`: the page became a suggestion.
    - `changed`: its difference from the article became a suggestion.
    - `unchanged`: its article or pending suggestion has the same text.
    - `dismissed`: a member has dismissed the same text.
    - `skipped`, `failed`: the page's note contains the reason.
    """

    WAITING = "waiting"
    SUGGESTED = "suggested"
    CHANGED = "changed"
    UNCHANGED = "unchanged"
    DISMISSED = "dismissed"
    SKIPPED = "skipped"
    FAILED = "failed"


class PageNote(StrEnum):
    """The reason why a page did not become a suggestion."""

    ROBOTS = "robots"
    EMPTY = "empty"
    LANGUAGE = "language"
    NOT_HTML = "not_html"
    TOO_LARGE = "too_large"
    TOO_COSTLY = "too_costly"
    MISSING = "missing"
    ELSEWHERE = "elsewhere"
    BLOCKED = "blocked"
    FORBIDDEN = "forbidden"
    UNREACHABLE = "unreachable"
    TOO_SLOW = "too_slow"
    NO_ROOM = "no_room"
    LIMIT = "limit"
    TWICE = "twice"
    GIVEN_UP = "given_up"


OVER: Final = frozenset({SiteImportState.DONE, SiteImportState.FAILED})


class SiteImport(BaseModel):
    """An import of knowledge from a website or a connected system, with its progress."""

    model_config = ConfigDict(frozen=True)

    id: str
    url: str = Field(description="Address at which the import starts.")
    scope: SiteScope = Field(
        description=(
            "`site` reads the sitemap or the linked pages, or all articles of the integration; "
            "`page` reads one page."
        )
    )
    integration_id: str | None = Field(
        default=None,
        description="Id of the integration that the import reads; null for a website.",
    )
    state: SiteImportState
    pages: int = Field(default=0, description="Number of pages found so far.")
    done: int = Field(default=0, description="Number of pages that are read or skipped.")
    suggested: int = Field(
        default=0, description="Number of suggestions, for new pages and for changed pages."
    )
    error_code: str | None = Field(
        default=None, description="Error code of an import that ended early; null if it did not."
    )
    started_by: str
    created_at: datetime
    finished_at: datetime | None = None

    @property
    def is_over(self) -> bool:
        return self.state in OVER


class SitePage(BaseModel):
    """A page of an import. `depth`: number of links between the import's address and the page."""

    model_config = ConfigDict(frozen=True)

    place: int
    url: str
    depth: int
    state: PageState
    note: PageNote | None = Field(
        default=None, description="Reason why the page did not become a suggestion."
    )
    reference: str | None = Field(
        default=None,
        description="Id of the article in the connected system; null for a page of a website.",
    )
    title: str = ""
    read_at: datetime | None = None


class FoundPage(BaseModel):
    """An address that an import has found. `allowed` is True if the site's robots.txt permits the
    service to read the address. `reference` is the id of an article in a connected system."""

    model_config = ConfigDict(frozen=True)

    url: str
    allowed: bool = True
    reference: str | None = None
