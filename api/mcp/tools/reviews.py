"""A tool that lists open reviews. Members decide reviews in the dashboard."""

from collections.abc import Sequence
from datetime import datetime
from typing import Final

from pydantic import Field

from api.mcp.results import Limit, McpPage, McpPart, Untrusted, page_of, untrusted
from api.mcp.tool import AtWork, McpTool, ToolInput, tool
from api.schemas.reviews.review import ReviewQuery, cursor_of
from domain.agent.escalation_reason import EscalationReason
from domain.agent.safety.sensitive import SensitiveMatter
from domain.core.money import Money
from domain.reviews.escalation import EscalationStatus
from domain.reviews.review import ReviewSummary, Wanted
from domain.tenants.scopes import Scope
from store.reviews.reviews import list_reviews as reviews_of


class ReviewsWanted(ToolInput):
    status: Wanted = Field(
        default=Wanted.OPEN, description="Status of the reviews; `open` means pending or claimed."
    )
    limit: Limit = 20
    cursor: str | None = Field(
        default=None, max_length=200, description="Value of `next_cursor` from the previous page."
    )


class WaitingReview(McpPart):
    review_id: str
    run_id: str = Field(description="Id of the run, to pass to get_run.")
    status: EscalationStatus
    reason: EscalationReason
    urgent: bool
    sensitive: SensitiveMatter | None
    classification: str
    confidence: float
    customer: Untrusted | None
    subject: Untrusted | None
    preview: Untrusted | None = Field(description="Beginning of the customer's message.")
    amount: Money | None = Field(
        description="Largest amount of money that an action of the plan would move."
    )
    created_at: datetime
    expires_at: datetime
    decide_at: str = Field(
        description=(
            "URL of the dashboard page where a member decides the review. No tool can decide it."
        )
    )


class WaitingReviews(McpPage):
    reviews: tuple[WaitingReview, ...] = Field(
        description="Reviews: urgent reviews first, then oldest first."
    )


async def list_reviews(at_work: AtWork, wanted: ReviewsWanted) -> WaitingReviews:
    query = ReviewQuery(status=wanted.status, cursor=wanted.cursor)
    async with at_work.resources.database.reading(at_work.tenant) as connection:
        found = await reviews_of(
            connection,
            at_work.tenant,
            query.wanted,
            limit=wanted.limit + 1,
            newest_first=False,
            after=query.after,
        )
    dashboard = at_work.resources.settings.server.dashboard

    def page(
        shown: Sequence[ReviewSummary], length: int, cursor: str | None, note: str | None
    ) -> WaitingReviews:
        return WaitingReviews(
            reviews=tuple(_shown(one, length, dashboard) for one in shown),
            next_cursor=cursor,
            note=note,
        )

    return page_of(found, wanted.limit, cursor_of, page)


def _shown(one: ReviewSummary, length: int, dashboard: str) -> WaitingReview:
    return WaitingReview(
        review_id=one.id,
        run_id=one.run_id,
        status=one.status,
        reason=one.reason,
        urgent=one.urgent,
        sensitive=one.sensitive,
        classification=one.classification,
        confidence=one.confidence,
        customer=untrusted(one.customer_email, length),
        subject=untrusted(one.subject, length),
        preview=untrusted(one.preview, length),
        amount=one.amount,
        created_at=one.created_at,
        expires_at=one.expires_at,
        decide_at=f"{dashboard}/reviews/{one.id}",
    )


TOOLS: Final[tuple[McpTool, ...]] = (
    tool(
        "list_reviews",
        "List reviews",
        "List reviews: messages that the agent held for human review. Members decide each review "
        "in the dashboard, at the review's link. No tool can decide a review.",
        scopes=(Scope.REVIEWS_READ,),
        takes=ReviewsWanted,
        gives=WaitingReviews,
        does=list_reviews,
    ),
)
