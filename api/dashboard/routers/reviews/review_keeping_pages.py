"""Pages that save the result of a review as a case or as a knowledge entry."""

import asyncio
from typing import Annotated, Final

from fastapi import APIRouter, Depends
from starlette.responses import Response

from api.dashboard.page import OnPage, Page
from api.dashboard.post import Post, Posted
from api.route import PathId
from api.schemas.content.content import NewEntryBody
from domain.cases.anonymized import anonymized
from domain.content.content import unchosen_language
from domain.intake.order_number import find_order_numbers
from domain.reviews.errors import EscalationNotFound
from domain.reviews.review import Review
from domain.tenants.actor import MANAGERS, REVIEWERS
from services.cases.cases_from_runs import add_case_of_run
from services.content.knowledge import add_knowledge
from services.dashboard.forms import standing_in
from store.reviews.escalations import client_of
from store.reviews.reviews import read_review

_LIST: Final = "/app/reviews"
_KNOWLEDGE: Final = f"{_LIST}/{{review_id}}/knowledge"
_ID: Final = PathId("review_id", "review", EscalationNotFound)

router = APIRouter(include_in_schema=False)


@router.post(f"{_LIST}/{{review_id}}/case")
async def keep_as_case(
    post: Annotated[Post, Depends(Posted(REVIEWERS, _ID, client_of))],
) -> Response:
    page = post.page
    async with post.working(post.back) as work:
        found = await read_review(standing_in(work), page.tenant, page.record_id)
        case = await add_case_of_run(work, page.actor, found.run_id)
    return post.done(post.back, "reviews.kept_as_case", name=case.name)


@router.get(_KNOWLEDGE)
async def knowledge(page: Annotated[Page, Depends(OnPage(MANAGERS, _ID, client_of))]) -> Response:
    async with page.resources.database.reading(page.tenant) as connection:
        found = await read_review(connection, page.tenant, page.record_id)
    form = f"{_LIST}/{found.id}/knowledge"
    return page.render(
        "reviews/knowledge.html",
        review=found,
        form=form,
        typed=await page.typed(form, await asyncio.to_thread(_entry, found)),
    )


@router.post(_KNOWLEDGE)
async def keep_as_knowledge(
    post: Annotated[Post, Depends(Posted(MANAGERS, _ID, client_of))],
) -> Response:
    to = f"{_LIST}/{post.page.record_id}"
    body = post.body(
        NewEntryBody,
        title=post.text("title"),
        body=post.text("body"),
        language=post.text("language")
        or unchosen_language((post.text("title"), post.text("body")), post.page.language),
    )
    async with post.working(to) as work:
        await add_knowledge(
            work, post.page.actor, title=body.title, body=body.body, language=body.language
        )
    return post.done(to, "reviews.kept_as_knowledge")


def _entry(found: Review) -> dict[str, str]:
    """Return a knowledge entry created from the answer, without the customer's personal data."""
    numbers = find_order_numbers(found.draft)
    body = anonymized(found.draft, email=found.customer_email, name=None, order_numbers=numbers)
    return {"title": "", "body": body, "language": ""}
