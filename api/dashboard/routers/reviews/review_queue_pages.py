"""/app/reviews: the queue of open reviews, and the list of decided reviews."""

from typing import Annotated, Final, Literal

from fastapi import APIRouter
from pydantic import Field
from starlette.responses import Response

from api.dashboard.page import AnyonesPage
from api.dashboard.people import people_of
from api.dashboard.post import Post, ReviewersPost
from api.schemas.core.client_query import cursor_after
from api.schemas.reviews.review import ReviewQuery, cursor_of
from domain.core.errors import InvalidBody
from domain.core.ids import parse_ulid
from domain.core.money import Money
from domain.reviews.review import Wanted
from domain.tenants.actor import REVIEWERS
from services.core.unit_of_work import UnitOfWork
from services.reviews.claims import claim_review, release_review
from services.reviews.decisions import reject_review
from store.reviews.reviews import ReviewFilter, list_reviews
from store.runs.conversation_lists import ConversationLists

_LIST: Final = "/app/reviews"

router = APIRouter(include_in_schema=False)


class QueuePageQuery(ReviewQuery):
    """Query parameters for the review queue. `sum`: the minimum amount, in decimal notation."""

    tab: Literal["open", "mine", "second", "decided"] = "open"
    sum: Annotated[str | None, Field(pattern=r"^\d{1,9}([.,]\d{1,2})?$")] = None

    def filter_for(self, user_id: str) -> ReviewFilter:
        least = None if self.sum is None else Money.parse(self.sum.replace(",", "."), "EUR").minor
        decided = self.tab == "decided"
        return ReviewFilter(
            status=Wanted.ALL if decided else self.status,
            reason=self.reason,
            classification=self.classification,
            claimed_by=user_id if self.tab == "mine" else None,
            urgent=self.urgent,
            min_amount=least,
            decided=decided,
            awaits_second=self.tab == "second",
        )


@router.get(_LIST)
async def queue(page: AnyonesPage) -> Response:
    query = page.query(QueuePageQuery)
    async with page.resources.database.reading(page.tenant) as connection:
        found = await list_reviews(
            connection,
            page.tenant,
            query.filter_for(page.visit.user.id),
            limit=query.limit + 1,
            newest_first=query.tab == "decided" or query.order == "newest",
            after=query.after,
        )
        channels = await ConversationLists(connection, page.tenant).channels(
            [one.run_id for one in found]
        )
    return page.render(
        "reviews/queue.html",
        reviews=found[: query.limit],
        cursor=cursor_after(found, query.limit, cursor_of),
        asked=query,
        channels=channels,
        people=await people_of(page),
        may_decide=page.may(REVIEWERS),
        user_id=page.visit.user.id,
    )


@router.post(f"{_LIST}/several")
async def several(post: ReviewersPost) -> Response:
    """Claim, release or reject all selected reviews. If the action fails for one review, no review
    changes."""
    chosen = sorted({_review_id(one) for one in post.chosen("review")})
    choice = post.text("do")
    if not chosen or choice not in ("claim", "release", "reject"):
        raise InvalidBody("champ « review »")
    async with post.working(post.back) as work:
        for review_id in chosen:
            await _do(post, work, choice, review_id)
    return post.done(post.back, f"reviews.several_{choice}", count=str(len(chosen)))


async def _do(post: Post, work: UnitOfWork, choice: str, review_id: str) -> None:
    actor = post.page.actor
    match choice:
        case "claim":
            await claim_review(work, actor, review_id)
        case "release":
            await release_review(work, actor, review_id)
        case _:
            await reject_review(work, actor, review_id, post.text("note") or None)


def _review_id(text: str) -> str:
    """Return the review id from the form. Raises InvalidBody if it is not a valid id."""
    found = parse_ulid(text)
    if found is None:
        raise InvalidBody("champ « review »")
    return found
