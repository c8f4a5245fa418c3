"""Settings for the service itself: addresses, limits and permissions."""

import re
from base64 import urlsafe_b64decode
from datetime import timedelta
from ipaddress import IPv4Network, IPv6Network, ip_network
from pathlib import Path
from typing import Annotated, Final, Literal
from urllib.parse import urlsplit

from pydantic import AfterValidator, BaseModel, Field, SecretStr

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
    # The module is imported here because most commands read settings without cryptography.
    from adapters.seal import FernetSealer  # noqa: PLC0415 - slow to load

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
    """Return the URL, or raise ValueError unless it is an origin in canonical form. OAuth clients
    compare it exactly and send secrets to it."""
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
        description=(
            "URL of the PostgreSQL database: `postgresql://user:password@host/database`. For the "
            "API and the workers, it contains the service's own database login. For `cli.py "
            "migrate`, it contains the table owner's login ([roles in "
            "PostgreSQL](operations.md#roles-in-postgresql))."
        ),
    )


class ServerSettings(BaseModel):
    model_config = named_by()

    host: str = Field(
        default="127.0.0.1",
        description="Address on which the API listens.",
    )
    port: _Port = Field(
        default=8080,
        description="Port of the API.",
    )
    drain_s: float = Field(
        default=10,
        ge=0,
        le=300,
        description=(
            "Seconds during which the API still accepts requests after SIGTERM, while `/readyz` "
            "returns 503. Must exceed the time that your load balancer needs to react."
        ),
    )
    instance_id: str | None = Field(
        default=None,
        max_length=100,
        description=(
            "Value of `instance` in the responses of `/healthz` and `/readyz`. If unset, each "
            "process has a random value. `make run` sets it to distinguish its API from other "
            "processes."
        ),
    )
    service_name: str = Field(
        default=ServiceName().name,
        max_length=MAX_SERVICE_NAME,
        pattern=SERVICE_NAME_PATTERN,
        description=(
            "Product name. It appears in the User-Agent of webhooks (Service-Webhooks/1.0) and of "
            "calls to clients' systems, and in export files (`service-export-…`). It is also the "
            "sender name of the service's emails, and the title of its pages, the MCP server and "
            "the OpenAPI document. Letters, digits, single spaces and hyphens are allowed."
        ),
    )
    public_url: Annotated[str, AfterValidator(_is_origin)] | None = Field(
        default=None,
        description=(
            "The API's public address: `https://host[:port]` without a path. `http://` is allowed "
            "only for this machine. If unset, the address is `http://HOST:PORT`. Emails link to "
            "its `/app/sign-in`. OAuth clients receive it and compare it exactly, so set it "
            "wherever a proxy is in front of the API."
        ),
    )
    dashboard_url: WebUrl | None = Field(
        default=None,
        description=(
            "Address of the dashboard in a browser. If unset, the address is `/app` below "
            "`PUBLIC_URL`. Emails link to its `/sign-in`. The 429 response of an exhausted quota "
            "links to its `/billing/plan` and `/billing/credits`."
        ),
    )
    trusted_proxies: Annotated[str, AfterValidator(_are_networks)] | None = Field(
        default=None,
        description=(
            "Addresses or networks of the proxies in front of the API, comma-separated. "
            "Connections from these proxies are not limited by address, because each proxy "
            "forwards requests from many callers."
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
            "Fernet keys that encrypt integrations' credentials, webhooks' secrets and the text "
            "of dry runs, comma-separated, newest first."
        ),
    )


class MailSettings(BaseModel):
    model_config = named_by()

    smtp_url: str | None = Field(
        default=None,
        description=(
            "URL of the mail server: `smtp[s]://user:password@host:port`. If unset, an event that "
            "is answered by email fails."
        ),
    )
    sender: str = Field(
        default="support@localhost",
        alias="MAIL_FROM",
        description=(
            "Sender of the service's emails, and of replies to people who wrote to a client "
            "without a verified sender ([mail](mail.md)). Message-IDs use its domain. If payments "
            "are not configured, the plan page shows this address as the contact."
        ),
    )


class ReviewSettings(BaseModel):
    model_config = named_by("REVIEW_")

    expiry_hours: float = Field(
        default=72,
        gt=0,
        description="Hours that a run waits for a human decision.",
    )

    @property
    def expiry_s(self) -> float:
        return self.expiry_hours * 3600


class ThreadSettings(BaseModel):
    model_config = named_by("THREAD_")

    expiry_hours: float = Field(
        default=72,
        gt=0,
        le=8_760,
        description=(
            "Hours without messages after which a conversation ends. The next message starts a "
            "new one."
        ),
    )
    answers_per_hour: int = Field(
        default=10,
        ge=1,
        description=(
            "Maximum number of the agent's answers per conversation and hour. Once it is "
            "reached, the next message is held for human review."
        ),
    )
    answers_without_person: int = Field(
        default=20,
        ge=1,
        le=100,
        description=(
            "Maximum number of the agent's answers to one sender, by email or in tickets, before a "
            "human must answer. The limit covers all conversations in the last 7 days. Once the "
            "limit is reached, the next message is held for human review."
        ),
    )

    @property
    def lasts(self) -> timedelta:
        """Return how long a thread stays open after its last message."""
        return timedelta(hours=self.expiry_hours)


class SweepSettings(BaseModel):
    model_config = named_by("SWEEP_")

    interval_s: float = Field(
        default=30,
        gt=0,
        description="Seconds between rounds of the sweeper.",
    )
    after_s: float = Field(
        default=60,
        gt=0,
        description="Seconds after which the sweeper resumes a stalled run or decision.",
    )


class LimitSettings(BaseModel):
    model_config = named_by()

    rate_limits: Literal["memory", "postgres"] = Field(
        default="memory",
        description=(
            "Storage of the short-term rate limit counters. With `memory`, each API process has "
            "separate counters. With `postgres`, all API processes share the counters."
        ),
    )
    dry_run_limit: int = Field(
        default=60,
        ge=1,
        le=10_000,
        description="Maximum number of dry runs per client and minute.",
    )
    accounts_an_hour: int = Field(
        default=100,
        ge=0,
        le=1_000_000,
        description=(
            "Maximum number of accounts created by sign-up per hour, in the whole installation. "
            "Above this limit, entering the sign-in code of a new account returns 429, and the "
            "API logs `sign-up rejected: too many new accounts`."
        ),
    )


class IntegrationSettings(BaseModel):
    model_config = named_by()

    allow_loopback_targets: bool = Field(
        default=False,
        description=(
            "Whether clients' integrations may be on this machine: at a loopback address, or in "
            "the demo shop's file. Use this setting only for tests and demos. In a deployment, a "
            "client could access other parties' systems."
        ),
    )
    demo_shops: Path | None = Field(
        default=None,
        description=(
            "Folder of demo shops, one file per client, that members may connect themselves. It "
            "is ignored without `ALLOW_LOOPBACK_TARGETS`. `cli.py dev` and `cli.py demo` set it. "
            "If unset, members cannot connect a demo shop."
        ),
    )


class WebhookSettings(BaseModel):
    model_config = named_by("WEBHOOK_")

    allow_private_addresses: bool = Field(
        default=False,
        description=(
            "Whether webhooks and clients' own mail servers may be on this machine or in private "
            "networks: loopback, 10/8, 172.16/12, 192.168/16, 100.64/10, fc00::/7. Use this "
            "setting only for tests, demos and private installations. In a public installation, "
            "clients could access other parties' systems. Link-local addresses, including a "
            "cloud's metadata service, are never allowed. If the variable is unset, `cli.py dev` "
            "and `cli.py demo` allow these addresses."
        ),
    )
    ca_file: Annotated[Path, AfterValidator(holds_certificates)] | None = Field(
        default=None,
        description=(
            "PEM file of a certificate authority that is trusted for webhooks and clients' mail "
            "servers, in addition to public authorities. Every process must be able to read it."
        ),
    )
    canary_host: Annotated[str, Field(pattern=r"^[A-Za-z0-9.-]{1,253}$")] | None = Field(
        default=None,
        description=(
            "Host name for the network self-check, which must always resolve. Defaults to the host "
            "in `DASHBOARD_URL`, unless that host is an IP address. If a webhook's host name does "
            "not resolve, the webhook worker looks up this name. If this lookup also fails, the "
            "service's own resolver is at fault. Deliveries then wait, and no webhook is marked as "
            "failing."
        ),
    )


class WatchSettings(BaseModel):
    """Settings for logs, error reports, metrics and traces."""

    model_config = named_by()

    log_level: str = Field(
        default="INFO",
        description="Lowest level that is logged.",
    )
    sentry_dsn: Annotated[SecretStr, AfterValidator(_is_dsn)] | None = Field(
        default=None,
        description=(
            "DSN of the Sentry server to which internal errors are reported. If unset, errors "
            "are stored in the table `error_reports`."
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
        description=(
            "Port on `METRICS_HOST` of Prometheus' `/metrics`, and of a worker's `/healthz` and "
            "`/readyz`. If unset, none of these endpoints is served. Each process needs a separate "
            "port. Under `make run`, the engine worker uses the next port, and the webhook worker "
            "uses the port after that."
        ),
    )
    metrics_host: str = Field(
        default=_LOOPBACK,
        description=(
            "Address on which `METRICS_PORT` listens. The port requires no authentication. Use "
            "another address only inside your own network, as `docker-compose.yml` does."
        ),
    )
    otlp_endpoint: WebUrl | None = Field(
        default=None,
        alias="OTEL_EXPORTER_OTLP_ENDPOINT",
        description=(
            "URL to which traces are sent by OTLP over HTTP, for example `http://collector:4318`. "
            "It requires `requirements/otel.txt`. If unset, no traces are sent. The library's own "
            "variables also apply, for example `OTEL_TRACES_SAMPLER`, "
            "`OTEL_EXPORTER_OTLP_HEADERS` and `OTEL_RESOURCE_ATTRIBUTES`."
        ),
    )

    @property
    def dsn(self) -> str | None:
        return self.sentry_dsn.get_secret_value() if self.sentry_dsn else None
