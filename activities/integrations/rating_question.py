"""The question at the end of a mail: was this answer helpful, with the link that answers it."""

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
    """`origin`: where customers reach this service, without a slash at its end."""

    def __init__(self, sealer: Sealer, origin: str, now: Clock) -> None:
        self._sealer = sealer
        self._origin = origin
        self._now = now

    async def added_to(
        self, connection: AsyncConnection, tenant: TenantId, mail: OutgoingMail, run_id: str
    ) -> OutgoingMail:
        """The mail with the question about the run's answer; as it is, where the client asks for no
        ratings, the answer itself asks the customer something, or the conversation had an answer
        to rate within a day."""
        now = self._now()
        language = await RatingRepository(connection, tenant).wanted(
            run_id, since=now - ASKED_EVERY
        )
        if language is None:
            return mail
        run = RatedRun(client_id=tenant, run_id=run_id)
        link = rating_link(self._sealer, self._origin, run, now)
        return mail.model_copy(update={"text": with_rating_link(mail.text, link, language)})
