"""Everything that is configured by environment. Built once in `main` and passed on."""

from ipaddress import IPv4Network, IPv6Network, ip_network
from typing import Annotated

from pydantic import Field, SecretStr, ValidationError, field_validator
from pydantic_settings import BaseSettings, NoDecode, SettingsConfigDict

from adapters.seal import FernetSealer
from domain.errors import InvalidInput

EMBEDDED_BRAIN = "embedded"


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
    brain_model: str = Field(default=EMBEDDED_BRAIN, description="Who thinks: 'embedded'.")
    smtp_url: str | None = Field(
        default=None, description="smtp[s]://user:password@host:port; unset: mail actions fail."
    )
    mail_from: str = "support@localhost"
    review_expiry_hours: float = Field(default=72, gt=0)
    sweep_interval_s: float = Field(default=30, gt=0)
    sweep_after_s: float = Field(default=60, gt=0)
    workflow_sandbox: bool = Field(
        default=False,
        description="Temporal's determinism checks at run time. They cost a fifth of a worker's "
        "CPU; every test and replay runs with them.",
    )
    log_level: str = "INFO"

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

    @field_validator("brain_model")
    @classmethod
    def _known_brain(cls, model: str) -> str:
        if model != EMBEDDED_BRAIN:
            raise ValueError("only 'embedded' is available")
        return model

    @field_validator("seal_key")
    @classmethod
    def _usable_keys(cls, keys: SecretStr) -> SecretStr:
        try:
            FernetSealer(keys.get_secret_value())
        except ValueError:
            raise ValueError("Fernet keys expected, comma-separated") from None
        return keys

    @field_validator("database_url")
    @classmethod
    def _postgres(cls, url: str) -> str:
        if not url.startswith(("postgresql://", "postgresql+psycopg://", "postgres://")):
            raise ValueError("a URL like postgresql://user:password@host/database expected")
        return url


def load_settings() -> Settings:
    """The environment's settings. Raises InvalidInput that names each one missing or unusable."""
    try:
        return Settings()
    except ValidationError as error:
        problems = (
            f"{str(problem['loc'][0]).upper()} "
            + ("is not set" if problem["type"] == "missing" else f"({problem['msg']})")
            for problem in error.errors()
        )
        raise InvalidInput(f"not configured: {'; '.join(problems)}") from None
