"""Customers' ratings of answers, submitted through the link in an email or in the widget. No audit
entry is written, because a customer is not a member and the rating's row itself is the record."""

from domain.ratings.errors import RatedAnswerNotFound, RatingLinkUnknown
from domain.ratings.rating import GivenRating, Rating, RatingChannel
from domain.widget.errors import SessionUnknown
from domain.widget.widget_session import HeldSession
from services.core.unit_of_work import UnitOfWork
from store.ratings.ratings import RatingRepository
from store.widget.session_states import SessionStateRepository


async def rate_by_link(work: UnitOfWork, run_id: str, given: GivenRating) -> Rating:
    """Store the rating that a customer submitted through a run's link, replacing any earlier
    rating. Raises RatingLinkUnknown if the run no longer exists."""
    repository = RatingRepository(work.connection, work.tenant)
    kept = await repository.put(work.new_id(), run_id, given, RatingChannel.MAIL, work.now)
    if kept is None:
        raise RatingLinkUnknown
    return kept


async def rate_in_widget(
    work: UnitOfWork, session: HeldSession, number: int, given: GivenRating
) -> Rating:
    """Store a visitor's rating of the answer with this number in the widget session, and mark the
    answer as seen. Raises SessionUnknown, RatedAnswerNotFound."""
    repository = RatingRepository(work.connection, work.tenant)
    states = SessionStateRepository(work.connection, work.tenant)
    if not await states.seen(session, number, work.now):
        raise SessionUnknown
    run_id = await repository.run_of_answer(session.id, number)
    kept = run_id and await repository.put(
        work.new_id(), run_id, given, RatingChannel.WIDGET, work.now
    )
    if not kept:
        raise RatedAnswerNotFound
    return kept
