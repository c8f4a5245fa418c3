"""Emails to a client's owner about language models that the agent cannot use."""

from collections.abc import Sequence
from typing import Final

from activities.integrations.service_mails import ServiceMails
from activities.runtime.one_by_one import one_by_one
from domain.agent.model_alarm_mail import model_alarm_mail
from domain.core.service_name import ServiceName
from domain.integrations.errors import MailUnreachable
from domain.integrations.service_mail import ServiceMail
from domain.tenants.client import Role
from services.core.unit_of_work import UnitsOfWork
from store.agent.model_alarms import DueAlarm, ModelAlarms, due_alarms
from store.core.place import Place
from store.tenants.standings import MemberStandings

BATCH: Final = 200


class ModelAlarmNotices:
    """The part of the sweep that sends notices about language models. `dashboard_url` is the URL of
    the page that lists the client's problems."""

    def __init__(
        self, units: UnitsOfWork, mails: ServiceMails, *, dashboard_url: str, service: ServiceName
    ) -> None:
        self._units = units
        self._mails = mails
        self._dashboard_url = dashboard_url
        self._service = service

    async def send(self) -> None:
        """Send every notice that is due. Idempotency key: the Message-ID, derived from the client,
        the fault and the start of the alarm."""
        await one_by_one(self._due, self._mail, what="notice of a language model not mailed")

    async def _due(self, after: Place | None) -> Sequence[DueAlarm]:
        async with self._units.database.service() as connection:
            return await due_alarms(connection, now=self._units.now(), after=after, limit=BATCH)

    async def _mail(self, alarm: DueAlarm) -> int:
        """Email the owner once, and return the number of alarms handled (0 or 1). The email is sent
        twice only if the worker crashes after the mail server has accepted it. A rejected email, or
        one with an unknown outcome, is not sent again."""
        async with self._units.database.reading(alarm.tenant) as connection:
            members = await MemberStandings(connection, alarm.tenant).all()
        for owner in (one for one in members if one.role is Role.OWNER):
            mail = model_alarm_mail(
                alarm.fault,
                alarm.since,
                alarm.tenant,
                owner.email,
                dashboard_url=self._dashboard_url,
                service=self._service,
            )
            try:
                await self._mails.send_once(ServiceMail.OWNER_NOTICE, mail, alarm.tenant)
            except MailUnreachable:
                return 0  # The next sweep tries again.
        async with self._units.of(alarm.tenant) as work:
            await ModelAlarms(work.connection, alarm.tenant).mailed(alarm.fault, work.now)
        return 1
