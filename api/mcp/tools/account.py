"""Tools for the client's account: playbooks, usage, daily metrics and webhooks."""

from collections.abc import Sequence
from datetime import date, datetime, timedelta
from typing import Annotated, Final
from urllib.parse import urlsplit

from pydantic import Field

from api.mcp.results import Cursor, Limit, McpPage, McpPart, page_of, trusted
from api.mcp.tool import AtWork, McpTool, ToolInput, tool
from api.schemas.analytics.report import MetricsQuery
from api.schemas.billing.usage import UsageRecord, usage_record
from domain.agent.plan import ActionKind
from domain.agent.rulebook import ActionRule
from domain.analytics.metrics import DayMetrics
from domain.core.ids import ULID
from domain.core.period import period_of
from domain.playbooks.playbook import PlaybookEntry
from domain.tenants.scopes import Scope
from domain.webhooks.delivery import DeliveryStatus, DeliverySummary, FailureKind, Trigger
from domain.webhooks.outbound_event import OutboundEventId
from store.analytics.metrics import MetricsRepository
from store.billing.usage import UsageRepository
from store.playbooks.playbooks import PlaybookRepository
from store.webhooks.deliveries import DeliveryRepository
from store.webhooks.subscriptions import WebhookRepository


class PlaybooksWanted(ToolInput):
    limit: Limit = 20
    cursor: Cursor = None


class McpPlaybook(McpPart):
    playbook_id: str
    name: str
    event_type: str = Field(
        description="Pattern of the event types that the playbook handles; `*` matches any ending."
    )
    threshold: float = Field(
        description=("Confidence below which an answer is held for human review, from 0 to 1.")
    )
    version: int
    is_active: bool
    instructions: str = Field(description="The merchant's instructions to the agent.")
    actions: dict[ActionKind, ActionRule] = Field(
        description=(
            "Policy rule for each action. If an action has no rule, a reply may be sent, and "
            "any other action is not executed."
        )
    )


class McpPlaybooks(McpPage):
    playbooks: tuple[McpPlaybook, ...] = Field(description="The client's playbooks, oldest first.")


class UsageWanted(ToolInput):
    pass


class McpUsage(McpPart):
    usage: UsageRecord


class MetricsWanted(ToolInput):
    first_day: date | None = Field(
        default=None,
        description="First day of the range, UTC. By default, the range covers 30 days.",
    )
    last_day: date | None = Field(
        default=None, description=("Last day of the range, UTC; defaults to yesterday.")
    )
    limit: Annotated[
        int, Field(ge=1, le=31, description=("Maximum number of days in the response."))
    ] = 31


class McpMetrics(McpPart):
    days: tuple[DayMetrics, ...] = Field(
        description="Daily metrics, oldest first. Days without computed metrics are omitted."
    )
    next_first_day: date | None = Field(
        description="Value of `first_day` for the next call; null if no days are left."
    )


class DeliveriesWanted(ToolInput):
    webhook_id: Annotated[str, Field(pattern=ULID)] | None = Field(
        default=None,
        description=(
            "Id of the webhook whose deliveries to list. If omitted, the result contains only "
            "the webhooks."
        ),
    )
    status: DeliveryStatus | None = None
    limit: Limit = 20
    cursor: Cursor = None


class McpWebhook(McpPart):
    webhook_id: str
    label: str
    host: str = Field(description="Host of the webhook's URL. The rest of the URL may be a secret.")
    events: tuple[str, ...]
    is_active: bool
    failure_count: int
    missed: int = Field(description="Number of undelivered events that can still be replayed.")


class McpDelivery(McpPart):
    delivery_id: str
    event: OutboundEventId
    trigger: Trigger
    status: DeliveryStatus
    attempt: int
    failure_kind: FailureKind | None
    response_status: int | None
    duration_ms: int | None
    created_at: datetime
    sent_at: datetime | None
    next_attempt_at: datetime | None


class McpDeliveries(McpPage):
    webhooks: tuple[McpWebhook, ...]
    deliveries: tuple[McpDelivery, ...] = Field(
        description="The last 50 finished deliveries and all pending deliveries, newest first."
    )


async def list_playbooks(at_work: AtWork, wanted: PlaybooksWanted) -> McpPlaybooks:
    async with at_work.resources.database.reading(at_work.tenant) as connection:
        every = await PlaybookRepository(connection, at_work.tenant).all()
    ordered = sorted(every, key=lambda one: one.playbook.id)
    found = [one for one in ordered if one.playbook.id > (wanted.cursor or "")]
    return page_of(found, wanted.limit, lambda last: last.playbook.id, _playbooks)


def _playbooks(
    shown: Sequence[PlaybookEntry], length: int, cursor: str | None, note: str | None
) -> McpPlaybooks:
    return McpPlaybooks(
        playbooks=tuple(
            McpPlaybook(
                playbook_id=one.playbook.id,
                name=one.playbook.name,
                event_type=one.playbook.event_type,
                threshold=one.playbook.threshold,
                version=one.playbook.version,
                is_active=one.is_active,
                instructions=trusted(one.rulebook.instructions, length),
                actions=one.rulebook.actions,
            )
            for one in shown
        ),
        next_cursor=cursor,
        note=note,
    )


async def get_usage(at_work: AtWork, _: UsageWanted) -> McpUsage:
    now = at_work.start.at
    async with at_work.resources.database.reading(at_work.tenant) as connection:
        found = await UsageRepository(connection, at_work.tenant).in_month(period_of(now))
    return McpUsage(usage=usage_record(found, now))


async def get_metrics(at_work: AtWork, wanted: MetricsWanted) -> McpMetrics:
    query = MetricsQuery.model_validate(
        {
            name: day.isoformat()
            for name, day in (("from", wanted.first_day), ("to", wanted.last_day))
            if day is not None
        }
    )
    first, last = query.days(at_work.start.at)
    # Add at most the range's own length to the first day. A later date might be beyond the year
    # 9999, which `date` cannot represent.
    until = first + min(last - first, timedelta(days=wanted.limit - 1))
    async with at_work.resources.database.reading(at_work.tenant) as connection:
        found = await MetricsRepository(connection, at_work.tenant).between(first, until)
    return McpMetrics(
        days=tuple(found), next_first_day=None if until == last else until + timedelta(days=1)
    )


async def list_webhook_deliveries(at_work: AtWork, wanted: DeliveriesWanted) -> McpDeliveries:
    async with at_work.resources.database.reading(at_work.tenant) as connection:
        webhooks = WebhookRepository(connection, at_work.tenant)
        found: tuple[DeliverySummary, ...] = ()
        if wanted.webhook_id is None:
            mine = await webhooks.all()
        else:
            mine = (await webhooks.read(wanted.webhook_id),)
            deliveries = DeliveryRepository(connection, at_work.tenant)
            found = await deliveries.latest(wanted.webhook_id)
    shown_webhooks = tuple(
        McpWebhook(
            webhook_id=one.id,
            label=one.label,
            host=urlsplit(one.url).hostname or "",
            events=one.events,
            is_active=one.is_active,
            failure_count=one.failure_count,
            missed=one.missed,
        )
        for one in mine
    )
    newest_first = sorted(found, key=lambda one: one.id, reverse=True)
    left = [
        one
        for one in newest_first
        if wanted.status in (None, one.status) and (wanted.cursor is None or one.id < wanted.cursor)
    ]

    def page(
        shown: Sequence[DeliverySummary], _: int, cursor: str | None, note: str | None
    ) -> McpDeliveries:
        return McpDeliveries(
            webhooks=shown_webhooks,
            deliveries=tuple(_delivery(one) for one in shown),
            next_cursor=cursor,
            note=note,
        )

    return page_of(left, wanted.limit, lambda last: last.id, page)


def _delivery(one: DeliverySummary) -> McpDelivery:
    return McpDelivery(
        delivery_id=one.id,
        event=one.event,
        trigger=one.trigger,
        status=one.status,
        attempt=one.attempt,
        failure_kind=one.failure_kind,
        response_status=one.response_status,
        duration_ms=one.duration_ms,
        created_at=one.created_at,
        sent_at=one.sent_at,
        next_attempt_at=one.next_attempt_at,
    )


TOOLS: Final[tuple[McpTool, ...]] = (
    tool(
        "list_playbooks",
        "List playbooks",
        "List the agent's playbooks: event types, confidence threshold and permitted actions.",
        scopes=(Scope.PLAYBOOKS_READ,),
        takes=PlaybooksWanted,
        gives=McpPlaybooks,
        does=list_playbooks,
    ),
    tool(
        "get_usage",
        "Get this month's usage",
        "Get the plan, and the number of tickets used from this calendar month's quota.",
        scopes=(Scope.USAGE_READ,),
        takes=UsageWanted,
        gives=McpUsage,
        does=get_usage,
    ),
    tool(
        "get_metrics",
        "Get daily metrics",
        "Get the metrics for each day: runs, reviews, rates, latency and sentiment.",
        scopes=(Scope.USAGE_READ,),
        takes=MetricsWanted,
        gives=McpMetrics,
        does=get_metrics,
    ),
    tool(
        "list_webhook_deliveries",
        "List webhook deliveries",
        "List the account's webhooks, and the deliveries of one webhook. Members start replays in "
        "the dashboard.",
        scopes=(Scope.WEBHOOKS_READ,),
        takes=DeliveriesWanted,
        gives=McpDeliveries,
        does=list_webhook_deliveries,
    ),
)
