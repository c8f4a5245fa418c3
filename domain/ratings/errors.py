"""Errors around customers' ratings."""

from domain.core.errors import DomainError


class RatingLinkUnknown(DomainError):
    """The link is not ours, or its answer no longer exists."""

    code = "rating_link_unknown"


class RatingLinkExpired(DomainError):
    """The link was made too long ago."""

    code = "rating_link_expired"


class RatedAnswerNotFound(DomainError):
    """The widget's session has no answer with this number that could be rated."""

    code = "answer_not_found"
