"""Settings of the service itself: addresses, limits and permissions."""

import re
from base64 import urlsafe_b64decode
from datetime import timedelta
from ipaddress import IPv4Network, IPv6Network, ip_network
from pathlib import Path
from typing import Annotated, Final, Literal
from urllib.parse import urlsplit

from pydantic import AfterValidator, BaseModel, Field, SecretStr

from adapters.seal import FernetSealer
from domain.core.service_name import MAX_SERVICE_NAME, SERVICE_NAME_PATTERN, ServiceName
from settings.group import WebUrl, holds_certificates, named_by

_LOOPBACK: Final = "127.0.0.1"
_LOCAL: Final = (_LOOPBACK, "[::1]", "localhost")
_ORIGIN: Final = re.compile(
    r"(?P<scheme>https?)://(?P<host>[a-z0-9.-]+|\[[0-9a-f:]+\])(:[0-9]{1,5})?"
)
_EVERYWHERE: Final = ("0.0.0.0", "::", "")  # Wildcard addresses, to which clients cannot connect.

# Random keys pass this check: 32 random bytes have about 30 different values.
_MIN_DIFFERENT_BYTES: Final = 16


def _is_postgres_url(url: str) -> str:
    if not url.startswith(("postgresql://", "postgresql+psycopg://", "postgres://")):
        raise ValueError("a URL like postgresql://user:password@host/database expected")
    return url


def _are_seal_keys(keys: SecretStr) -> SecretStr:
    try:
        FernetSealer(keys.get_secret_value())
    except ValueError:
        raise ValueError("Fernet keys expected, comma-separated") from None
    for key in keys.get_secret_value().split(","):
        if len(set(urlsafe_b64decode(key.strip()))) < _MIN_DIFFERENT_BYTES:
            raise ValueError("random Fernet keys expected: see .env.example")
    return keys


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


def _is_origin(url: str) -> str:
    """Return the URL if it is an origin. Raises ValueError otherwise. The URL must be exact,
    because OAuth clients compare it exactly and send secrets there."""
    found = _ORIGIN.fullmatch(url)
    if found is None or (found["scheme"] == "http" and found["host"] not in _LOCAL):
        raise ValueError("https://host[:port] expected, without a path; http:// on this machine")
    return url


def _networks(text: str) -> tuple[IPv4Network | IPv6Network, ...]:
    return tuple(ip_network(one.strip()) for one in text.split(",") if one.strip())


def _are_networks(text: str) -> str:
    try:
        _networks(text)
    except ValueError:
        raise ValueError("addresses or networks expected, like 10.0.0.0/8,::1") from None
    return text


_Port = Annotated[int, Field(ge=1, le=65535)]


class DatabaseSettings(BaseModel):
    model_config = named_by("DATABASE_")

    url: Annotated[str, AfterValidator(_is_postgres_url)] = Field(
        description="URL of the database, such as postgresql://user:password@host/database."
    )


class ServerSettings(BaseModel):
    model_config = named_by()

    host: str = "127.0.0.1"
    port: _Port = 8080
    drain_s: float = Field(
        default=10,
        ge=0,
        le=300,
        description=(
            "Seconds for which the API still accepts requests after SIGTERM, while /readyz "
            "returns 503."
        ),
    )
    instance_id: str | None = Field(
        default=None,
        max_length=100,
        description=(
            "Value of `instance` in the responses of /healthz and /readyz; if unset, each process "
            "has its own value."
        ),
    )
    service_name: str = Field(
        default=ServiceName().name,
        max_length=MAX_SERVICE_NAME,
        pattern=SERVICE_NAME_PATTERN,
        description=(
            "Name of the service in webhooks' User-Agent, export files, mails, pages and MCP."
        ),
    )
    public_url: Annotated[str, AfterValidator(_is_origin)] | None = Field(
        default=None,
        description="Public origin of the API; defaults to HOST and PORT of this machine.",
    )
    dashboard_url: WebUrl | None = Field(
        default=None,
        description=(
            "URL of the dashboard, to which links lead; defaults to /app at the API's origin."
        ),
    )
    trusted_proxies: Annotated[str, AfterValidator(_are_networks)] | None = Field(
        default=None,
        description=(
            "Addresses or networks of the proxies in front of the API, comma-separated. "
            "Connections from a proxy carry the requests of many callers, so they are not "
            "limited by address."
        ),
    )

    @property
    def service(self) -> ServiceName:
        return ServiceName(self.service_name)

    @property
    def origin(self) -> str:
        """Return the API's public URL, without a trailing slash."""
        host = _LOOPBACK if self.host in _EVERYWHERE else self.host
        return self.public_url or f"http://{f'[{host}]' if ':' in host else host}:{self.port}"

    @property
    def dashboard(self) -> str:
        """Return the dashboard's public URL, without a trailing slash. People decide reviews, pay
        and view data there."""
        return self.dashboard_url or f"{self.origin}/app"

    @property
    def proxies(self) -> tuple[IPv4Network | IPv6Network, ...]:
        """Return the networks of the trusted proxies."""
        return _networks(self.trusted_proxies or "")


class SealSettings(BaseModel):
    model_config = named_by("SEAL_")

    key: Annotated[SecretStr, AfterValidator(_are_seal_keys)] = Field(
        description=(
            "Fernet keys that encrypt stored secrets and the text of dry runs, comma-separated, "
            "newest first."
        )
    )


class MailSettings(BaseModel):
    model_config = named_by()

    smtp_url: str | None = Field(
        default=None,
        description=(
            "URL of the mail server, such as smtp[s]://user:password@host:port; if unset, mail "
            "actions fail."
        ),
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
        description=(
            "Maximum number of the agent's answers per hour in one thread. Above this number, "
            "people answer."
        ),
    )
    answers_without_person: int = Field(
        default=20,
        ge=1,
        le=100,
        description=(
            "Maximum number of the agent's answers to one sender before a person must answer."
        ),
    )

    @property
    def lasts(self) -> timedelta:
        """Return the time from a thread's last message until the thread expires."""
        return timedelta(hours=self.expiry_hours)


class SweepSettings(BaseModel):
    model_config = named_by("SWEEP_")

    interval_s: float = Field(default=30, gt=0)
    after_s: float = Field(default=60, gt=0)


class LimitSettings(BaseModel):
    model_config = named_by()

    rate_limits: Literal["memory", "postgres"] = Field(
        default="memory",
        description=(
            "Where short-term limits are counted: in the memory of each process, or in PostgreSQL "
            "for all processes together."
        ),
    )
    dry_run_limit: int = Field(
        default=60, ge=1, le=10_000, description="Maximum number of dry runs per client and minute."
    )
    accounts_an_hour: int = Field(
        default=100,
        ge=0,
        le=1_000_000,
        description=(
            "Maximum number of accounts that may be opened by sign-up per hour, in the whole "
            "installation."
        ),
    )


class IntegrationSettings(BaseModel):
    model_config = named_by()

    allow_loopback_targets: bool = Field(
        default=False,
        description="Whether clients' integrations may be on this machine, for tests and demos.",
    )
    demo_shops: Path | None = Field(
        default=None,
        description=(
            "Folder of demo shops, one per client, to which members may connect; if unset, there "
            "are none."
        ),
    )


class WebhookSettings(BaseModel):
    model_config = named_by("WEBHOOK_")

    allow_private_addresses: bool = Field(
        default=False,
        description="Whether webhooks may be sent to this machine and to private networks.",
    )
    ca_file: Annotated[Path, AfterValidator(holds_certificates)] | None = Field(
        default=None,
        description=(
            "File with certificates (PEM) of an additional certificate authority that webhooks "
            "trust."
        ),
    )
    canary_host: Annotated[str, Field(pattern=r"^[A-Za-z0-9.-]{1,253}$")] | None = Field(
        default=None,
        description=(
            "Host name that can always be resolved. If its lookup fails, the fault is in our "
            "resolver and not in the receiver's name."
        ),
    )


class WatchSettings(BaseModel):
    """Settings of logs, error reports, metrics and traces."""

    model_config = named_by()

    log_level: str = "INFO"
    sentry_dsn: Annotated[SecretStr, AfterValidator(_is_dsn)] | None = Field(
        default=None,
        description=(
            "DSN of the server to which errors are reported; if unset, the table error_reports "
            "stores them."
        ),
    )
    error_spool: Path = Field(
        default=Path(".data/error-reports"),
        description=(
            "Directory in which error reports wait until they are sent. It must be on a volume "
            "that outlives the process."
        ),
    )
    metrics_port: _Port | None = Field(
        default=None,
        description=("Port of GET /metrics on METRICS_HOST; if unset, there are no metrics."),
    )
    metrics_host: str = Field(
        default=_LOOPBACK,
        description=("Address on which METRICS_PORT listens. The port requires no authentication."),
    )
    otlp_endpoint: WebUrl | None = Field(
        default=None,
        alias="OTEL_EXPORTER_OTLP_ENDPOINT",
        description=(
            "URL to which traces are sent, by OTLP over HTTP; if unset, there are no traces."
        ),
    )

    @property
    def dsn(self) -> str | None:
        return self.sentry_dsn.get_secret_value() if self.sentry_dsn else None
