"""Errors raised for templates and knowledge."""

from collections.abc import Mapping

from domain.core.errors import DomainError, InvalidContent


class ContentNotFound(DomainError):
    """The client has no such template or knowledge entry."""

    code = "content_not_found"


class TooMuchContent(DomainError):
    """The client has reached its limit for templates or knowledge entries. `limit` is the maximum
    number of templates or entries."""

    code = "too_much_content"

    def __init__(self, limit: int) -> None:
        super().__init__(str(limit))
        self.limit = limit

    @property
    def facts(self) -> Mapping[str, str | int]:
        return {"limit": self.limit}


class SuggestionNotFound(DomainError):
    """The client has no such suggestion, or it has already been decided."""

    code = "suggestion_not_found"


class TooManySuggestions(DomainError):
    """The client has reached its limit for pending suggestions."""

    code = "too_many_suggestions"


class InvalidKnowledgeFile(DomainError):
    """The knowledge file contains an invalid line, or no entry. Nothing was imported."""

    code = "invalid_knowledge_file"


class InvalidSite(InvalidContent):
    """The address of a website is invalid or not allowed. The message is for operators, and the
    French `reason` for callers."""

    code = "invalid_site"


class NoArticles(InvalidContent):
    """The provider of an integration has no articles that an import can read. The message is for
    operators, and the French `reason` for callers."""

    code = "no_articles"


class ArticlesRefused(DomainError):
    """A connected system does not let the service read its articles: the credentials are rejected,
    or they lack a permission."""

    code = "articles_refused"


class SiteImportNotFound(DomainError):
    """The client has no such import of a website."""

    code = "site_import_not_found"


class SiteImportUnderWay(DomainError):
    """The client's previous import of a website has not finished."""

    code = "site_import_under_way"


class TooManySiteImports(DomainError):
    """The client has reached its limit of website imports per 24 hours. `limit` is the maximum
    number of imports."""

    code = "too_many_site_imports"

    def __init__(self, limit: int) -> None:
        super().__init__(str(limit))
        self.limit = limit

    @property
    def facts(self) -> Mapping[str, str | int]:
        return {"limit": self.limit}


class SiteDisallowed(DomainError):
    """The website's robots.txt does not allow the service to read the address."""

    code = "site_disallowed"


class SiteMoved(DomainError):
    """The address redirects to another website."""

    code = "site_moved"


class SiteImportsBusy(DomainError):
    """The worker reads as many websites as it may. The page is tried again."""

    code = "site_imports_busy"
    retryable = True
    retry_after_s = 5.0


class SiteUnreadable(DomainError):
    """The website did not answer, or its answer could not be read."""

    code = "site_unreadable"
