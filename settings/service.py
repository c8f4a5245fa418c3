"""Settings for the service itself: addresses, limits and permissions."""

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
_EVERYWHERE: Final = ("0.0.0.0", "::", "")  # Wildcard addresses. Clients cannot connect to them.

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
    """Return the URL if it is an origin. Raises ValueError otherwise. The origin must be in
    canonical form, because OAuth clients compare it exactly and send secrets to it."""
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
        description="Database URL, such as postgresql://user:password@host/database."
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
            "Time in seconds during which the API still accepts requests after SIGTERM, while "
            "/readyz returns 503."
        ),
    )
    instance_id: str | None = Field(
        default=None,
        max_length=100,
        description=(
            "Value of the `instance` field in the responses of /healthz and /readyz. If "
            "unset, each process has its own value."
        ),
    )
    service_name: str = Field(
        default=ServiceName().name,
        max_length=MAX_SERVICE_NAME,
        pattern=SERVICE_NAME_PATTERN,
        description=(
            "Name of the service in the User-Agent of webhooks and in export files, emails, "
            "pages and MCP."
        ),
    )
    public_url: Annotated[str, AfterValidator(_is_origin)] | None = Field(
        default=None,
        description="Public origin of the API. Defaults to an origin made from HOST and PORT.",
    )
    dashboard_url: WebUrl | None = Field(
        default=None,
        description=("Dashboard URL used in links. Defaults to /app at the API's origin."),
    )
    trusted_proxies: Annotated[str, AfterValidator(_are_networks)] | None = Field(
        default=None,
        description=(
            "Addresses or networks of the proxies in front of the API, comma-separated. A "
            "proxy's connections carry requests from many callers, so these connections are "
            "not limited per address."
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
        """Return the dashboard's public URL, without a trailing slash. Users decide reviews, pay
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
            "Fernet keys for encrypting stored secrets and the text of dry runs, "
            "comma-separated, newest first."
        )
    )


class MailSettings(BaseModel):
    model_config = named_by()

    smtp_url: str | None = Field(
        default=None,
        description=(
            "URL of the mail server, such as smtp[s]://user:password@host:port. If unset, "
            "email actions fail."
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
            "Maximum number of answers by the agent in one thread per hour. Once it is "
            "reached, human agents answer."
        ),
    )
    answers_without_person: int = Field(
        default=20,
        ge=1,
        le=100,
        description=(
            "Maximum number of answers by the agent to one sender before a human agent must answer."
        ),
    )

    @property
    def lasts(self) -> timedelta:
        """Return how long a thread stays open after its last message."""
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
            "Where short-term limits are counted: in each process's memory, or in PostgreSQL "
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
            "Maximum number of accounts created by sign-up per hour, in the whole installation."
        ),
    )


class IntegrationSettings(BaseModel):
    model_config = named_by()

    allow_loopback_targets: bool = Field(
        default=False,
        description="Whether clients' integrations may point to localhost, for tests and demos.",
    )
    demo_shops: Path | None = Field(
        default=None,
        description=(
            "Folder of demo shops, one per client, that members may connect. If unset, there "
            "are no demo shops."
        ),
    )


class WebhookSettings(BaseModel):
    model_config = named_by("WEBHOOK_")

    allow_private_addresses: bool = Field(
        default=False,
        description="Whether webhooks may be sent to localhost and to private networks.",
    )
    ca_file: Annotated[Path, AfterValidator(holds_certificates)] | None = Field(
        default=None,
        description=(
            "PEM file of an additional certificate authority that is trusted when sending webhooks."
        ),
    )
    canary_host: Annotated[str, Field(pattern=r"^[A-Za-z0-9.-]{1,253}$")] | None = Field(
        default=None,
        description=(
            "Host name that always resolves. If its lookup fails, the cause is our own "
            "resolver, not the webhook's host name."
        ),
    )


class WatchSettings(BaseModel):
    """Settings for logs, error reports, metrics and traces."""

    model_config = named_by()

    log_level: str = "INFO"
    sentry_dsn: Annotated[SecretStr, AfterValidator(_is_dsn)] | None = Field(
        default=None,
        description=(
            "DSN of the server to which errors are reported. If unset, errors are stored in "
            "the `error_reports` table."
        ),
    )
    error_spool: Path = Field(
        default=Path(".data/error-reports"),
        description=(
            "Directory in which error reports wait until they are sent. It must be on a "
            "volume that outlives the process."
        ),
    )
    metrics_port: _Port | None = Field(
        default=None,
        description=("Port for GET /metrics on METRICS_HOST. If unset, no metrics are served."),
    )
    metrics_host: str = Field(
        default=_LOOPBACK,
        description=("Address on which METRICS_PORT listens. The port requires no authentication."),
    )
    otlp_endpoint: WebUrl | None = Field(
        default=None,
        alias="OTEL_EXPORTER_OTLP_ENDPOINT",
        description=(
            "URL to which traces are sent, using OTLP over HTTP. If unset, no traces are sent."
        ),
    )

    @property
    def dsn(self) -> str | None:
        return self.sentry_dsn.get_secret_value() if self.sentry_dsn else None
