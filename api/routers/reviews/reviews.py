"""/api/dashboard/reviews: drafts held for human review, and the decisions about them."""

from typing import Annotated, Final

from fastapi import APIRouter, Depends

from api.access import Asked, InClientOf, MemberAt, QueryInClient
from api.resources import ResourcesDep
from api.route import DescribedRoute, JsonBody, PathId, errors
from api.schemas.core.client_query import cursor_after
from api.schemas.reviews.review import (
    ApproveBody,
    ClaimAnswer,
    ClaimBody,
    DecisionAnswer,
    EditReviewBody,
    RejectBody,
    ReleaseBody,
    ReviewPage,
    ReviewQuery,
    cursor_of,
)
from domain.reviews.errors import EscalationNotFound
from domain.reviews.escalation import EscalationStatus
from domain.reviews.review import Review
from domain.reviews.waiting import ShownWait
from domain.tenants.actor import ANYONE, REVIEWERS
from services.core.unit_of_work import UnitOfWork
from services.reviews.claims import claim_review, release_review
from services.reviews.decisions import approve_review, edit_review, reject_review
from services.reviews.waiting import waiting_of_run
from store.reviews.escalations import DecisionOutcome, client_of
from store.reviews.reviews import list_reviews, read_review

router = APIRouter(route_class=DescribedRoute)

_REVIEWS: Final = "/api/dashboard/reviews"
_REVIEW: Final = f"{_REVIEWS}/{{review_id}}"
_ID: Final = PathId("review_id", "review", EscalationNotFound)
Reader = Annotated[MemberAt, Depends(InClientOf(ANYONE, _ID, client_of))]
Reviewer = Annotated[MemberAt, Depends(InClientOf(REVIEWERS, _ID, client_of))]


@router.get(_REVIEWS, operation_id="reviews.list", summary="List a client's reviews")
async def reviews(
    asked: Annotated[Asked[ReviewQuery], Depends(QueryInClient(ReviewQuery))],
    resources: ResourcesDep,
) -> ReviewPage:
    """The list is paginated. By default, urgent reviews come first, then the oldest reviews.
    `order` selects another order. Reviews created between two requests do not shift later pages."""
    query = asked.query
    async with resources.database.reading(asked.tenant) as connection:
        found = await list_reviews(
            connection,
            asked.tenant,
            query.wanted,
            limit=query.limit + 1,
            newest_first=query.order == "newest",
            after=query.after,
        )
    return ReviewPage(
        reviews=found[: query.limit], next_cursor=cursor_after(found, query.limit, cursor_of)
    )


@router.get(_REVIEW, operation_id="reviews.get", summary="Get a review with its full context")
async def review(reader: Reader, resources: ResourcesDep) -> Review:
    """Any member of the client may call this operation. The context contains the customer's
    messages, the draft, the plan and the knowledge used for the draft."""
    async with resources.database.reading(reader.tenant) as connection:
        found = await read_review(connection, reader.tenant, reader.record_id)
        waiting = await waiting_of_run(
            connection, reader.tenant, reader.actor, found.run_id, resources.now()
        )
    return found.model_copy(update={"waiting": ShownWait.of(waiting)})


@router.post(
    f"{_REVIEW}/claim",
    operation_id="reviews.claim",
    summary="Claim a review for 30 minutes",
    responses=errors(409),
)
async def claim(
    reviewer: Reviewer,
    body: Annotated[ClaimBody, Depends(JsonBody(ClaimBody, optional=True))],
    resources: ResourcesDep,
) -> ClaimAnswer:
    """Claiming your own review again renews the claim. `force` requires the owner or admin role."""
    async with resources.work.of(reviewer.tenant) as work:
        claimed = await claim_review(work, reviewer.actor, reviewer.record_id, force=body.force)
    return ClaimAnswer(review_id=reviewer.record_id, status=EscalationStatus.CLAIMED, claim=claimed)


@router.post(
    f"{_REVIEW}/release",
    operation_id="reviews.release",
    summary="Release the claim on a review",
    responses=errors(409),
)
async def release(
    reviewer: Reviewer,
    _: Annotated[ReleaseBody, Depends(JsonBody(ReleaseBody, optional=True))],
    resources: ResourcesDep,
) -> ClaimAnswer:
    """Other members can then claim the review. This operation requires the owner, admin or agent
    role."""
    async with resources.work.of(reviewer.tenant) as work:
        await release_review(work, reviewer.actor, reviewer.record_id)
    return ClaimAnswer(review_id=reviewer.record_id, status=EscalationStatus.PENDING, claim=None)


@router.post(
    f"{_REVIEW}/approve",
    operation_id="reviews.approve",
    summary="Approve the plan with the draft",
    responses=errors(409),
)
async def approve(
    reviewer: Reviewer,
    body: Annotated[ApproveBody, Depends(JsonBody(ApproveBody, optional=True))],
    resources: ResourcesDep,
) -> DecisionAnswer:
    """If two people must approve, the review stays open after the first approval. A later message
    from the customer invalidates that approval."""
    async with resources.work.of(reviewer.tenant) as work:
        outcome = await approve_review(
            work,
            reviewer.actor,
            reviewer.record_id,
            seen=body.draft,
            seen_event=body.latest_message,
            seen_revision=body.revision,
        )
    return _answer(outcome, reviewer, work)


@router.post(
    f"{_REVIEW}/edit",
    operation_id="reviews.edit",
    summary="Approve the plan with an edited reply",
    responses=errors(409),
)
async def edit(
    reviewer: Reviewer,
    body: Annotated[EditReviewBody, Depends(JsonBody(EditReviewBody))],
    resources: ResourcesDep,
) -> DecisionAnswer:
    """If two people must approve, the second person approves the edited reply or writes another
    one."""
    async with resources.work.of(reviewer.tenant) as work:
        outcome = await edit_review(
            work,
            reviewer.actor,
            reviewer.record_id,
            body.text,
            seen_event=body.latest_message,
            seen_revision=body.revision,
        )
    return _answer(outcome, reviewer, work)


@router.post(
    f"{_REVIEW}/reject",
    operation_id="reviews.reject",
    summary="Reject the plan and hand off the ticket to a human agent",
    responses=errors(409),
)
async def reject(
    reviewer: Reviewer,
    body: Annotated[RejectBody, Depends(JsonBody(RejectBody, optional=True))],
    resources: ResourcesDep,
) -> DecisionAnswer:
    """The AI agent no longer acts in this conversation. One person's rejection is sufficient."""
    async with resources.work.of(reviewer.tenant) as work:
        outcome = await reject_review(work, reviewer.actor, reviewer.record_id, body.note)
    return _answer(outcome, reviewer, work)


def _answer(outcome: DecisionOutcome, reviewer: MemberAt, work: UnitOfWork) -> DecisionAnswer:
    """Return the response to a decision. Call this function only after the commit because the run
    is signalled only then."""
    return DecisionAnswer(
        review_id=reviewer.record_id,
        status=outcome.status,
        awaiting_second=outcome.awaits_second,
        signalled=reviewer.record_id in work.woken,
    )
