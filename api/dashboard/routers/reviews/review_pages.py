"""/app/reviews/{id}: one review with its context, where members claim and decide the review."""

import asyncio
from typing import Annotated, Final

from fastapi import APIRouter, Depends
from starlette.responses import Response

from api.dashboard.inbox_list import list_beside, ticket_list
from api.dashboard.macros import MacroQuery, macro_of, macros_of
from api.dashboard.page import OnPage, Page
from api.dashboard.people import people_of
from api.dashboard.post import Post, Posted
from api.dashboard.review_reason import reason_of_review
from api.dashboard.review_steps import list_of_review, next_review, same_review
from api.dashboard.routers.reviews.review_view import (
    diffs_of,
    is_claimed_by_other,
    plan_seen_of,
    rules_of,
    seen_of,
)
from api.dashboard.ticket_customer import ticket_customer
from api.dashboard.typed import Typed
from api.route import PathId
from domain.agent.plan import ON_ORDERS
from domain.reviews.errors import EscalationChanged, EscalationNotFound
from domain.reviews.escalation import OPEN_STATUSES
from domain.tenants.actor import ANYONE, MANAGERS, REVIEWERS
from services.dashboard.forms import standing_in
from services.reviews.approvers import missing_approver
from services.reviews.claims import claim_review, release_review
from services.reviews.decisions import approve_review, edit_review, reject_review
from services.reviews.waiting import waiting_of_run
from store.dashboard.page_drafts import PageDrafts
from store.reviews.escalations import DecisionOutcome, client_of
from store.reviews.review_context import review_context
from store.reviews.reviews import read_review

_LIST: Final = "/app/reviews"
_REVIEW: Final = f"{_LIST}/{{review_id}}"
_ID: Final = PathId("review_id", "review", EscalationNotFound)

router = APIRouter(include_in_schema=False)
ReviewPost = Annotated[Post, Depends(Posted(REVIEWERS, _ID, client_of))]


@router.get(_REVIEW)
async def review(page: Annotated[Page, Depends(OnPage(ANYONE, _ID, client_of))]) -> Response:
    user_id = page.visit.user.id
    form = f"{_LIST}/{page.record_id}"
    async with page.resources.database.reading(page.tenant) as connection:
        found = await read_review(connection, page.tenant, page.record_id)
        context = await review_context(connection, page.tenant, found.id, user_id, page.now)
        waiting = await waiting_of_run(connection, page.tenant, page.actor, found.run_id, page.now)
        is_open = found.status in OPEN_STATUSES
        missing = None
        if is_open and (found.needs_second or user_id in found.authors):
            missing = await missing_approver(
                connection, page.tenant, user_id, page.now, needs_two=found.needs_second
            )
        drafts = await PageDrafts(connection, page.tenant, user_id).read_all(
            [f"{form}/approve", f"{form}/edit", f"{form}/reject"]
        )
    query, edit = page.query(MacroQuery), drafts.get(f"{form}/edit")
    typed = Typed.of({"text": found.draft}, edit)
    macros = None
    if is_open and page.may(REVIEWERS):
        macros = await macros_of(page, found.latest_message, context.language, query.macro)
        if query.template is not None:
            filled = await macro_of(page, found.latest_message, query.template)
            text = "\n\n".join(filter(None, (typed["text"].rstrip(), filled.text)))
            typed = Typed({**typed.fields, "text": text}, edit)
    listed = await ticket_list(page, list_beside(page.path), current=found.id)
    diff, since = await asyncio.to_thread(diffs_of, found, drafts.get(f"{form}/approve"))
    return page.render(
        "reviews/review.html",
        review=found,
        context=context,
        reason=reason_of_review(found, context),
        customer=await ticket_customer(page, found.customer_email),
        waiting=waiting,
        form=form,
        inbox_view=listed.query.view,
        saved_views=listed.names,
        listed=listed,
        people=await people_of(page),
        user_id=user_id,
        is_open=is_open,
        missing=missing,
        claimed_by_other=is_claimed_by_other(found, user_id, page.now),
        may_decide=page.may(REVIEWERS),
        may_force=page.may(MANAGERS),
        rules=rules_of(found, context),
        order_actions=[action for action in found.plan if action.kind in ON_ORDERS],
        diff=diff,
        since=since,
        seen=seen_of(found),
        plan_seen=plan_seen_of(found),
        edit=typed,
        macros=macros,
        writes=query.template is not None or bool(query.macro),
        reject=Typed.of({"note": ""}, drafts.get(f"{form}/reject")),
        address=f"{page.resources.settings.server.origin}{form}?client_id={page.tenant}",
    )


@router.get(f"{_REVIEW}/templates")
async def templates(
    page: Annotated[Page, Depends(OnPage(REVIEWERS, _ID, client_of))],
) -> Response:
    """Return the templates that match a search, to insert into the reply."""
    async with page.resources.database.reading(page.tenant) as connection:
        found = await read_review(connection, page.tenant, page.record_id)
    query = page.query(MacroQuery)
    macros = await macros_of(page, found.latest_message, query.language, query.macro)
    return page.render("reviews/macros_found.html", macros=macros)


@router.post(f"{_REVIEW}/claim")
async def claim(post: ReviewPost) -> Response:
    """Claim the review. `force`: whether to take over a teammate's claim."""
    page, to = post.page, same_review(post)
    async with post.working(to) as work:
        await claim_review(work, page.actor, page.record_id, force=post.ticked("force"))
    return post.done(to, "reviews.claimed")


@router.post(f"{_REVIEW}/release")
async def release(post: ReviewPost) -> Response:
    page, to = post.page, same_review(post)
    async with post.working(to) as work:
        await release_review(work, page.actor, page.record_id)
    return post.done(to, "reviews.released")


@router.post(f"{_REVIEW}/approve")
async def approve(post: ReviewPost) -> Response:
    """Approve the review. The form contains the draft, the plan and the latest message that the
    reviewer saw."""
    page, listed = post.page, await list_of_review(post)
    async with post.working() as work:
        to = await next_review(post, work, listed)
        there = await read_review(standing_in(work), page.tenant, page.record_id)
        # Browsers send line breaks in forms as CRLF.
        is_same = post.text("draft") == there.draft.replace("\r\n", "\n")
        outcome = await approve_review(
            work,
            page.actor,
            page.record_id,
            seen=there.draft if is_same else post.text("draft"),
            seen_event=post.text("latest_message") or None,
            seen_revision=_revision(post),
        )
        if not is_same or post.text("plan") != plan_seen_of(there):
            raise EscalationChanged(page.record_id)
    return _decided(post, outcome, to, "reviews.approved")


@router.post(f"{_REVIEW}/edit")
async def edit(post: ReviewPost) -> Response:
    """Send an edited reply and execute the plan."""
    page, listed = post.page, await list_of_review(post)
    async with post.working() as work:
        to = await next_review(post, work, listed)
        there = await read_review(standing_in(work), page.tenant, page.record_id)
        outcome = await edit_review(
            work,
            page.actor,
            page.record_id,
            post.text("text"),
            seen_event=post.text("latest_message") or None,
            seen_revision=_revision(post),
        )
        post.check_seen(seen_of(there))
    return _decided(post, outcome, to, "reviews.edited")


@router.post(f"{_REVIEW}/reject")
async def reject(post: ReviewPost) -> Response:
    page, listed = post.page, await list_of_review(post)
    async with post.working() as work:
        to = await next_review(post, work, listed)
        outcome = await reject_review(
            work, page.actor, page.record_id, post.text("note").strip() or None
        )
    return _decided(post, outcome, to, "reviews.rejected")


def _decided(post: Post, outcome: DecisionOutcome, to: str, key: str) -> Response:
    if outcome.awaits_second:
        # Stay on this review's page because it has the link to send to the second approver.
        return post.done(same_review(post), "reviews.first_of_two")
    return post.done(to, key)


def _revision(post: Post) -> int | None:
    """Return the revision shown in the form, or None for a form rendered by an older release."""
    given = post.text("revision")
    return int(given) if given.isascii() and given.isdecimal() and len(given) < 10 else None
