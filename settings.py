"""Everything that is configured by environment. Built once in `main` and passed on."""

import re
import ssl
from ipaddress import IPv4Network, IPv6Network, ip_network
from pathlib import Path
from typing import Annotated, Literal
from urllib.parse import urlsplit

import httpx
from pydantic import Field, SecretStr, ValidationError, ValidationInfo, field_validator
from pydantic_settings import BaseSettings, NoDecode, SettingsConfigDict

from adapters.identity.session_key import SessionKeys
from adapters.seal import FernetSealer
from domain.core.errors import InvalidInput

EMBEDDED_BRAIN = "embedded"

# Asymmetric ones only: a provider's published key must not be able to sign.
_JWT_ALGORITHMS = frozenset(
    ("RS256", "RS384", "RS512", "PS256", "PS384", "PS512", "ES256", "ES384", "ES512", "EdDSA")
)
_MODEL = re.compile(r"(?:openai|anthropic):\S{1,200}")
_LOOPBACK = ("127.0.0.1", "::1", "localhost")


class Settings(BaseSettings):
    """Blank variables count as unset. `.env.example` shows what a normal deployment sets."""

    model_config = SettingsConfigDict(
        env_ignore_empty=True, extra="ignore", frozen=True, hide_input_in_errors=True
    )

    database_url: str = Field(description="postgresql://user:password@host/database")
    temporal_address: str = Field(description="host:port of Temporal's gRPC frontend")
    temporal_namespace: str = "default"
    host: str = "127.0.0.1"
    port: int = Field(default=8080, ge=1, le=65535)
    trusted_proxies: Annotated[tuple[IPv4Network | IPv6Network, ...] | None, NoDecode] = Field(
        default=None,
        description="Networks of the proxies whose X-Forwarded-For is believed, comma-separated; "
        "unset: nobody's.",
    )
    engine_secret: SecretStr | None = Field(
        default=None, description="Shared with internal workers; unset disables the scheme."
    )
    seal_key: SecretStr = Field(
        description="Fernet key(s), newest first, that seal the text of dry runs."
    )
    session_key: SecretStr | None = Field(
        default=None, description="P-256 key(s), newest first, that sign our own session tokens."
    )
    jwt_jwks_url: str | None = Field(
        default=None, description="Published keys of another identity provider, in our own's place."
    )
    jwt_issuer: str | None = Field(default=None, validate_default=True)
    jwt_audience: str | None = Field(default=None, validate_default=True)
    jwt_algorithms: str = Field(default="RS256,ES256", description="Comma-separated.")
    admin_user_ids: str | None = Field(
        default=None, description="Users who may act for every client, comma-separated."
    )
    brain_model: str = Field(
        default=EMBEDDED_BRAIN,
        description="Who thinks: 'embedded', 'openai:<model>' or 'anthropic:<model>'.",
    )
    brain_base_url: str | None = Field(
        default=None, description="Where the model is, if not at its provider's own address."
    )
    brain_api_key: SecretStr | None = Field(default=None, description="The provider's key.")
    brain_price_in: float | None = Field(
        default=None,
        ge=0,
        le=100_000,
        description="US dollars a million tokens read, of both models; unset: the price list's.",
    )
    brain_price_out: float | None = Field(
        default=None,
        ge=0,
        le=100_000,
        validate_default=True,
        description="The same of tokens written; goes with BRAIN_PRICE_IN.",
    )
    brain_fallback_model: str | None = Field(
        default=None, description="Asked if the first model gives no answer."
    )
    brain_fallback_base_url: str | None = None
    brain_fallback_api_key: SecretStr | None = None
    brain_monthly_budget: float = Field(
        default=20,
        ge=0,
        le=1_000_000,
        description="US dollars a client may cost a month; beyond it the embedded brain thinks.",
    )
    embedding_model: str | None = Field(
        default=None,
        description="'openai:<model>' that finds knowledge by meaning; unset: by words alone.",
    )
    embedding_base_url: str | None = None
    embedding_api_key: SecretStr | None = None
    smtp_url: str | None = Field(
        default=None, description="smtp[s]://user:password@host:port; unset: mail actions fail."
    )
    mail_from: str = "support@localhost"
    review_expiry_hours: float = Field(default=72, gt=0)
    sweep_interval_s: float = Field(default=30, gt=0)
    sweep_after_s: float = Field(default=60, gt=0)
    dashboard_url: str = Field(
        default="http://127.0.0.1:8080/dashboard",
        description="Where callers are sent to buy credits or change the plan.",
    )
    rate_limits: Literal["memory", "postgres"] = Field(
        default="memory",
        description="Where short-term limits are counted: each process for itself, or all in one.",
    )
    dry_run_limit: int = Field(
        default=60, ge=1, le=10_000, description="Dry runs a minute that one caller may make."
    )
    allow_loopback_targets: bool = Field(
        default=False,
        description="Whether clients' integrations may lie on this machine; for tests and demos.",
    )
    webhook_allow_private_addresses: bool = Field(
        default=False,
        description="Whether webhooks may go to this machine and to private networks.",
    )
    webhook_ca_file: Path | None = Field(
        default=None,
        description="A certificate authority's certificates (PEM), believed by webhooks as well.",
    )
    workflow_sandbox: bool = Field(
        default=False,
        description="Temporal's determinism checks at run time. They cost a fifth of a worker's "
        "CPU; every test and replay runs with them.",
    )
    log_level: str = "INFO"
    sentry_dsn: SecretStr | None = Field(
        default=None, description="Where errors are reported; unset: the table error_reports."
    )
    metrics_port: int | None = Field(
        default=None, ge=1, le=65535, description="Port of GET /metrics, on HOST; unset: none."
    )

    @property
    def thinks_remotely(self) -> bool:
        """Whether thinking leaves the process."""
        return self.brain_model != EMBEDDED_BRAIN

    @field_validator("trusted_proxies", mode="before")
    @classmethod
    def _networks(cls, value: object) -> object:
        if not isinstance(value, str):
            return value
        try:
            networks = tuple(ip_network(part.strip()) for part in value.split(",") if part.strip())
        except ValueError:
            networks = ()
        # IPv4 within IPv6 would never match: callers' addresses are brought to IPv4 first.
        if not networks or any(
            isinstance(network, IPv6Network) and network.network_address.ipv4_mapped
            for network in networks
        ):
            raise ValueError("networks like 10.0.0.0/8 or 2001:db8::/32 expected, comma-separated")
        return networks

    @field_validator("brain_model", "brain_fallback_model")
    @classmethod
    def _known_brain(cls, model: str | None, info: ValidationInfo) -> str | None:
        embedded = model == EMBEDDED_BRAIN and info.field_name == "brain_model"
        if model is not None and not embedded and not _MODEL.fullmatch(model):
            raise ValueError("openai:<model> or anthropic:<model> expected")
        return model

    @field_validator("embedding_model")
    @classmethod
    def _known_embedder(cls, model: str | None) -> str | None:
        if model is not None and not (_MODEL.fullmatch(model) and model.startswith("openai:")):
            raise ValueError("openai:<model> expected")
        return model

    @field_validator("brain_price_out")
    @classmethod
    def _both_prices(cls, price: float | None, info: ValidationInfo) -> float | None:
        if "brain_price_in" in info.data and (price is None) != (
            info.data["brain_price_in"] is None
        ):
            raise ValueError("BRAIN_PRICE_IN and BRAIN_PRICE_OUT: both of them or none")
        return price

    @field_validator("seal_key")
    @classmethod
    def _usable_keys(cls, keys: SecretStr) -> SecretStr:
        try:
            FernetSealer(keys.get_secret_value())
        except ValueError:
            raise ValueError("Fernet keys expected, comma-separated") from None
        return keys

    @field_validator(
        "dashboard_url", "brain_base_url", "brain_fallback_base_url", "embedding_base_url"
    )
    @classmethod
    def _web_address(cls, url: str | None) -> str | None:
        if url is None:
            return None
        if not url.startswith(("http://", "https://")):
            raise ValueError("a URL like https://shop.example/dashboard expected")
        return url.rstrip("/")

    @field_validator("session_key")
    @classmethod
    def _usable_session_keys(cls, keys: SecretStr | None) -> SecretStr | None:
        try:
            if keys is not None:
                SessionKeys(keys.get_secret_value())
        except ValueError:
            raise ValueError("P-256 private keys expected, comma-separated") from None
        return keys

    @field_validator("jwt_jwks_url")
    @classmethod
    def _fetched_safely(cls, url: str | None) -> str | None:
        if url is not None and not _cannot_be_replaced_underway(url):
            raise ValueError("an https:// URL expected")
        return url

    @field_validator("jwt_issuer", "jwt_audience")
    @classmethod
    def _with_its_provider(cls, value: str | None, info: ValidationInfo) -> str | None:
        if "jwt_jwks_url" in info.data and (value is None) != (info.data["jwt_jwks_url"] is None):
            raise ValueError("JWT_JWKS_URL, JWT_ISSUER and JWT_AUDIENCE: all of them or none")
        return value

    @field_validator("jwt_algorithms")
    @classmethod
    def _asymmetric(cls, names: str) -> str:
        if not {name.strip() for name in names.split(",")} <= _JWT_ALGORITHMS:
            raise ValueError(f"some of {', '.join(sorted(_JWT_ALGORITHMS))} expected")
        return names

    @field_validator("sentry_dsn")
    @classmethod
    def _usable_dsn(cls, dsn: SecretStr | None) -> SecretStr | None:
        address = urlsplit(dsn.get_secret_value()) if dsn else None
        if address is not None and not (
            address.scheme in ("http", "https")
            and address.username
            and address.hostname
            and address.path.rpartition("/")[2].isdecimal()
        ):
            raise ValueError("a DSN like https://key@host/project expected")
        return dsn

    @field_validator("webhook_ca_file")
    @classmethod
    def _certificates(cls, file: Path | None) -> Path | None:
        try:
            if file is not None:
                ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT).load_verify_locations(file)
        except OSError:
            raise ValueError("a file of certificates (PEM) expected") from None
        return file

    @field_validator("database_url")
    @classmethod
    def _postgres(cls, url: str) -> str:
        if not url.startswith(("postgresql://", "postgresql+psycopg://", "postgres://")):
            raise ValueError("a URL like postgresql://user:password@host/database expected")
        return url


def _cannot_be_replaced_underway(url: str) -> bool:
    """Whether what is fetched there is surely the server's: by TLS, or from this machine."""
    try:
        parts = httpx.URL(url)
    except httpx.InvalidURL:
        return False
    if parts.scheme == "http":
        return parts.host in _LOOPBACK
    return parts.scheme == "https" and bool(parts.host)


def load_settings(**given: str) -> Settings:
    """The environment's settings, but for those `given`. Raises InvalidInput that names each one
    missing or unusable."""
    try:
        return Settings.model_validate(given)
    except ValidationError as error:
        problems = (
            f"{str(problem['loc'][0]).upper()} "
            + ("is not set" if problem["type"] == "missing" else f"({problem['msg']})")
            for problem in error.errors()
        )
        raise InvalidInput(f"not configured: {'; '.join(problems)}") from None
