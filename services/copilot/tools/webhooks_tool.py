"""The copilot tool that reads webhooks and their failed deliveries. Its result never includes
secrets, and shows only the host of each URL."""

from datetime import datetime
from typing import Final
from urllib.parse import urlsplit

from pydantic import Field

from domain.copilot.answer import CitedKind, DraftedChange
from domain.copilot.tool import CopilotFacts, CopilotInput, ToolFindings
from domain.core.ids import ULID
from domain.tenants.actor import MANAGERS
from domain.webhooks.delivery import DeliveryStatus, FailureKind
from domain.webhooks.webhook import Webhook
from services.copilot.copilot_service import CopilotService, ReadTool
from store.webhooks.deliveries import DeliveryRepository
from store.webhooks.subscriptions import WebhookRepository

_WEBHOOKS: Final = 10
_FAILED: Final = 5
_PATH: Final = "/api/dashboard/webhooks"


class WebhooksAsked(CopilotInput):
    webhook_id: str | None = Field(
        default=None,
        pattern=ULID,
        description="Id of a webhook. Without an id, all webhooks are returned.",
    )


class FailedDelivery(CopilotFacts):
    delivery_id: str
    event: str
    failure_kind: FailureKind | None
    response_status: int | None
    created_at: datetime


class WebhookFacts(CopilotFacts):
    webhook_id: str
    label: str
    host: str
    events: tuple[str, ...]
    is_active: bool
    failure_count: int = Field(description="Number of consecutive failures.")
    disabled_reason: str | None
    missed: int = Field(
        description="Number of events that the webhook has missed and that can still be replayed."
    )
    failed: tuple[FailedDelivery, ...] = Field(
        description="Failed deliveries among the last 50 deliveries."
    )


class WebhooksFound(CopilotFacts):
    webhooks: tuple[WebhookFacts, ...]


async def _read(copilot: CopilotService, wanted: WebhooksAsked) -> ToolFindings[WebhooksFound]:
    async with copilot.database.reading(copilot.tenant) as connection:
        webhooks = WebhookRepository(connection, copilot.tenant)
        mine = (
            (await webhooks.all())[:_WEBHOOKS]
            if wanted.webhook_id is None
            else (await webhooks.read(wanted.webhook_id),)
        )
        deliveries = DeliveryRepository(connection, copilot.tenant)
        facts = tuple([await _facts(deliveries, one) for one in mine])
    return ToolFindings(
        WebhooksFound(webhooks=facts),
        tuple(copilot.cite(CitedKind.WEBHOOK, one.webhook_id, one.label) for one in facts),
        tuple(draft for one in facts for draft in _drafts(one)),
    )


async def _facts(deliveries: DeliveryRepository, one: Webhook) -> WebhookFacts:
    latest = await deliveries.latest(one.id)
    failed = [each for each in latest if each.status is DeliveryStatus.FAILED]
    return WebhookFacts(
        webhook_id=one.id,
        label=one.label,
        host=urlsplit(one.url).hostname or "",
        events=one.events,
        is_active=one.is_active,
        failure_count=one.failure_count,
        disabled_reason=one.disabled_reason,
        missed=one.missed,
        failed=tuple(
            FailedDelivery(
                delivery_id=each.id,
                event=each.event,
                failure_kind=each.failure_kind,
                response_status=each.response_status,
                created_at=each.created_at,
            )
            for each in failed[:_FAILED]
        ),
    )


def _drafts(one: WebhookFacts) -> tuple[DraftedChange, ...]:
    path = f"{_PATH}/{one.webhook_id}"
    if not one.is_active:
        return (
            DraftedChange(
                kind="webhook.enable",
                changes=f"Re-enables webhook {one.webhook_id} and sends it a test event.",
                method="POST",
                path=f"{path}/enable",
            ),
        )
    return tuple(
        DraftedChange(
            kind="webhook.replay",
            changes=f"Resends delivery {each.delivery_id}.",
            method="POST",
            path=f"{path}/deliveries/{each.delivery_id}/replay",
        )
        for each in one.failed[:1]
    )


READ_WEBHOOKS: Final = ReadTool(
    "read_webhooks",
    "The status of the webhooks, and their failed deliveries.",
    MANAGERS,
    ("GET", _PATH),
    WebhooksAsked,
    _read,
)
