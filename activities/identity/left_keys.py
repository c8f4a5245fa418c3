"""Emails to a client's managers about the API keys of a departed member."""

from collections.abc import Sequence
from typing import Final

from activities.integrations.service_mails import ServiceMails
from activities.runtime.one_by_one import one_by_one
from domain.core.service_name import ServiceName
from domain.integrations.errors import MailUnreachable
from domain.integrations.service_mail import ServiceMail
from domain.tenants.left_keys_mail import left_keys_mail
from services.core.unit_of_work import UnitsOfWork
from store.core.place import Place
from store.tenants.left_keys import Departure, LeftKeyRepository, departures
from store.tenants.standings import MemberStandings

BATCH: Final = 200


class LeftKeyNotices:
    """The part of the sweep that sends notices about API keys of departed members. `dashboard_url`
    is the URL of the page where managers see and revoke keys."""

    def __init__(
        self, units: UnitsOfWork, mails: ServiceMails, *, dashboard_url: str, service: ServiceName
    ) -> None:
        self._units = units
        self._mails = mails
        self._dashboard_url = dashboard_url
        self._service = service

    async def send(self) -> None:
        """Send every notice that is due. Idempotency key: the Message-ID, derived from the id of
        the first key, the time of departure and the manager's user id."""
        await one_by_one(self._due, self._mail, what="notice of keys not mailed")

    async def _due(self, after: Place | None) -> Sequence[Departure]:
        async with self._units.database.service() as connection:
            return await departures(connection, after=after, limit=BATCH)

    async def _mail(self, one: Departure) -> int:
        """Email each manager once, and return the number of departures handled (0 or 1). An email
        is sent twice only if the worker crashes after the mail server has accepted it. A rejected
        email, or one with an unknown outcome, is not sent again."""
        async with self._units.database.reading(one.tenant) as connection:
            keys = await LeftKeyRepository(connection, one.tenant).due(one.left_at)
            members = await MemberStandings(connection, one.tenant).all()
        for member in (it for it in members if it.manages and keys):
            mail = left_keys_mail(
                keys,
                one.left_at,
                member.user_id,
                member.email,
                dashboard_url=self._dashboard_url,
                service=self._service,
            )
            try:
                await self._mails.send_once(ServiceMail.OWNER_NOTICE, mail, one.tenant)
            except MailUnreachable:
                return 0  # The next sweep tries again.
        async with self._units.of(one.tenant) as work:
            await LeftKeyRepository(work.connection, one.tenant).notified(one.left_at)
        return 1
