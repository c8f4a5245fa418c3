"""/app/webhooks/ID and /deliveries: a webhook's requests, their responses, and redelivery."""

from datetime import UTC, datetime
from typing import Annotated, Final
from zoneinfo import ZoneInfo

from fastapi import APIRouter, Depends
from starlette.responses import Response

from api.dashboard.page import Page
from api.dashboard.routers.webhooks.webhook_pages import LIST, WEBHOOK, WebhookPage, WebhookPost
from api.route import PathId
from api.schemas.webhooks.delivery import DeliveryQuery
from domain.core.errors import InvalidBody
from domain.webhooks.delivery import DeliveryStatus
from domain.webhooks.errors import DeliveryNotFound
from domain.webhooks.retries import SCHEDULE
from domain.webhooks.samples import TESTED_BY_DEFAULT
from domain.webhooks.webhook import DISABLED_AT, EVENT_IDS
from services.webhooks.deliveries import (
    REPLAYED_AT_ONCE,
    read_delivery,
    replay_delivery,
    replay_missed,
)
from store.webhooks.deliveries import DeliveryRepository
from store.webhooks.replay import DeliveryReplay
from store.webhooks.subscriptions import WebhookRepository

router = APIRouter(include_in_schema=False)

_DELIVERY: Final = f"{WEBHOOK}/deliveries/{{delivery_id}}"
DeliveryId = Annotated[str, Depends(PathId("delivery_id", "delivery", DeliveryNotFound))]


@router.get(WEBHOOK)
async def webhook(page: WebhookPage) -> Response:
    query = page.query(DeliveryQuery)
    async with page.resources.database.reading(page.tenant) as connection:
        found = await WebhookRepository(connection, page.tenant).read(page.record_id)
        sent = await DeliveryRepository(connection, page.tenant).latest(found.id)
    return page.render(
        "webhooks/webhook.html",
        webhook=found,
        deliveries=[one for one in sent if query.status in (None, one.status)],
        status=query.status or "",
        statuses=list(DeliveryStatus),
        limit=DISABLED_AT,
        events=EVENT_IDS,
        tested=TESTED_BY_DEFAULT,
    )


@router.get(_DELIVERY)
async def delivery(page: WebhookPage, delivery_id: DeliveryId) -> Response:
    async with page.resources.database.reading(page.tenant) as connection:
        webhook_ = await WebhookRepository(connection, page.tenant).read(page.record_id)
        found, curl = await read_delivery(
            connection,
            page.tenant,
            page.record_id,
            delivery_id,
            sealer=page.resources.sealer,
            now=page.now,
            service=page.resources.settings.server.service,
        )
    return page.render(
        "webhooks/delivery.html",
        webhook=webhook_,
        delivery=found,
        curl=curl,
        most_tries=len(SCHEDULE) + 1,
    )


@router.post(f"{_DELIVERY}/replay")
async def replay(post: WebhookPost, delivery_id: DeliveryId) -> Response:
    page = post.page
    async with post.working() as work:
        replayed = await replay_delivery(work, page.actor, page.record_id, delivery_id)
        await post.leads_to(work, to := f"{LIST}/{page.record_id}/deliveries/{replayed}")
    return post.done(to, "webhooks.replayed")


@router.get(f"{WEBHOOK}/replay")
async def count(page: WebhookPage) -> Response:
    """Before a replay starts, show the number of events that it would send. `since`: a time in the
    user's time zone."""
    given = page.request.query_params.get("since", "")
    everything = page.request.query_params.get("all", "") == "on"
    async with page.resources.database.reading(page.tenant) as connection:
        found = await WebhookRepository(connection, page.tenant).read(page.record_id)
        since = _since(given, page.formats.zone) if given else found.created_at
        waiting = await DeliveryReplay(connection, page.tenant).waiting(
            page.record_id,
            since,
            everything=everything,
            limit=REPLAYED_AT_ONCE + 1,
        )
    return page.render(
        "webhooks/replay.html",
        webhook=found,
        since=since,
        local=since.astimezone(page.formats.zone),
        everything=everything,
        waiting=waiting,
        most=REPLAYED_AT_ONCE,
    )


@router.post(f"{WEBHOOK}/replay")
async def replay_since(post: WebhookPost) -> Response:
    page = post.page
    since = _since(post.text("since"), page.formats.zone)
    async with post.working(to := f"{LIST}/{page.record_id}") as work:
        replayed = await replay_missed(
            work, page.actor, page.record_id, since, everything=post.ticked("all")
        )
    if replayed.left and replayed.next_since is not None:
        at = replayed.next_since.astimezone(page.formats.zone)
        return post.done(
            f"{to}/replay?since={at:%Y-%m-%dT%H:%M}",
            "webhooks.replayed_some",
            queued=_number(page, len(replayed.delivery_ids)),
            left=_number(page, replayed.left),
        )
    queued = _number(page, len(replayed.delivery_ids))
    return post.done(to, "webhooks.replayed_all", queued=queued)


def _since(text: str, zone: ZoneInfo) -> datetime:
    """Return the time in a form field, in the user's time zone unless it states one. Raises
    InvalidBody."""
    try:
        moment = datetime.fromisoformat(text)
        return (moment if moment.tzinfo else moment.replace(tzinfo=zone)).astimezone(UTC)
    except (ValueError, OverflowError):
        raise InvalidBody("champ « since »") from None


def _number(page: Page, value: int) -> str:
    return page.formats.number(value)
