"""/app/inbound: received and rejected webhooks, and the status of polling."""

from typing import Annotated, Final

from fastapi import APIRouter, Depends
from starlette.responses import Response

from api.dashboard.page import AnyonesPage, OnPage, Page
from api.dashboard.post import Post, Posted
from api.inbound_start import begin_work
from api.route import PathId
from api.schemas.core.client_query import cursor_after
from api.schemas.inbound.log import InboundQuery
from domain.inbound.contracts import WebhookRef
from domain.inbound.errors import InboundWebhookNotFound
from domain.inbound.inbound_webhook import Outcome, WebhookState
from domain.integrations.providers import Provider
from domain.tenants.actor import ANYONE, MANAGERS
from services.inbound.log import read_logged
from services.inbound.replay import replay_webhook
from store.inbound.log import InboundLogRepository, client_of_inbound
from store.inbound.poll_cursors import PollCursorRepository
from store.integrations.integrations import IntegrationRepository

_LOG: Final = "/app/inbound"
_ONE: Final = f"{_LOG}/{{inbound_id}}"
_ID: Final = PathId("inbound_id", "inbound webhook", InboundWebhookNotFound)
_SHOWN_REFUSALS: Final = 100

router = APIRouter(include_in_schema=False)


@router.get(_LOG)
async def inbound(page: AnyonesPage) -> Response:
    query = page.query(InboundQuery)
    async with page.resources.database.reading(page.tenant) as connection:
        log = InboundLogRepository(connection, page.tenant)
        found = await log.page(
            limit=query.limit + 1,
            before=query.cursor,
            provider=query.provider,
            state=query.state,
            outcome=query.outcome,
        )
        refused = await log.refusals(query.refusal_hours, page.now)
    return page.render(
        "inbound/inbound.html",
        webhooks=found[: query.limit],
        cursor=cursor_after(found, query.limit, lambda last: last.id),
        asked=query,
        refused=sum(one.count for one in refused),
        providers=list(Provider),
        states=list(WebhookState),
        outcomes=list(Outcome),
    )


@router.get(f"{_LOG}/refusals")
async def refusals(page: AnyonesPage) -> Response:
    query = page.query(InboundQuery)
    async with page.resources.database.reading(page.tenant) as connection:
        found = await InboundLogRepository(connection, page.tenant).refusals(
            query.refusal_hours, page.now
        )
    return page.render(
        "inbound/refusals.html",
        refusals=found[:_SHOWN_REFUSALS],
        is_cut=len(found) > _SHOWN_REFUSALS,
        hours=query.refusal_hours,
    )


@router.get(f"{_LOG}/polls")
async def polls(page: AnyonesPage) -> Response:
    async with page.resources.database.reading(page.tenant) as connection:
        found = await PollCursorRepository(connection, page.tenant).all()
        entries = await IntegrationRepository(connection, page.tenant).entries()
    providers = {one.id: one.provider for one in entries}
    return page.render("inbound/polls.html", polls=found, providers=providers)


@router.get(_ONE)
async def logged(
    page: Annotated[Page, Depends(OnPage(ANYONE, _ID, client_of_inbound))],
) -> Response:
    async with page.resources.database.reading(page.tenant) as connection:
        found = await read_logged(connection, page.tenant, page.actor, page.record_id)
    return page.render(
        "inbound/logged.html", webhook=found, may_see=page.may(MANAGERS), form=f"{_LOG}/{found.id}"
    )


@router.post(f"{_ONE}/replay")
async def replay(
    post: Annotated[Post, Depends(Posted(MANAGERS, _ID, client_of_inbound))],
) -> Response:
    page = post.page
    async with post.working(to := f"{_LOG}/{page.record_id}") as work:
        starts = await replay_webhook(work, page.actor, page.record_id)
    if starts:
        ref = WebhookRef(client_id=page.tenant, webhook_id=page.record_id)
        await begin_work(ref, page.resources, wake=True)
    return post.done(to, "inbound.started" if starts else "inbound.left")
