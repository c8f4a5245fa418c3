"""Settings for the authentication of users and internal workers. Users are authenticated by this
service or by another identity provider."""

from typing import Annotated, Final, Self

from pydantic import AfterValidator, BaseModel, Field, SecretStr, model_validator

from settings.group import is_fetched_safely, named_by

# Only asymmetric algorithms are allowed. With a symmetric algorithm, anyone could sign tokens with
# a provider's published key.
ASYMMETRIC: Final = frozenset(
    ("RS256", "RS384", "RS512", "PS256", "PS384", "PS512", "ES256", "ES384", "ES512", "EdDSA")
)
# A secret needs 8 different characters. This rejects a repeated "changeme", which has 7, but only
# one in 30 million random strings of 32 hexadecimal digits.
_MIN_SECRET: Final = 32
_MIN_DIFFERENT: Final = 8


def _are_session_keys(keys: SecretStr) -> SecretStr:
    # The module is imported here because most commands read settings without cryptography.
    from adapters.identity.session_key import SessionKeys  # noqa: PLC0415 - slow to load

    try:
        SessionKeys(keys.get_secret_value())
    except ValueError:
        raise ValueError("P-256 private keys expected, comma-separated") from None
    return keys


def _cannot_be_guessed(secret: SecretStr) -> SecretStr:
    text = secret.get_secret_value()
    if len(text) < _MIN_SECRET or len(set(text)) < _MIN_DIFFERENT:
        raise ValueError(
            f"a random secret of at least {_MIN_SECRET} characters expected: openssl rand -hex 32"
        )
    return secret


def _are_asymmetric(names: str) -> str:
    if not {name.strip() for name in names.split(",")} <= ASYMMETRIC:
        raise ValueError(f"some of {', '.join(sorted(ASYMMETRIC))} expected")
    return names


def _ask_for_openid(scopes: str) -> str:
    if "openid" not in scopes.split():
        raise ValueError("space-separated scopes with openid among them expected")
    return scopes


class IdentitySettings(BaseModel):
    model_config = named_by()

    engine_secret: Annotated[SecretStr, AfterValidator(_cannot_be_guessed)] | None = Field(
        default=None,
        description=(
            "Secret shared with internal workers, valid for all clients. Must have at least 32 "
            "random characters. If unset, internal workers cannot authenticate."
        ),
    )
    session_key: Annotated[SecretStr, AfterValidator(_are_session_keys)] | None = Field(
        default=None,
        description=(
            "P-256 private keys that sign the service's own session tokens, comma-separated, "
            "newest first."
        ),
    )
    jwt_jwks_url: Annotated[str, AfterValidator(is_fetched_safely)] | None = Field(
        default=None,
        description=(
            "URL of another identity provider's published keys. Tokens from that provider "
            "replace the service's own tokens. Without this setting and `SESSION_KEY`, there "
            "are no session tokens. Must be set together with `JWT_ISSUER` and `JWT_AUDIENCE`."
        ),
    )
    jwt_issuer: str | None = Field(
        default=None,
        description=(
            "Expected `iss` claim of the other identity provider, compared exactly. Must be set "
            "together with `JWT_JWKS_URL`."
        ),
    )
    jwt_audience: str | None = Field(
        default=None,
        description=(
            "Expected `aud` claim of the other identity provider's tokens. Must be set together "
            "with `JWT_JWKS_URL`."
        ),
    )
    jwt_algorithms: Annotated[str, AfterValidator(_are_asymmetric)] = Field(
        default="RS256,ES256",
        description=(
            "Algorithms that the other identity provider may use to sign tokens, comma-separated. "
            "Only asymmetric algorithms are allowed."
        ),
    )
    oidc_issuer: Annotated[str, AfterValidator(is_fetched_safely)] | None = Field(
        default=None,
        description=(
            "Issuer URL of an OpenID Connect provider that [signs users "
            "in](accounts.md#another-identity-provider) to the dashboard. It replaces the "
            "built-in sign-in. Must be equal to `JWT_ISSUER` if both are set, and set together "
            "with `OIDC_CLIENT_ID`."
        ),
    )
    oidc_client_id: str | None = Field(
        default=None,
        description=(
            "The service's client id at the OpenID Connect provider. Must be set together with "
            "`OIDC_ISSUER`."
        ),
    )
    oidc_client_secret: SecretStr | None = Field(
        default=None,
        description=(
            "The service's client secret at the OpenID Connect provider. If unset, the service "
            "is a public client, protected only by PKCE."
        ),
    )
    oidc_scopes: Annotated[str, AfterValidator(_ask_for_openid)] = Field(
        default="openid email",
        description="Requested OpenID scopes, space-separated. They must include `openid`.",
    )
    admin_user_ids: str | None = Field(
        default=None,
        description="Ids of the users who may act on behalf of every client, comma-separated.",
    )

    @property
    def has_other_provider(self) -> bool:
        """Return True if users sign in with another identity provider. The built-in sign-in is then
        disabled."""
        return self.jwt_jwks_url is not None or self.oidc_issuer is not None

    @model_validator(mode="after")
    def _whole_provider(self) -> Self:
        given = {self.jwt_jwks_url is None, self.jwt_issuer is None, self.jwt_audience is None}
        if len(given) > 1:
            raise ValueError("JWT_JWKS_URL, JWT_ISSUER and JWT_AUDIENCE: all of them or none")
        if (self.oidc_issuer is None) != (self.oidc_client_id is None):
            raise ValueError("OIDC_ISSUER and OIDC_CLIENT_ID: both of them or none")
        if self.oidc_client_secret is not None and self.oidc_issuer is None:
            raise ValueError("OIDC_CLIENT_SECRET needs OIDC_ISSUER and OIDC_CLIENT_ID")
        # Only one provider may be configured. A user's id is the provider's `sub`, and two
        # providers may issue the same `sub` to different users.
        if None not in (self.oidc_issuer, self.jwt_issuer) and self.oidc_issuer != self.jwt_issuer:
            raise ValueError("OIDC_ISSUER and JWT_ISSUER must be the same, to the letter")
        return self
