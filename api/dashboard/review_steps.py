"""The page to show after a form of a review's page."""

from typing import Final

from api.dashboard.inbox_list import TicketList, list_beside, ticket_list, with_list
from api.dashboard.navigation import INBOX
from api.dashboard.post import Post
from services.core.unit_of_work import UnitOfWork
from services.dashboard.forms import standing_in
from store.reviews.review_context import review_context

_LIST: Final = "/app/reviews"


async def list_of_review(post: Post) -> TicketList | None:
    """Return the list from which the member came, or None for the default list. The list is read
    before the decision because the decision may remove the ticket from it."""
    query = list_beside(post.back)
    if not query.text:
        return None
    return await ticket_list(post.page, query, current=post.page.record_id)


async def next_review(post: Post, work: UnitOfWork, listed: TicketList | None) -> str:
    """Return the page after a decision: the next ticket of the member's list, else the list. From
    the default list, the next review that the member may decide takes precedence."""
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


def same_review(post: Post) -> str:
    """Return the URL of this review's page, including the query of the list that the member came
    from."""
    return with_list(f"{_LIST}/{post.page.record_id}", list_beside(post.back))
