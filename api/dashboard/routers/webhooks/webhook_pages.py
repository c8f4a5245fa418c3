"""/app/webhooks: a client's webhooks with their URLs, events and delivery states."""

import secrets
from typing import Annotated, Final

from fastapi import APIRouter, Depends
from starlette.responses import Response

from api.dashboard.charts import Sparkline, sparkline
from api.dashboard.page import OnPage, Page
from api.dashboard.post import ConnectingPost, Post, Posted, version_of
from api.dashboard.snippets import VERIFYING
from api.route import PathId
from api.schemas.webhooks.subscription import ChangeWebhookBody, NewWebhookBody
from domain.tenants.actor import MANAGERS
from domain.webhooks.errors import WebhookNotFound
from domain.webhooks.signature import SECRET_BYTES
from domain.webhooks.webhook import ALL_EVENTS, DISABLED_AT, EVENT_IDS, RetryPolicy, Webhook
from services.dashboard.forms import standing_in
from services.webhooks.subscriptions import change_webhook, create_webhook
from store.tenants.accounts import AccountRepository
from store.webhooks.delivery_hours import NO_HOURS, DeliveryHour, DeliveryHours
from store.webhooks.subscriptions import WebhookRepository, client_of

LIST: Final = "/app/webhooks"
WEBHOOK: Final = f"{LIST}/{{webhook_id}}"
WEBHOOK_ID: Final = PathId("webhook_id", "webhook", WebhookNotFound)
_NEW: Final = f"{LIST}/new"
_BLANK: Final = {
    "label": "",
    "url": "",
    f"events:{ALL_EVENTS}": "on",
    "retry_policy": RetryPolicy.STANDARD.value,
}

router = APIRouter(include_in_schema=False)
WebhookPage = Annotated[Page, Depends(OnPage(MANAGERS, WEBHOOK_ID, client_of))]
WebhookPost = Annotated[Post, Depends(Posted(MANAGERS, WEBHOOK_ID, client_of))]


@router.get(LIST)
async def webhooks(page: Annotated[Page, Depends(OnPage(MANAGERS))]) -> Response:
    async with page.resources.database.reading(page.tenant) as connection:
        found = await WebhookRepository(connection, page.tenant).all()
        hours = await DeliveryHours(connection, page.tenant).all(page.now)
        subscription = await AccountRepository(connection, page.tenant).subscription()
    return page.render(
        "webhooks/webhooks.html",
        webhooks=found,
        lines={one.id: _line(page, hours.get(one.id, NO_HOURS)) for one in found},
        missed=sum(one.missed for one in found),
        limit=DISABLED_AT,
        in_plan=subscription.includes_webhooks(page.now),
    )


@router.get(_NEW)
async def new(page: Annotated[Page, Depends(OnPage(MANAGERS))]) -> Response:
    async with page.resources.database.reading(page.tenant) as connection:
        subscription = await AccountRepository(connection, page.tenant).subscription()
    return page.render(
        "webhooks/new_webhook.html",
        typed=await page.typed(LIST, _BLANK),
        events=(ALL_EVENTS, *EVENT_IDS),
        in_plan=subscription.includes_webhooks(page.now),
    )


@router.post(LIST)
async def create(post: ConnectingPost) -> Response:
    """Create a webhook. Only the resulting page shows the webhook's secret."""
    resources = post.page.resources
    body = post.body(
        NewWebhookBody,
        label=post.text("label"),
        url=post.text("url").strip(),
        events=list(post.chosen("events")),
        retry_policy=post.text("retry_policy"),
        once_per_ticket=post.ticked("once_per_ticket"),
    )
    async with post.working() as work:
        made = await create_webhook(
            work,
            post.page.actor,
            body.subscription,
            sealer=resources.sealer,
            random_bytes=secrets.token_bytes(SECRET_BYTES),
            allow_private=resources.settings.webhooks.allow_private_addresses,
        )
    return secret_page(post.page, made.webhook, made.secret)


@router.get(f"{WEBHOOK}/settings")
async def settings(page: WebhookPage) -> Response:
    async with page.resources.database.reading(page.tenant) as connection:
        found = await WebhookRepository(connection, page.tenant).read(page.record_id)
    form = f"{LIST}/{found.id}/settings"
    now = {"label": found.label, "url": found.url, "retry_policy": found.retry_policy.value}
    chosen = {f"events:{event}": "on" for event in found.events}
    if found.once_per_ticket:
        chosen["once_per_ticket"] = "on"
    return page.render(
        "webhooks/webhook_settings.html",
        webhook=found,
        form=form,
        typed=await page.typed(form, {**now, **chosen}),
        events=(ALL_EVENTS, *EVENT_IDS),
        seen=_settings_version(found),
    )


@router.post(f"{WEBHOOK}/settings")
async def change(post: WebhookPost) -> Response:
    page = post.page
    body = post.body(
        ChangeWebhookBody,
        label=post.text("label"),
        url=post.text("url").strip(),
        events=list(post.chosen("events")),
        retry_policy=post.text("retry_policy"),
        once_per_ticket=post.ticked("once_per_ticket"),
    )
    async with post.working(post.form) as work:
        there = await WebhookRepository(standing_in(work), page.tenant).read(page.record_id)
        post.check_seen(_settings_version(there))
        await change_webhook(
            work,
            page.actor,
            page.record_id,
            body.change,
            allow_private=page.resources.settings.webhooks.allow_private_addresses,
        )
    return post.done(post.form, "webhooks.changed")


def secret_page(page: Page, webhook: Webhook, secret: str) -> Response:
    """Return the page that shows a webhook's new secret once."""
    return page.render("webhooks/secret.html", webhook=webhook, secret=secret, verifying=VERIFYING)


def _settings_version(webhook: Webhook) -> str:
    """Return a digest of the settings that members choose. Changes made by the service itself do
    not affect the digest."""
    return version_of(
        ChangeWebhookBody(
            label=webhook.label,
            url=webhook.url,
            events=list(webhook.events),  # type: ignore[arg-type]
            retry_policy=webhook.retry_policy,
            once_per_ticket=webhook.once_per_ticket,
        )
    )


def _line(page: Page, hours: tuple[DeliveryHour, ...]) -> Sparkline:
    ended, failed = sum(one.ended for one in hours), sum(one.failed for one in hours)
    title = page.say("webhooks.list.line", failed=failed, ended=ended)
    return sparkline(title, [one.ended for one in hours])
