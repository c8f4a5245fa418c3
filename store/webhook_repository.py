"""A client's webhooks. Secrets come sealed and stay sealed here."""

from dataclasses import dataclass, field
from datetime import datetime

from sqlalchemy.ext.asyncio import AsyncConnection

from domain.ids import TenantId
from domain.webhook import RetryPolicy, Webhook


@dataclass(frozen=True, slots=True)
class NewWebhook:
    """A webhook to be; its values have been checked (`domain/webhook.py`, `webhook_url.py`)."""

    id: str
    label: str
    url: str
    events: tuple[str, ...]
    retry_policy: RetryPolicy
    secret_sealed: str = field(repr=False)


@dataclass(frozen=True, slots=True)
class WebhookChange:
    """What is to be changed; None leaves it. `is_active` False pauses the webhook by hand; only
    `enable` turns it on again."""

    label: str | None = None
    url: str | None = None
    events: tuple[str, ...] | None = None
    retry_policy: RetryPolicy | None = None
    pause: bool = False


class WebhookRepository:
    def __init__(self, connection: AsyncConnection, tenant: TenantId) -> None:
        self._connection = connection
        self._tenant = tenant

    async def require_plan(self, now: datetime) -> None:
        """Raises PlanRequired if the client's plan has no webhooks, ClientNotFound."""
        raise NotImplementedError

    async def create(self, webhook: NewWebhook, now: datetime) -> Webhook:
        """Raises TooManyWebhooks (exact under concurrency: the account is locked)."""
        raise NotImplementedError

    async def all(self) -> tuple[Webhook, ...]:
        """The oldest first."""
        raise NotImplementedError

    async def read(self, webhook_id: str) -> Webhook:
        """Raises WebhookNotFound, as all below."""
        raise NotImplementedError

    async def change(self, webhook_id: str, change: WebhookChange, now: datetime) -> Webhook:
        raise NotImplementedError

    async def delete(self, webhook_id: str) -> None:
        """With its deliveries; what is under way ends without a record."""
        raise NotImplementedError

    async def rotate(
        self, webhook_id: str, sealed: str, *, previous_until: datetime | None
    ) -> None:
        """Put a new secret in place. The one until now signs until `previous_until`; None: it is
        over at once. A third one that an earlier rotation left is gone."""
        raise NotImplementedError

    async def enable(self, webhook_id: str) -> Webhook:
        """Active again, with a failure count of 0; one that is active gets its count back to 0."""
        raise NotImplementedError

    async def sealed_secrets(self, webhook_id: str, now: datetime) -> tuple[str, ...]:
        """Those that sign now, the newest first."""
        raise NotImplementedError


async def client_of(connection: AsyncConnection, webhook_id: str) -> TenantId:
    """Whose webhook it is, for operators and session users. Raises WebhookNotFound."""
    raise NotImplementedError
