"""/app/reviews/{id}: one review with its context, where members claim and decide the review."""

import asyncio
from typing import Annotated, Final

from fastapi import APIRouter, Depends
from starlette.responses import Response

from api.dashboard.inbox_list import TicketList, list_beside, ticket_list, with_list
from api.dashboard.navigation import INBOX
from api.dashboard.page import OnPage, Page
from api.dashboard.people import people_of
from api.dashboard.post import Post, Posted
from api.dashboard.routers.reviews.review_view import (
    diffs_of,
    is_claimed_by_other,
    plan_seen_of,
    rules_of,
    seen_of,
)
from api.dashboard.typed import Typed
from api.route import PathId
from domain.agent.plan import ON_ORDERS
from domain.reviews.errors import EscalationChanged, EscalationNotFound
from domain.reviews.escalation import OPEN_STATUSES
from domain.tenants.actor import ANYONE, MANAGERS, REVIEWERS
from services.core.unit_of_work import UnitOfWork
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
    listed = await ticket_list(page, list_beside(page.path), current=found.id)
    diff, since = await asyncio.to_thread(diffs_of, found, drafts.get(f"{form}/approve"))
    return page.render(
        "reviews/review.html",
        review=found,
        context=context,
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
        edit=Typed.of({"text": found.draft}, drafts.get(f"{form}/edit")),
        reject=Typed.of({"note": ""}, drafts.get(f"{form}/reject")),
        address=f"{page.resources.settings.server.origin}{form}?client_id={page.tenant}",
    )


@router.post(f"{_REVIEW}/claim")
async def claim(post: ReviewPost) -> Response:
    """Claim the review. `force`: whether to take over a teammate's claim."""
    page, to = post.page, _same(post)
    async with post.working(to) as work:
        await claim_review(work, page.actor, page.record_id, force=post.ticked("force"))
    return post.done(to, "reviews.claimed")


@router.post(f"{_REVIEW}/release")
async def release(post: ReviewPost) -> Response:
    page, to = post.page, _same(post)
    async with post.working(to) as work:
        await release_review(work, page.actor, page.record_id)
    return post.done(to, "reviews.released")


@router.post(f"{_REVIEW}/approve")
async def approve(post: ReviewPost) -> Response:
    """Approve the review. The form contains the draft, the plan and the latest message that the
    reviewer saw."""
    page, listed = post.page, await _list_of(post)
    async with post.working() as work:
        to = await _next(post, work, listed)
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
    page, listed = post.page, await _list_of(post)
    async with post.working() as work:
        to = await _next(post, work, listed)
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
    page, listed = post.page, await _list_of(post)
    async with post.working() as work:
        to = await _next(post, work, listed)
        outcome = await reject_review(
            work, page.actor, page.record_id, post.text("note").strip() or None
        )
    return _decided(post, outcome, to, "reviews.rejected")


async def _list_of(post: Post) -> TicketList | None:
    """Return the list from which the member came, or None for the default list. The list is read
    before the decision, because the decision may remove the ticket from it."""
    query = list_beside(post.back)
    if not query.text:
        return None
    return await ticket_list(post.page, query, current=post.page.record_id)


async def _next(post: Post, work: UnitOfWork, listed: TicketList | None) -> str:
    """Return the page to show after a decision. If the member came from a list other than the
    default list, it shows the next ticket in that list. Otherwise, it shows the next review that
    the member may decide. If none is left, it shows the list."""
    if listed is not None:
        to = listed.beside(1) or listed.beside(-1) or listed.address
    else:
        page, user_id = post.page, post.page.visit.user.id
        context = await review_context(
            standing_in(work), page.tenant, page.record_id, user_id, work.now
        )
        other = context.next_id or context.previous_id
        to = f"{_LIST}/{other}" if other else INBOX
    await post.leads_to(work, to)
    return to


def _same(post: Post) -> str:
    """Return the URL of this review's page, including the query of the list that the member came
    from."""
    return with_list(f"{_LIST}/{post.page.record_id}", list_beside(post.back))


def _decided(post: Post, outcome: DecisionOutcome, to: str, key: str) -> Response:
    if outcome.awaits_second:
        # Stay on this review's page, because it has the link to send to the second approver.
        return post.done(_same(post), "reviews.first_of_two")
    return post.done(to, key)


def _revision(post: Post) -> int | None:
    """Return the revision shown in the form, or None for a form rendered by an older release."""
    given = post.text("revision")
    return int(given) if given.isascii() and given.isdecimal() and len(given) < 10 else None
