"""Errors in customers' ratings."""

from domain.core.errors import DomainError


class RatingLinkUnknown(DomainError):
    """This service did not issue the rating link, or the rated answer no longer exists."""

    code = "rating_link_unknown"


class RatingLinkExpired(DomainError):
    """The link with which the customer rates an answer has expired."""

    code = "rating_link_expired"


class RatedAnswerNotFound(DomainError):
    """The widget session has no rateable answer with this message number."""

    code = "answer_not_found"
