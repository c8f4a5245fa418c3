"""The rating request at the end of an email, with a link for rating the answer."""

from datetime import timedelta
from typing import Final

from sqlalchemy.ext.asyncio import AsyncConnection

from domain.core.ids import TenantId
from domain.core.ports import Clock, OutgoingMail, Sealer
from domain.ratings.rating_link import RatedRun, rating_link
from domain.ratings.rating_mail import with_rating_link
from store.ratings.ratings import RatingRepository

ASKED_EVERY: Final = timedelta(days=1)


class RatingQuestion:
    """A rating request that is added to emails. `origin` is the service's public URL for customers,
    without a trailing slash."""

    def __init__(self, sealer: Sealer, origin: str, now: Clock) -> None:
        self._sealer = sealer
        self._origin = origin
        self._now = now

    async def added_to(
        self, connection: AsyncConnection, tenant: TenantId, mail: OutgoingMail, run_id: str
    ) -> OutgoingMail:
        """Return the email with a rating request for the run's answer.

        It stays unchanged if the client has disabled ratings, the answer is a question, or another
        rateable answer was sent within ASKED_EVERY.
        """
        now = self._now()
        language = await RatingRepository(connection, tenant).wanted(
            run_id, since=now - ASKED_EVERY
        )
        if language is None:
            return mail
        run = RatedRun(client_id=tenant, run_id=run_id)
        link = rating_link(self._sealer, self._origin, run, now)
        return mail.model_copy(update={"text": with_rating_link(mail.text, link, language)})
