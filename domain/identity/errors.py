"""Errors in authentication."""

from enum import StrEnum

from domain.core.errors import DomainError


class InvalidAddress(DomainError):
    """The text is not a valid email address for signing in."""

    code = "invalid_address"


class InvalidBrandName(DomainError):
    """A shop's name must have 1 to 100 visible characters."""

    code = "invalid_brand_name"


class InvalidCode(DomainError):
    """The sign-in code is wrong, was used up, has expired or was never sent. The error does not
    reveal which."""

    code = "invalid_code"


class InvalidRefreshToken(DomainError):
    """The refresh token's session has ended, or the token has already been replaced."""

    code = "invalid_refresh_token"


class SignInLinkGone(DomainError):
    """The sign-in link was used, has expired, or never existed. The error does not reveal which."""

    code = "sign_in_link_gone"


class SessionNotFound(DomainError):
    """The user has no session with this id."""

    code = "session_not_found"


class InvitationNotFound(DomainError):
    """The client has no open invitation with this id."""

    code = "invitation_not_found"


class TooManyInvitations(DomainError):
    """The client has reached its daily limit for invitation emails."""

    code = "too_many_invitations"


class CrossSiteRequest(DomainError):
    """The request came from a page of another origin, or its CSRF token does not match the
    session."""

    code = "cross_site_request"


class ProviderUnreachable(DomainError):
    """The identity provider did not respond, or is temporarily unavailable."""

    code = "identity_provider_unreachable"


class ProviderAnswerInvalid(DomainError):
    """The identity provider's response does not prove an identity, or was issued for another
    service."""

    code = "identity_provider_invalid"


class SignInInterrupted(DomainError):
    """The identity provider's response does not match this browser's request, arrived too late, or
    reports a denial."""

    code = "sign_in_interrupted"


class AddressNotVerified(DomainError):
    """The identity provider has not verified the email address of a new user."""

    code = "address_not_verified"


class AddressTaken(DomainError):
    """An existing user already has the new user's email address. The new user gets no access to the
    existing account."""

    code = "address_taken"


class TooManyAccounts(DomainError):
    """The hourly limit on new accounts is reached."""

    code = "too_many_accounts"
    retry_after_s = 3600.0


class OAuthError(StrEnum):
    """The standard OAuth error codes from RFC 6749, 7591 and 8707. OAuth clients rely on them."""

    INVALID_REQUEST = "invalid_request"
    INVALID_CLIENT = "invalid_client"
    INVALID_GRANT = "invalid_grant"
    UNAUTHORIZED_CLIENT = "unauthorized_client"
    UNSUPPORTED_GRANT_TYPE = "unsupported_grant_type"
    UNSUPPORTED_RESPONSE_TYPE = "unsupported_response_type"
    INVALID_SCOPE = "invalid_scope"
    INVALID_TARGET = "invalid_target"
    ACCESS_DENIED = "access_denied"
    INVALID_REDIRECT_URI = "invalid_redirect_uri"
    INVALID_CLIENT_METADATA = "invalid_client_metadata"
    TEMPORARILY_UNAVAILABLE = "temporarily_unavailable"


class OAuthRefused(DomainError):
    """An OAuth client's request is rejected. `description` is the reason in English, for the
    developer of the OAuth client."""

    code = "oauth_refused"

    def __init__(self, error: OAuthError, description: str) -> None:
        super().__init__(f"{error.value}: {description}")
        self.error = error
        self.description = description
