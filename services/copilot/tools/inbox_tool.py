"""The copilot tool that reads the views of the inbox: how many tickets wait, and the first ones."""

from datetime import datetime
from typing import Final

from pydantic import Field

from domain.agent.escalation_reason import EscalationReason
from domain.copilot.answer import CitedKind
from domain.copilot.tool import CopilotFacts, CopilotInput, Quoted, ToolFindings, quoted
from domain.core.money import Money
from domain.reviews.escalation import EscalationStatus
from domain.runs.inbox import InboxFilter, InboxTicket, InboxView
from domain.tenants.actor import ANYONE
from services.copilot.copilot_service import CopilotService, ReadTool
from services.copilot.tools.reviews_tool import claim_drafts
from services.reviews.inbox import count_view, read_inbox
from store.reviews.open_reviews import MOST

_PREVIEW: Final = 200


class InboxWanted(CopilotInput):
    view: InboxView = Field(
        default=InboxView.NEEDS,
        description=(
            "View of the inbox. `needs`: tickets that need the team. `mine`: the user's own. "
            "`second`: one of two approvals given. `unanswered`: messages without an answer."
        ),
    )
    limit: int = Field(default=5, ge=1, le=20)


class TicketFacts(CopilotFacts):
    """A ticket. `review_id` is the open review, or null if only the message waits."""

    review_id: str | None
    conversation_id: str | None
    customer: Quoted | None
    subject: Quoted | None
    preview: Quoted | None
    reason: EscalationReason | None
    urgent: bool
    amount: Money | None
    waiting_since: datetime | None


class InboxFound(CopilotFacts):
    count: int = Field(description="Number of tickets in the view, counted up to a maximum.")
    is_more: bool = Field(description="Whether there are more tickets than `count`.")
    tickets: tuple[TicketFacts, ...] = Field(
        description="The first tickets: urgent ones first, then the longest wait."
    )


async def _read(copilot: CopilotService, wanted: InboxWanted) -> ToolFindings[InboxFound]:
    async with copilot.database.reading(copilot.tenant) as connection:
        count = await count_view(
            connection, copilot.tenant, copilot.actor, wanted.view, now=copilot.now
        )
        page = await read_inbox(
            connection,
            copilot.tenant,
            copilot.actor,
            InboxFilter(view=wanted.view),
            limit=wanted.limit,
            now=copilot.now,
        )
    pending = (
        one.review_id for one in page.tickets if one.review_status is EscalationStatus.PENDING
    )
    return ToolFindings(
        InboxFound(
            count=min(count, MOST),
            is_more=count > MOST,
            tickets=tuple(map(_facts, page.tickets)),
        ),
        (
            copilot.cite(CitedKind.REVIEWS, "reviews", ""),
            *(
                copilot.cite(*ticket_page(one.review_id, one.conversation_id), one.subject or "")
                for one in page.tickets
            ),
        ),
        claim_drafts(copilot, next(pending, None)),
    )


def ticket_page(review_id: str | None, conversation_id: str | None) -> tuple[CitedKind, str]:
    """Return the kind and id of a ticket's page: the review's, else the conversation's."""
    if review_id is not None:
        return CitedKind.REVIEW, review_id
    return CitedKind.CONVERSATION, conversation_id or ""


def _facts(one: InboxTicket) -> TicketFacts:
    return TicketFacts(
        review_id=one.review_id,
        conversation_id=one.conversation_id,
        customer=quoted(one.customer_email, 320),
        subject=quoted(one.subject, _PREVIEW),
        preview=quoted(one.preview, _PREVIEW),
        reason=one.reason,
        urgent=one.urgent,
        amount=one.amount,
        waiting_since=one.waiting_since,
    )


READ_INBOX: Final = ReadTool(
    "read_inbox",
    "A view of the inbox: the number of tickets, and the tickets that come first. Use it to say "
    "how many tickets wait.",
    ANYONE,
    ("GET", "/api/dashboard/inbox"),
    InboxWanted,
    _read,
)
