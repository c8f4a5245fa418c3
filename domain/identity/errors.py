"""Errors around signing in."""

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
