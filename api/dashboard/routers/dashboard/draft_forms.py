"""/app/drafts: drafts of form input, stored while the user types. A draft is deleted when the form
is submitted or the user discards the draft."""

from typing import Annotated, Final

from fastapi import APIRouter, Depends
from starlette.responses import Response

from api.dashboard.next_page import next_page
from api.dashboard.post import Post, Posted
from api.dashboard.typed import kept_fields
from domain.tenants.actor import ANYONE
from services.dashboard.forms import drop_draft, keep_draft, was_sent

FORM: Final = "_form"
"""Name of the form field with the form's submission path."""

router = APIRouter(include_in_schema=False)
# A draft saved by a background tab must not switch the client of other tabs.
AnyonesPost = Annotated[Post, Depends(Posted(ANYONE, stays=False))]


@router.post("/app/drafts")
async def keep(post: AnyonesPost) -> Response:
    page = post.page
    form = next_page(post.text(FORM))
    async with page.resources.work.of(page.tenant) as work:
        # A draft that arrives after the form was submitted is discarded. Otherwise the submitted
        # input would reappear as unsent.
        if not await was_sent(work, form, post.once):
            await keep_draft(work, page.visit.user.id, form, kept_fields(post.fields))
    return Response(status_code=204)


@router.post("/app/drafts/drop")
async def drop(post: AnyonesPost) -> Response:
    page = post.page
    async with page.resources.work.of(page.tenant) as work:
        await drop_draft(work, page.visit.user.id, next_page(post.text("form")))
    return post.done(post.back, "frame.dropped")
