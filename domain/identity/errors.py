"""Errors around signing in."""

from enum import StrEnum

from domain.core.errors import DomainError


class InvalidAddress(DomainError):
    """It is no mail address that can sign in."""

    code = "invalid_address"


class InvalidBrandName(DomainError):
    """A shop's name has 1 to 100 characters that can be seen."""

    code = "invalid_brand_name"


class InvalidCode(DomainError):
    """The sign-in code is wrong, used up, too old or was never sent. It does not say which."""

    code = "invalid_code"


class InvalidRefreshToken(DomainError):
    """The session has ended, or the token was replaced."""

    code = "invalid_refresh_token"


class SignInLinkGone(DomainError):
    """The link was used, is too old, or was never made. It does not say which."""

    code = "sign_in_link_gone"


class SessionNotFound(DomainError):
    """There is no such session of this user."""

    code = "session_not_found"


class InvitationNotFound(DomainError):
    """There is no such open invitation of this client."""

    code = "invitation_not_found"


class TooManyInvitations(DomainError):
    """The client has invited as many people within a day as it may."""

    code = "too_many_invitations"


class CrossSiteRequest(DomainError):
    """Another origin's page sent the request, or its CSRF token is not the session's."""

    code = "cross_site_request"


class ProviderUnreachable(DomainError):
    """The identity provider does not answer, or not now."""

    code = "identity_provider_unreachable"


class ProviderAnswerInvalid(DomainError):
    """What the identity provider answered proves nothing, or is not for us."""

    code = "identity_provider_invalid"


class SignInInterrupted(DomainError):
    """The answer is not to what this browser asked, came too late, or says no."""

    code = "sign_in_interrupted"


class AddressNotVerified(DomainError):
    """The identity provider does not vouch for the address of somebody new."""

    code = "address_not_verified"


class AddressTaken(DomainError):
    """Another user has the address of somebody new. It is not theirs for that."""

    code = "address_taken"


class TooManyAccounts(DomainError):
    """As many accounts were opened within an hour as may be."""

    code = "too_many_accounts"
    retry_after_s = 3600.0


class OAuthError(StrEnum):
    """What OAuth calls an error (RFC 6749, 7591 and 8707). Clients go by these names."""

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
    """An OAuth client's request is refused. `description`: why, in English, for its developer."""

    code = "oauth_refused"

    def __init__(self, error: OAuthError, description: str) -> None:
        super().__init__(f"{error.value}: {description}")
        self.error = error
        self.description = description
