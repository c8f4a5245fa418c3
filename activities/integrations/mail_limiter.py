"""Limits on outgoing email. Each email is counted before it is sent, and rejected above a limit."""

from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from contextlib import asynccontextmanager
from datetime import datetime

import structlog

from domain.core.errors import EngineUnavailable
from domain.core.ids import TenantId
from domain.core.ports import Clock, Sealer, ServicePermit
from domain.integrations.errors import MailLimitReached, MailRefused, MailUnreachable
from domain.integrations.mail_allowance import (
    UNPAID_PER_DAY,
    UNPAID_PER_RECIPIENT,
    UNPAID_PER_SENDER,
    MailGroup,
    is_accountable,
    is_new,
    mails_per_day,
)
from domain.integrations.service_mail import LIMITS, ServiceMail
from domain.tenants.errors import ClientNotFound
from domain.tenants.four_eyes import mailbox
from store.core.database import Database
from store.integrations.mail_counts import MailCount, MailCountRepository

_Change = Callable[[MailCountRepository, MailCount, datetime], Awaitable[None]]

_log = structlog.get_logger(__name__)


class MailLimiter:
    """A limiter for outgoing emails. `sealer`: computes digests of addresses, so that the counters
    contain no addresses."""

    def __init__(self, database: Database, sealer: Sealer, now: Clock) -> None:
        self._database = database
        self._sealer = sealer
        self._now = now

    @asynccontextmanager
    async def service_mail(
        self, kind: ServiceMail, to: str, tenant: TenantId | None
    ) -> AsyncIterator[ServicePermit]:
        """Count one service email, and yield a permit to send it. It counts toward its address's
        limit and, for some kinds, the limit of its client. Raises MailLimitReached."""
        limit = LIMITS[kind]
        digest = self._digest(kind, to)
        day = MailCount(f"address/{kind}", digest, limit.per_address)
        hour = MailCount(f"address/{kind}/{self._now().hour:02d}", digest, limit.more_an_hour)
        client = tenant if limit.uses_allowance else None
        async with self._counted(client, MailGroup.MEMBERS, [(day, hour)]):
            yield ServicePermit(to)

    @asynccontextmanager
    async def client_mail(
        self, tenant: TenantId, group: MailGroup, *, to: str, sender: str | None = None
    ) -> AsyncIterator[None]:
        """Count one email that the service's server sends for a client while the block sends it.

        `group` is the client's allowance. `sender` is the client's verified sender, or None. Anyone
        can open an account, so unaccountable clients also share limits. Raises MailLimitReached.
        """
        together = [MailCount("unpaid/recipient", self._digest("unpaid", to), UNPAID_PER_RECIPIENT)]
        if sender is not None:
            key = self._digest("sender", sender)
            together.append(MailCount("unpaid/sender", key, UNPAID_PER_SENDER))
        async with self._counted(tenant, group, [], together):
            yield

    def _digest(self, kind: str, address: str) -> str:
        # One mailbox has many spellings, such as tags after a plus sign.
        return self._sealer.digests(f"mail/{kind}/{mailbox(address)}")[0].hex()

    @asynccontextmanager
    async def _counted(
        self,
        client: TenantId | None,
        group: MailGroup,
        wanted: list[tuple[MailCount, ...]],
        together: Sequence[MailCount] = (),
    ) -> AsyncIterator[None]:
        """Count the email, and run the block that sends it.

        In each group of `wanted`, the first counter below its limit counts the email. `together`
        are further counters for an unaccountable client. An undelivered email is not counted, and a
        rejection is counted as such.
        """
        now = self._now()
        async with self._database.service() as connection:
            repository = MailCountRepository(connection)
            if client is not None:
                try:
                    standing = await repository.standing(client, group, now)
                except ClientNotFound:
                    raise MailLimitReached("the client is being erased") from None
                allowance = MailCount.of_client(client, group, mails_per_day(standing, now))
                wanted = [*wanted, (allowance,)]
                if together and not is_accountable(standing.subscription, now):
                    scope = "unpaid/new" if is_new(standing, now) else "unpaid/older"
                    shared = MailCount(scope, "all", UNPAID_PER_DAY)
                    wanted += [(count,) for count in (*together, shared)]
            counts = [await _take(repository, choices, now) for choices in wanted]
        try:
            yield
        except MailUnreachable:
            await self._note(counts, MailCountRepository.give_back, now)
            raise
        except MailRefused as error:
            if error.by_server:
                await self._note(counts, MailCountRepository.note_refusal, now)
            raise

    async def _note(self, counts: Sequence[MailCount], change: _Change, taken_at: datetime) -> None:
        """Update the counters. A database failure is logged because the outcome of the email must
        not depend on this update."""
        try:
            async with self._database.service() as connection:
                for count in counts:
                    await change(MailCountRepository(connection), count, taken_at)
        except EngineUnavailable as error:
            _log.warning("failed to update a mail count", error_code=error.code)


async def _take(
    repository: MailCountRepository, choices: tuple[MailCount, ...], now: datetime
) -> MailCount:
    """Count the email under the first counter that is below its limit, and return that counter.
    Raises MailLimitReached."""
    for count in choices:
        if await repository.take(count, now):
            return count
    raise MailLimitReached(f"no mail is left for today: {choices[0].scope}")
