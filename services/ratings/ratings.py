"""How a customer rates an answer: by the link in a mail, or in the widget.

No audit entry: a customer is nobody's member, and the rating's row tells it.
"""

from domain.ratings.errors import RatedAnswerNotFound, RatingLinkUnknown
from domain.ratings.rating import GivenRating, Rating, RatingChannel
from domain.widget.errors import SessionUnknown
from domain.widget.widget_session import HeldSession
from services.core.unit_of_work import UnitOfWork
from store.ratings.ratings import RatingRepository
from store.widget.session_states import SessionStateRepository


async def rate_by_link(work: UnitOfWork, run_id: str, given: GivenRating) -> Rating:
    """Keep what the holder of a run's link says, in place of what was said before. Raises
    RatingLinkUnknown where the run is gone."""
    repository = RatingRepository(work.connection, work.tenant)
    kept = await repository.put(work.new_id(), run_id, given, RatingChannel.MAIL, work.now)
    if kept is None:
        raise RatingLinkUnknown
    return kept


async def rate_in_widget(
    work: UnitOfWork, session: HeldSession, number: int, given: GivenRating
) -> Rating:
    """The same of the answer with this number in the visitor's session, which has seen it then.
    Raises SessionUnknown, RatedAnswerNotFound."""
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
