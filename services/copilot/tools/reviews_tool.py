"""The copilot tool that reads reviews, for example pending ones."""

from datetime import datetime
from typing import Final

from pydantic import Field

from domain.agent.escalation_reason import EscalationReason
from domain.copilot.answer import CitedKind, DraftedChange
from domain.copilot.tool import CopilotFacts, CopilotInput, Quoted, ToolFindings, quoted
from domain.core.money import Money
from domain.reviews.escalation import EscalationStatus
from domain.reviews.review import Wanted
from domain.tenants.actor import ANYONE, REVIEWERS
from services.copilot.copilot_service import CopilotService, ReadTool
from store.reviews.reviews import ReviewFilter, list_reviews

_PREVIEW: Final = 200


class QueueWanted(CopilotInput):
    status: Wanted = Field(
        default=Wanted.OPEN, description=("Status of the reviews; `open` means pending or claimed.")
    )
    limit: int = Field(default=5, ge=1, le=20)


class WaitingFacts(CopilotFacts):
    review_id: str
    run_id: str
    status: EscalationStatus
    reason: EscalationReason
    urgent: bool
    customer: Quoted | None
    subject: Quoted | None
    preview: Quoted | None
    amount: Money | None = Field(description="The largest amount of money in the review's plan.")
    created_at: datetime
    expires_at: datetime


class QueueFound(CopilotFacts):
    reviews: tuple[WaitingFacts, ...] = Field(
        description="Reviews; urgent ones first, then oldest first."
    )
    has_more: bool


async def _list(copilot: CopilotService, wanted: QueueWanted) -> ToolFindings[QueueFound]:
    async with copilot.database.reading(copilot.tenant) as connection:
        found = await list_reviews(
            connection, copilot.tenant, ReviewFilter(wanted.status), limit=wanted.limit + 1
        )
    shown = found[: wanted.limit]
    facts = tuple(
        WaitingFacts(
            review_id=one.id,
            run_id=one.run_id,
            status=one.status,
            reason=one.reason,
            urgent=one.urgent,
            customer=quoted(one.customer_email, 320),
            subject=quoted(one.subject, _PREVIEW),
            preview=quoted(one.preview, _PREVIEW),
            amount=one.amount,
            created_at=one.created_at,
            expires_at=one.expires_at,
        )
        for one in shown
    )
    pending = (one.review_id for one in facts if one.status is EscalationStatus.PENDING)
    free = next(pending, None)
    return ToolFindings(
        QueueFound(reviews=facts, has_more=len(found) > wanted.limit),
        tuple(
            copilot.cite(CitedKind.REVIEW, one.id, one.subject or one.preview or one.id)
            for one in shown
        ),
        claim_drafts(copilot, free),
    )


def claim_drafts(copilot: CopilotService, review_id: str | None) -> tuple[DraftedChange, ...]:
    """Return a proposed action: claim the review, unless it is None."""
    if review_id is None or not copilot.actor.may(REVIEWERS):
        return ()
    return (
        DraftedChange(
            kind="review.claim",
            changes=f"Claims review {review_id} for you.",
            method="POST",
            path=f"/api/dashboard/reviews/{review_id}/claim",
        ),
    )


LIST_REVIEWS: Final = ReadTool(
    "list_reviews",
    "Reviews that are waiting for a human decision, with the time since each has been waiting.",
    ANYONE,
    ("GET", "/api/dashboard/reviews"),
    QueueWanted,
    _list,
)
