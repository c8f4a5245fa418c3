"""Management of a client's webhooks. A webhook is a URL that receives the client's events."""

from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from datetime import timedelta
from urllib.parse import urlsplit

from domain.core.ports import Sealer
from domain.tenants.actor import MANAGERS, Actor
from domain.webhooks.secret import seal_secret
from domain.webhooks.signature import secret_of
from domain.webhooks.url import check_url
from domain.webhooks.webhook import MAX_LABEL, RetryPolicy, Webhook, check_events, check_label
from services.core.unit_of_work import UnitOfWork
from services.webhooks.deliveries import send_test
from services.webhooks.plan import subscriber
from store.webhooks.subscriptions import NewWebhook, WebhookChange, WebhookRepository


@dataclass(frozen=True, slots=True)
class NewSubscription:
    """A webhook to create. `label` is the webhook's name, or None to use the host of the URL."""

    url: str
    events: Iterable[str]
    retry_policy: RetryPolicy = RetryPolicy.NONE
    label: str | None = None
    once_per_ticket: bool = False


@dataclass(frozen=True, slots=True)
class SecretShown:
    """A webhook with its new signing secret, which is shown only once."""

    webhook: Webhook
    secret: str = field(repr=False)


@dataclass(frozen=True, slots=True)
class Rotated(SecretShown):
    """The result of rotating a webhook's secret. `ended_overlap` means that the overlap of an
    earlier rotation ended, so the oldest secret no longer signs."""

    ended_overlap: bool


@dataclass(frozen=True, slots=True)
class Enabled:
    """A re-enabled webhook, and the test delivery that was sent to it."""

    webhook: Webhook
    test_delivery_id: str


async def create_webhook(
    work: UnitOfWork,
    actor: Actor,
    wanted: NewSubscription,
    *,
    sealer: Sealer,
    random_bytes: bytes,
    allow_private: bool,
) -> SecretShown:
    """Create a webhook for a URL. `random_bytes` are SECRET_BYTES for the secret. `allow_private`
    is passed to `check_url`.

    Raises RoleRequired, InvalidWebhook, PlanRequired, TooManyWebhooks, ClientNotFound.
    """
    actor.require(MANAGERS)
    url = check_url(wanted.url, allow_private=allow_private)
    host = str(urlsplit(url).hostname)[:MAX_LABEL]
    label = check_label(host if wanted.label is None else wanted.label)
    events = check_events(wanted.events)
    webhooks = await subscriber(work)
    webhook_id, secret = work.new_id(), secret_of(random_bytes)
    new = NewWebhook(
        id=webhook_id,
        label=label,
        url=url,
        events=events,
        retry_policy=wanted.retry_policy,
        once_per_ticket=wanted.once_per_ticket,
        secret_sealed=seal_secret(sealer, work.tenant, webhook_id, secret),
    )
    created = await webhooks.create(new, work.now)
    work.note(actor, "webhook created", webhook_id=webhook_id)
    return SecretShown(created, secret)


async def change_webhook(
    work: UnitOfWork, actor: Actor, webhook_id: str, change: WebhookChange, *, allow_private: bool
) -> Webhook:
    """Change or pause a webhook. Pending deliveries go to the new URL. Raises RoleRequired,
    InvalidWebhook, PlanRequired, WebhookNotFound."""
    actor.require(MANAGERS)
    checked = replace(
        change,
        label=None if change.label is None else check_label(change.label),
        url=None if change.url is None else check_url(change.url, allow_private=allow_private),
        events=None if change.events is None else check_events(change.events),
    )
    webhooks = await subscriber(work)
    changed = await webhooks.change(webhook_id, checked, work.now)
    work.note(actor, "webhook changed", webhook_id=webhook_id)
    return changed


async def enable_webhook(work: UnitOfWork, actor: Actor, webhook_id: str) -> Enabled:
    """Re-enable a webhook, reset its failure count, and send it a test event. Missed events are not
    sent. Raises RoleRequired, PlanRequired, WebhookNotFound."""
    actor.require(MANAGERS)
    webhooks = await subscriber(work)
    enabled = await webhooks.enable(webhook_id)
    work.note(actor, "webhook enabled", webhook_id=webhook_id)
    return Enabled(enabled, await send_test(work, actor, webhook_id))


async def rotate_webhook(
    work: UnitOfWork,
    actor: Actor,
    webhook_id: str,
    *,
    overlap: timedelta,
    sealer: Sealer,
    random_bytes: bytes,
) -> Rotated:
    """Rotate a webhook's secret. During the overlap, the previous one also signs deliveries. Raises
    RoleRequired, PlanRequired, WebhookNotFound."""
    actor.require(MANAGERS)
    webhooks = await subscriber(work)
    signed_until_now = await webhooks.sealed_secrets(webhook_id, work.now)
    secret = secret_of(random_bytes)
    await webhooks.rotate(
        webhook_id,
        seal_secret(sealer, work.tenant, webhook_id, secret),
        previous_until=work.now + overlap if overlap else None,
    )
    work.note(actor, "webhook rotated", webhook_id=webhook_id)
    rotated = await webhooks.read(webhook_id)
    return Rotated(rotated, secret, ended_overlap=len(signed_until_now) > 1)


async def delete_webhook(work: UnitOfWork, actor: Actor, webhook_id: str) -> None:
    """Delete a webhook with its deliveries, even pending ones, on any plan. Raises RoleRequired,
    WebhookNotFound."""
    actor.require(MANAGERS)
    await WebhookRepository(work.connection, work.tenant).delete(webhook_id)
    work.note(actor, "webhook deleted", webhook_id=webhook_id)
