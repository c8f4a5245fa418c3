"""Session tokens: JWTs issued by one identity provider, which is either the configured provider or
this service."""

import time

import jwt
import structlog

from adapters.identity.jwks import ProviderKeys
from adapters.identity.session_key import ADMIN_CLAIM, ALGORITHM, AUDIENCE, ISSUER, SessionKeys
from adapters.identity.signed_claims import KeySource, signed_claims
from domain.tenants.actor import is_operator
from domain.tenants.errors import Unauthenticated
from domain.tenants.user import User, is_user_id
from settings.identity import IdentitySettings

_log = structlog.get_logger(__name__)


class SessionVerifier:
    """A verifier for session tokens. The accepted algorithms and claims are fixed here, and never
    taken from the token."""

    def __init__(
        self,
        keys: KeySource,
        *,
        issuer: str,
        audience: str,
        algorithms: tuple[str, ...],
        admins: frozenset[str],
        admin_claim: str | None = None,
    ) -> None:
        """Create the verifier. A true `admin_claim` makes the user an internal admin, only in
        tokens from this service. `admins` are users who always are."""
        self._keys = keys
        self._issuer = issuer
        self._audience = audience
        self._algorithms = algorithms
        self._admins = admins
        self._admin_claim = admin_claim

    async def verify(self, token: str) -> User:
        """Return the token's user. Raises Unauthenticated for any invalid token."""
        try:
            claims = await signed_claims(
                token,
                self._keys,
                issuer=self._issuer,
                audience=self._audience,
                algorithms=self._algorithms,
            )
        except jwt.PyJWTError as error:
            # Log only the error type because the messages quote the token.
            _log.info("session token rejected", reason=type(error).__name__)
            raise Unauthenticated from None
        user_id = claims["sub"]
        if not isinstance(user_id, str) or not is_user_id(user_id) or is_operator(user_id):
            raise Unauthenticated
        is_admin = self._admin_claim is not None and claims.get(self._admin_claim) is True
        return User(user_id, is_admin or user_id in self._admins)

    async def close(self) -> None:
        await self._keys.close()


def session_keys(settings: IdentitySettings) -> SessionKeys | None:
    """Return this service's keys, or None if an external provider handles sign-in or sign-in is
    disabled."""
    if settings.has_other_provider or settings.session_key is None:
        return None
    return SessionKeys(settings.session_key.get_secret_value())


def session_verifier(settings: IdentitySettings) -> SessionVerifier | None:
    """Return the verifier for the configured identity provider, or None if no provider is
    configured. Call this function while an event loop is running."""
    admins = frozenset(comma_separated(settings.admin_user_ids or ""))
    if settings.jwt_jwks_url and settings.jwt_issuer and settings.jwt_audience:
        # Without `admin_claim`, only the settings determine the admins: another provider's claims
        # must not grant access to every tenant.
        return SessionVerifier(
            ProviderKeys(settings.jwt_jwks_url, clock=time.monotonic),
            issuer=settings.jwt_issuer,
            audience=settings.jwt_audience,
            algorithms=comma_separated(settings.jwt_algorithms),
            admins=admins,
        )
    own = session_keys(settings)
    if own is None:
        return None
    return SessionVerifier(
        own,
        issuer=ISSUER,
        audience=AUDIENCE,
        algorithms=(ALGORITHM,),
        admins=admins,
        admin_claim=ADMIN_CLAIM,
    )


def comma_separated(text: str) -> tuple[str, ...]:
    """Return the non-empty values of a comma-separated list, without surrounding whitespace."""
    return tuple(part.strip() for part in text.split(",") if part.strip())
