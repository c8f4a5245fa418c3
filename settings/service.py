"""The service's own parts: where they are, and what they may do."""

import ssl
from datetime import timedelta
from pathlib import Path
from typing import Annotated, Final, Literal, Self
from urllib.parse import urlsplit

from pydantic import AfterValidator, BaseModel, Field, SecretStr, model_validator

from adapters.seal import FernetSealer
from settings.group import WebUrl, named_by


def _is_postgres_url(url: str) -> str:
    if not url.startswith(("postgresql://", "postgresql+psycopg://", "postgres://")):
        raise ValueError("a URL like postgresql://user:password@host/database expected")
    return url


def _are_seal_keys(keys: SecretStr) -> SecretStr:
    try:
        FernetSealer(keys.get_secret_value())
    except ValueError:
        raise ValueError("Fernet keys expected, comma-separated") from None
    return keys


def _holds_certificates(file: Path) -> Path:
    try:
        ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT).load_verify_locations(file)
    except OSError:
        raise ValueError("a file of certificates (PEM) expected") from None
    return file


def _is_dsn(dsn: SecretStr) -> SecretStr:
    address = urlsplit(dsn.get_secret_value())
    if not (
        address.scheme in ("http", "https")
        and address.username
        and address.hostname
        and address.path.rpartition("/")[2].isdecimal()
    ):
        raise ValueError("a DSN like https://key@host/project expected")
    return dsn


# Temporal joins a deployment's name and a build's by a dot.
_VERSION_PART: Final = r"^[A-Za-z0-9_-]{1,100}$"

_Port = Annotated[int, Field(ge=1, le=65535)]


class DatabaseSettings(BaseModel):
    model_config = named_by("DATABASE_")

    url: Annotated[str, AfterValidator(_is_postgres_url)] = Field(
        description="postgresql://user:password@host/database"
    )


class TemporalSettings(BaseModel):
    model_config = named_by("TEMPORAL_")

    address: str = Field(description="host:port of Temporal's gRPC frontend")
    namespace: str = "default"
    deployment: Annotated[str, Field(pattern=_VERSION_PART)] | None = Field(
        default=None, description="The Worker Deployment of the workers; unset: none."
    )
    build_id: Annotated[str, Field(pattern=_VERSION_PART)] | None = Field(
        default=None, description="The build that these workers are; goes with TEMPORAL_DEPLOYMENT."
    )
    sandbox: bool = Field(
        default=False,
        alias="WORKFLOW_SANDBOX",
        description="Temporal's determinism checks at run time. They cost a fifth of a worker's "
        "CPU; every test and replay runs with them.",
    )

    @model_validator(mode="after")
    def _whole_version(self) -> Self:
        if (self.deployment is None) != (self.build_id is None):
            raise ValueError("TEMPORAL_DEPLOYMENT and TEMPORAL_BUILD_ID: both of them or none")
        return self

    @property
    def version(self) -> tuple[str, str] | None:
        """The deployment, and the build of it that this process is."""
        if self.deployment is None or self.build_id is None:
            return None
        return self.deployment, self.build_id


class ServerSettings(BaseModel):
    model_config = named_by()

    host: str = "127.0.0.1"
    port: _Port = 8080
    drain_s: float = Field(
        default=10,
        ge=0,
        le=300,
        description="How long the API goes on accepting after SIGTERM, while /readyz says 503.",
    )
    dashboard_url: WebUrl = Field(
        default="http://127.0.0.1:8080/dashboard",
        description="Where callers are sent to buy credits or change the plan.",
    )


class SealSettings(BaseModel):
    model_config = named_by("SEAL_")

    key: Annotated[SecretStr, AfterValidator(_are_seal_keys)] = Field(
        description="Fernet key(s), newest first, that seal the text of dry runs."
    )


class MailSettings(BaseModel):
    model_config = named_by()

    smtp_url: str | None = Field(
        default=None, description="smtp[s]://user:password@host:port; unset: mail actions fail."
    )
    sender: str = Field(default="support@localhost", alias="MAIL_FROM")


class ReviewSettings(BaseModel):
    model_config = named_by("REVIEW_")

    expiry_hours: float = Field(default=72, gt=0)

    @property
    def expiry_s(self) -> float:
        return self.expiry_hours * 3600


class ThreadSettings(BaseModel):
    model_config = named_by("THREAD_")

    expiry_hours: float = Field(default=72, gt=0, le=8_760)
    answers_per_hour: int = Field(
        default=10,
        ge=1,
        description="How often the agent answers in one thread before people do.",
    )

    @property
    def lasts(self) -> timedelta:
        """How long after its last message a thread ends."""
        return timedelta(hours=self.expiry_hours)


class SweepSettings(BaseModel):
    model_config = named_by("SWEEP_")

    interval_s: float = Field(default=30, gt=0)
    after_s: float = Field(default=60, gt=0)


class LimitSettings(BaseModel):
    model_config = named_by()

    rate_limits: Literal["memory", "postgres"] = Field(
        default="memory",
        description="Where short-term limits are counted: each process for itself, or all in one.",
    )
    dry_run_limit: int = Field(
        default=60, ge=1, le=10_000, description="Dry runs a minute that one caller may make."
    )


class IntegrationSettings(BaseModel):
    model_config = named_by()

    allow_loopback_targets: bool = Field(
        default=False,
        description="Whether clients' integrations may lie on this machine; for tests and demos.",
    )


class WebhookSettings(BaseModel):
    model_config = named_by("WEBHOOK_")

    allow_private_addresses: bool = Field(
        default=False,
        description="Whether webhooks may go to this machine and to private networks.",
    )
    ca_file: Annotated[Path, AfterValidator(_holds_certificates)] | None = Field(
        default=None,
        description="A certificate authority's certificates (PEM), believed by webhooks as well.",
    )


class WatchSettings(BaseModel):
    """What the service shows of itself."""

    model_config = named_by()

    log_level: str = "INFO"
    sentry_dsn: Annotated[SecretStr, AfterValidator(_is_dsn)] | None = Field(
        default=None, description="Where errors are reported; unset: the table error_reports."
    )
    metrics_port: _Port | None = Field(
        default=None, description="Port of GET /metrics, on HOST; unset: none."
    )
    otlp_endpoint: WebUrl | None = Field(
        default=None,
        alias="OTEL_EXPORTER_OTLP_ENDPOINT",
        description="Where traces are sent, by OTLP over HTTP; unset: none are made.",
    )

    @property
    def dsn(self) -> str | None:
        return self.sentry_dsn.get_secret_value() if self.sentry_dsn else None
