"""/app/webhooks/ID/…: actions on a webhook, such as rotating its secret, pausing it, deleting it
and testing it."""

import math
import secrets
from datetime import timedelta
from typing import Final

from fastapi import APIRouter
from starlette.responses import Response

from api.dashboard.post import version_of
from api.dashboard.routers.webhooks.webhook_pages import (
    LIST,
    WEBHOOK,
    WebhookPage,
    WebhookPost,
    secret_page,
)
from api.schemas.webhooks.subscription import RotateSecretBody, TestWebhookBody
from domain.core.errors import InvalidBody
from domain.webhooks.signature import SECRET_BYTES
from domain.webhooks.webhook import OVERLAP_HOURS
from services.dashboard.forms import standing_in
from services.webhooks.deliveries import send_test
from services.webhooks.subscriptions import (
    change_webhook,
    delete_webhook,
    enable_webhook,
    rotate_webhook,
)
from store.webhooks.subscriptions import WebhookChange, WebhookRepository

router = APIRouter(include_in_schema=False)

_HOURS: Final = (0, 1, round(OVERLAP_HOURS), 72, 168)


@router.get(f"{WEBHOOK}/rotate")
async def rotation(page: WebhookPage) -> Response:
    async with page.resources.database.reading(page.tenant) as connection:
        found = await WebhookRepository(connection, page.tenant).read(page.record_id)
    form = f"{LIST}/{found.id}/rotate"
    return page.render(
        "webhooks/rotate.html",
        webhook=found,
        form=form,
        hours=_HOURS,
        typed=await page.typed(form, {"overlap_hours": str(round(OVERLAP_HOURS))}),
        # The version includes both signing secrets. If two users rotate the secret at the same
        # time, the second submission is therefore rejected.
        seen=version_of(found.model_copy(update={"failure_count": 0, "missed": 0})),
    )


@router.post(f"{WEBHOOK}/rotate")
async def rotate(post: WebhookPost) -> Response:
    """Rotate the webhook's secret. Only the resulting page shows the new secret."""
    page = post.page
    body = post.body(RotateSecretBody, overlap_hours=_number(post.text("overlap_hours")))
    async with post.working() as work:
        there = await WebhookRepository(standing_in(work), page.tenant).read(page.record_id)
        post.check_seen(version_of(there.model_copy(update={"failure_count": 0, "missed": 0})))
        rotated = await rotate_webhook(
            work,
            page.actor,
            page.record_id,
            overlap=timedelta(hours=body.overlap_hours),
            sealer=page.resources.sealer,
            random_bytes=secrets.token_bytes(SECRET_BYTES),
        )
    return secret_page(page, rotated.webhook, rotated.secret)


@router.post(f"{WEBHOOK}/pause")
async def pause(post: WebhookPost) -> Response:
    page = post.page
    allow_private = page.resources.settings.webhooks.allow_private_addresses
    async with post.working(to := f"{LIST}/{page.record_id}") as work:
        await change_webhook(
            work,
            page.actor,
            page.record_id,
            WebhookChange(pause=True),
            allow_private=allow_private,
        )
    return post.done(to, "webhooks.paused")


@router.post(f"{WEBHOOK}/enable")
async def enable(post: WebhookPost) -> Response:
    async with post.working(to := f"{LIST}/{post.page.record_id}") as work:
        enabled = await enable_webhook(work, post.page.actor, post.page.record_id)
    return post.done(
        to, "webhooks.enabled", missed=post.page.formats.number(enabled.webhook.missed)
    )


@router.post(f"{WEBHOOK}/test")
async def test(post: WebhookPost) -> Response:
    """Send a test event, and redirect to its delivery, which shows the outcome."""
    page = post.page
    body = post.body(TestWebhookBody, event=post.text("event"))
    async with post.working() as work:
        delivery_id = await send_test(work, page.actor, page.record_id, body.event)
        await post.leads_to(work, to := f"{LIST}/{page.record_id}/deliveries/{delivery_id}")
    return post.done(to, "webhooks.tested")


@router.post(f"{WEBHOOK}/delete")
async def delete(post: WebhookPost) -> Response:
    page = post.page
    async with post.working(LIST) as work:
        there = await WebhookRepository(standing_in(work), page.tenant).read(page.record_id)
        post.check_confirmed(there.label)
        await delete_webhook(work, page.actor, page.record_id)
    return post.done(LIST, "webhooks.deleted", label=there.label)


def _number(text: str) -> float:
    """Return the overlap in hours from the form. Raises InvalidBody if the text is not a number."""
    try:
        number = float(text)
    except ValueError:
        number = math.nan
    if not math.isfinite(number):
        raise InvalidBody("champ « overlap_hours »")
    return number
