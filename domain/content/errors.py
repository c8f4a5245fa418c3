"""Errors raised for templates and knowledge."""

from collections.abc import Mapping

from domain.core.errors import DomainError


class ContentNotFound(DomainError):
    """The client has no such template or knowledge entry."""

    code = "content_not_found"


class TooMuchContent(DomainError):
    """The client has reached its limit for templates or knowledge entries. `limit`: the maximum
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
