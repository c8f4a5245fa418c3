"""/app/webhooks/ID/debug and /app/webhooks/events: help for developers of webhook endpoints."""

import asyncio
import json
from typing import Annotated, Final

from fastapi import APIRouter, Depends
from starlette.responses import Response

from api.dashboard.page import OnPage, Page
from api.dashboard.post import Post, Posted
from api.dashboard.routers.webhooks.webhook_pages import LIST, WEBHOOK, WEBHOOK_ID, WebhookPage
from api.dashboard.snippets import VERIFYING
from api.dashboard.typed import Typed
from api.schemas.webhooks.delivery import MAX_PASTED, VerifySignatureBody
from domain.tenants.actor import MANAGERS
from domain.webhooks.catalogue import entries
from domain.webhooks.pasted_headers import pasted_of
from services.dashboard.forms import standing_in
from services.webhooks.deliveries import signature_evidence
from store.webhooks.subscriptions import WebhookRepository, client_of

router = APIRouter(include_in_schema=False)
DebugPost = Annotated[
    Post, Depends(Posted(MANAGERS, WEBHOOK_ID, client_of, long_fields={"body": MAX_PASTED}))
]

_EVENTS: Final = f"{LIST}/events"
_BLANK: Final = {"headers": "", "body": ""}


@router.get(_EVENTS)
async def events(page: Annotated[Page, Depends(OnPage(MANAGERS))]) -> Response:
    """Show all webhook events, with the schema and an example of the event that the query names."""
    named = page.request.query_params.get("event", "")
    found = next((one for one in entries() if one.event == named), None)
    return page.render(
        "webhooks/events.html",
        events=entries(),
        event=found,
        example=_pretty(found.example) if found else "",
        schema=_pretty(found.body_schema) if found else "",
    )


@router.get(f"{WEBHOOK}/debug")
async def debugger(page: WebhookPage) -> Response:
    async with page.resources.database.reading(page.tenant) as connection:
        found = await WebhookRepository(connection, page.tenant).read(page.record_id)
    form = f"{LIST}/{found.id}/debug"
    return page.render(
        "webhooks/debug.html",
        webhook=found,
        form=form,
        typed=await page.typed(form, _BLANK),
        explanation=None,
        verifying=VERIFYING,
    )


@router.post(f"{WEBHOOK}/debug")
async def debug(post: DebugPost) -> Response:
    """Explain why a signature does not verify. The form can be submitted any number of times
    because it has no side effects."""
    page = post.page
    pasted = pasted_of(post.text("headers"), post.text("body"))
    body = post.body(
        VerifySignatureBody,
        signature=pasted.signature,
        timestamp=pasted.timestamp,
        message_id=pasted.message_id,
        body=post.text("body"),
    )
    async with page.resources.work.of(page.tenant) as work:
        evidence = await signature_evidence(
            work, page.actor, page.record_id, sealer=page.resources.sealer
        )
        found = await WebhookRepository(standing_in(work), page.tenant).read(page.record_id)
    # The check runs in a thread because a long body takes several tenths of a second.
    explanation = await asyncio.to_thread(evidence.explain, body.pasted)
    return page.render(
        "webhooks/debug.html",
        webhook=found,
        form=post.form,
        typed=Typed.of({name: post.text(name) for name in _BLANK}, None),
        explanation=explanation,
        verifying=VERIFYING,
    )


def _pretty(value: object) -> str:
    return json.dumps(value, ensure_ascii=False, indent=2)
