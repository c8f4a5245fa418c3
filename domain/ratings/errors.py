"""Errors of customers' ratings."""

from domain.core.errors import DomainError


class RatingLinkUnknown(DomainError):
    """The link was not issued by us, or its answer no longer exists."""

    code = "rating_link_unknown"


class RatingLinkExpired(DomainError):
    """The rating link has expired."""

    code = "rating_link_expired"


class RatedAnswerNotFound(DomainError):
    """The widget session has no answer with this number that can be rated."""

    code = "answer_not_found"
