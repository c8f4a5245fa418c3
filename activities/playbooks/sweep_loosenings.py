"""The sweep of changes that give the agent more permissions: notify managers, and apply those that
are due. It also sends the managers' other notices."""

from collections.abc import Awaitable, Callable, Sequence
from typing import Final

from temporalio import activity

from activities.integrations.service_mails import ServiceMails
from activities.runtime.one_by_one import one_by_one
from domain.cases.digest import NamesModel
from domain.core import names
from domain.core.service_name import ServiceName
from domain.integrations.errors import MailUnreachable
from domain.integrations.service_mail import ServiceMail
from domain.runs.contracts import SweepInput, SweepResult
from domain.tenants.loosening import LooseningState
from domain.tenants.loosening_mail import loosening_mail
from services.core.unit_of_work import UnitsOfWork
from services.playbooks.loosening_approvals import apply_due_loosening, note_mailed
from store.core.place import Place
from store.tenants.loosenings import (
    LeftLoosening,
    LooseningRepository,
    due_loosenings,
    unnotified_loosenings,
)
from store.tenants.standings import MemberStandings

BATCH: Final = 200


class SweepLoosenings:
    """The activity that notifies managers about changes and applies changes. `dashboard_url` is
    where managers decide. `model` returns the brain's name. `notices` send other notices."""

    def __init__(
        self,
        units: UnitsOfWork,
        mails: ServiceMails,
        model: NamesModel,
        notices: Sequence[Callable[[], Awaitable[None]]],
        *,
        dashboard_url: str,
        service: ServiceName,
    ) -> None:
        self._units = units
        self._mails = mails
        self._model = model
        self._notices = notices
        self._dashboard_url = dashboard_url
        self._service = service

    @activity.defn(name=names.SWEEP_LOOSENINGS)
    async def sweep(self, _: SweepInput) -> SweepResult:
        """Email the managers about new changes that give the agent more permissions, then apply
        those that are due.

        Idempotency key of an email: the Message-ID, derived from the ids of the change and the
        manager. Idempotency key of a change: its state, which is set once, under the account's
        lock.
        """
        for send in self._notices:
            await send()
        await one_by_one(self._unnotified, self._mail, what="loosening not mailed")
        return await one_by_one(self._due, self._apply, what="loosening not applied")

    async def _unnotified(self, after: Place | None) -> Sequence[LeftLoosening]:
        async with self._units.database.service() as connection:
            return await unnotified_loosenings(connection, after=after, limit=BATCH)

    async def _due(self, after: Place | None) -> Sequence[LeftLoosening]:
        async with self._units.database.service() as connection:
            return await due_loosenings(connection, now=self._units.now(), after=after, limit=BATCH)

    async def _mail(self, left: LeftLoosening) -> int:
        """Email each manager once, and return the number of changes handled (0 or 1). An email is
        sent twice only if the worker crashes after the mail server has accepted it. A rejected
        email, or one with an unknown outcome, is not sent again."""
        async with self._units.database.reading(left.tenant) as connection:
            loosening = await LooseningRepository(connection, left.tenant).read(left.id)
            members = await MemberStandings(connection, left.tenant).all()
        for member in (one for one in members if one.manages):
            mail = loosening_mail(
                loosening,
                member.user_id,
                member.email,
                dashboard_url=self._dashboard_url,
                service=self._service,
            )
            try:
                await self._mails.send_once(ServiceMail.OWNER_NOTICE, mail, left.tenant)
            except MailUnreachable:
                return 0  # The next sweep tries again.
        async with self._units.of(left.tenant) as work:
            await note_mailed(work, left.id)
        return 1

    async def _apply(self, left: LeftLoosening) -> int:
        async with self._units.of(left.tenant) as work:
            state = await apply_due_loosening(work, left.id, self._model)
        return int(state is LooseningState.APPLIED)
