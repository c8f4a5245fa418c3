"""Errors around signing in."""

from domain.core.errors import DomainError


class SessionNotFound(DomainError):
    """There is no such session of this user."""

    code = "session_not_found"


class CrossSiteRequest(DomainError):
    """Another origin's page sent the request, or its CSRF token is not the session's."""

    code = "cross_site_request"
