"""The daily limits for emails, enforced in PostgreSQL."""

import asyncio
from datetime import datetime, timedelta

import pytest
import sqlalchemy as sa

from activities.integrations.mail_limiter import MailLimiter
from adapters.system import new_ulid, utc_now
from domain.integrations.errors import MailLimitReached, MailRefused, MailUnreachable
from domain.integrations.mail_allowance import (
    FREE_PER_DAY,
    PAID_PER_DAY,
    UNPAID_PER_DAY,
    UNPAID_PER_RECIPIENT,
    UNPAID_PER_SENDER,
    MailGroup,
    mails_per_day,
)
from domain.integrations.service_mail import LIMITS, ServiceMail
from domain.tenants.client import Plan
from store.core.database import Database
from store.integrations.mail_counts import MailCount, MailCountRepository
from store.integrations.tables import mail_counts
from store.tenants.tables import clients
from tests.support.core.rows import only_row, rows
from tests.support.integrations.mailers import MAILS_SEALER
from tests.support.tenants.shop import Shop, open_shop
from tests.support.tenants.spending import a_day

INVITATIONS = LIMITS[ServiceMail.INVITATION].per_address


def limiter(database: Database, now: datetime) -> MailLimiter:
    return MailLimiter(database, MAILS_SEALER, lambda: now)


def an_address() -> str:
    return f"{new_ulid().lower()}@example.com"


async def new_account(database: Database) -> tuple[Shop, datetime]:
    """Return the current time and an account on the free plan that was created an hour earlier."""
    shop, now = await open_shop(database), utc_now()
    async with database.service() as connection:
        await connection.execute(
            sa.update(clients)
            .where(clients.c.id == shop.client_id)
            .values(plan=Plan.FREE, created_at=now - timedelta(hours=1))
        )
    return shop, now


async def mails(
    it: MailLimiter, shop: Shop, number: int, group: MailGroup = MailGroup.MEMBERS
) -> int:
    """Send the emails concurrently, and return how many were allowed."""

    async def one() -> bool:
        try:
            async with it.client_mail(shop.tenant, group, to=an_address()):
                return True
        except MailLimitReached:
            return False

    return sum(await asyncio.gather(*(one() for _ in range(number))))


async def test_a_new_account_sends_its_allowance_and_no_mail_more(database: Database) -> None:
    """The limit also holds for concurrent emails. Other accounts are unaffected, and the limit
    resets the next day."""
    (shop, now), other = await new_account(database), await open_shop(database)
    it = limiter(database, now)

    assert await mails(it, shop, FREE_PER_DAY - 5) == FREE_PER_DAY - 5
    assert await mails(it, shop, 15) == 5
    with pytest.raises(MailLimitReached):
        async with it.client_mail(shop.tenant, MailGroup.MEMBERS, to=an_address()):
            pytest.fail("a mail beyond the allowance was permitted")

    assert (await only_row(database, mail_counts, key=shop.client_id))["sent"] == FREE_PER_DAY
    assert await mails(it, other, 1) == 1
    assert await mails(limiter(database, now + timedelta(days=1)), shop, 1) == 1


@pytest.mark.parametrize("group", MailGroup)
async def test_the_allowance_doubles_with_each_week_of_the_account(
    database: Database, group: MailGroup
) -> None:
    shop, opened = await new_account(database)
    for weeks, times in ((0, 1), (1, 2), (2, 4)):
        now = opened + timedelta(weeks=weeks)
        async with database.service() as connection:
            standing = await MailCountRepository(connection).standing(shop.tenant, group, now)
        assert mails_per_day(standing, now) == FREE_PER_DAY * times


async def test_an_address_gets_its_share_of_a_kind_from_all_clients_together(
    database: Database,
) -> None:
    """The limit ignores the spelling of the address, and is separate for each kind of email."""
    shops, now, to = [await open_shop(database) for _ in range(2)], utc_now(), an_address()
    it = limiter(database, now)
    for number in range(INVITATIONS):
        async with it.service_mail(ServiceMail.INVITATION, to, shops[number % 2].tenant):
            pass

    for spelled in (to, f" {to.upper()} "):
        with pytest.raises(MailLimitReached):
            async with it.service_mail(ServiceMail.INVITATION, spelled, shops[0].tenant):
                pytest.fail("a mail beyond the address's share was permitted")

    async with it.service_mail(ServiceMail.SIGN_IN_CODE, to, None):
        pass
    tomorrow = limiter(database, now + timedelta(days=1))
    async with tomorrow.service_mail(ServiceMail.INVITATION, to, shops[0].tenant):
        pass
    assert to not in str(await rows(database, mail_counts))


async def test_a_mail_beyond_one_limit_counts_for_no_other(database: Database) -> None:
    """An email that exceeds the client's limit does not count toward the address's limit."""
    (shop, now), to = await new_account(database), an_address()
    it = limiter(database, now)
    assert await mails(it, shop, FREE_PER_DAY) == FREE_PER_DAY

    with pytest.raises(MailLimitReached):
        async with it.service_mail(ServiceMail.INVITATION, to, shop.tenant):
            pytest.fail("a mail beyond the allowance was permitted")

    other = await open_shop(database)
    for _ in range(INVITATIONS):
        async with it.service_mail(ServiceMail.INVITATION, to, other.tenant):
            pass


async def test_a_mail_that_was_not_handed_over_leaves_its_place_to_another(
    database: Database,
) -> None:
    shop, now = await new_account(database)
    it = limiter(database, now)
    assert await mails(it, shop, FREE_PER_DAY - 1) == FREE_PER_DAY - 1

    with pytest.raises(MailUnreachable):
        async with it.client_mail(shop.tenant, MailGroup.MEMBERS, to=an_address()):
            raise MailUnreachable

    assert await mails(it, shop, 2) == 1


async def refuse(it: MailLimiter, shop: Shop, number: int, group: MailGroup) -> None:
    for _ in range(number):
        with pytest.raises(MailRefused):
            async with it.client_mail(shop.tenant, group, to=an_address()):
                raise MailRefused(by_server=True)


async def test_refused_answers_stop_no_other_mail(database: Database) -> None:
    """Attack: a stranger uses forged addresses that reject the answers. Invitations and answers to
    verified customers are still sent."""
    shop, now = await new_account(database)
    it = limiter(database, now)
    await refuse(it, shop, 5, MailGroup.CLAIMS)
    assert await mails(it, shop, 1, MailGroup.CLAIMS) == 0

    assert await mails(it, shop, 1, MailGroup.ANSWERS) == 1
    async with it.service_mail(ServiceMail.INVITATION, an_address(), shop.tenant):
        pass
    async with it.service_mail(ServiceMail.SENDER_CODE, an_address(), shop.tenant):
        pass
    tomorrow = limiter(database, now.replace(hour=0, minute=0) + timedelta(days=1))
    assert await mails(tomorrow, shop, FREE_PER_DAY + 1, MailGroup.CLAIMS) == FREE_PER_DAY


async def test_a_stranger_uses_up_no_mail_but_answers_to_claims(database: Database) -> None:
    """The same attack by number of emails, without rejections."""
    shop, now = await new_account(database)
    it = limiter(database, now)
    assert await mails(it, shop, FREE_PER_DAY + 1, MailGroup.CLAIMS) == FREE_PER_DAY

    assert await mails(it, shop, 1, MailGroup.ANSWERS) == 1
    async with it.service_mail(ServiceMail.INVITATION, an_address(), shop.tenant):
        pass


@pytest.mark.parametrize("group", [MailGroup.ANSWERS, MailGroup.CLAIMS])
async def test_few_refused_answers_leave_a_paying_shop_most_of_its_day(
    database: Database, shop: Shop, group: MailGroup
) -> None:
    """The installation's reputation is protected: a tenth of the day's answers may be rejected."""
    it = limiter(database, utc_now())
    await refuse(it, shop, 10, group)
    async with database.service() as connection:
        standing = await MailCountRepository(connection).standing(shop.tenant, group, utc_now())

    assert (standing.sent, standing.refused) == (10, 10)
    assert mails_per_day(standing, utc_now()) >= PAID_PER_DAY * 9 // 10


async def test_refusals_by_servers_end_a_clients_mail(database: Database) -> None:
    """Rejected emails still count. After five, the limit is zero."""
    shop, now = await new_account(database)
    it = limiter(database, now)
    await refuse(it, shop, 5, MailGroup.MEMBERS)

    assert await mails(it, shop, 1) == 0
    count = await only_row(database, mail_counts, key=shop.client_id)
    assert (count["sent"], count["refused"]) == (5, 5)


@pytest.mark.parametrize("limit", [0, -1])
async def test_without_an_allowance_not_even_the_first_mail_counts(
    database: Database, shop: Shop, limit: int
) -> None:
    now = utc_now()
    async with database.service() as connection:
        count = MailCount.of_client(shop.tenant, MailGroup.MEMBERS, limit)
        assert not await MailCountRepository(connection).take(count, now)

    assert await rows(database, mail_counts, key=shop.client_id) == []


async def test_free_accounts_together_send_one_address_few_mails(database: Database) -> None:
    """Attack: many accounts with verified senders write to one stranger."""
    accounts, now, victim = [await new_account(database) for _ in range(3)], utc_now(), an_address()
    it, sent = limiter(database, now), 0
    for number in range(UNPAID_PER_RECIPIENT + 3):
        shop = accounts[number % 3][0]
        try:
            async with it.client_mail(
                shop.tenant, MailGroup.ANSWERS, to=victim, sender="a@b.example"
            ):
                sent += 1
        except MailLimitReached:
            pass

    assert sent == UNPAID_PER_RECIPIENT
    paying = await open_shop(database)
    async with it.client_mail(paying.tenant, MailGroup.ANSWERS, to=victim):
        pass
    assert await mails(it, accounts[0][0], 1, MailGroup.ANSWERS) == 1


async def test_accounts_that_verified_one_sender_share_its_mails(database: Database) -> None:
    now, sender, sent = utc_now(), an_address(), 0
    for _ in range(3):
        shop, _ = await new_account(database)
        for _ in range(FREE_PER_DAY):
            try:
                async with limiter(database, now).client_mail(
                    shop.tenant, MailGroup.ANSWERS, to=an_address(), sender=sender
                ):
                    sent += 1
            except MailLimitReached:
                pass

    assert sent == UNPAID_PER_SENDER


@pytest.mark.parametrize("scope", ["unpaid/new", "unpaid/older"])
async def test_all_free_accounts_have_a_ceiling_and_new_ones_their_own(
    database: Database, scope: str
) -> None:
    """Each group's limit affects only that group. A refused email does not count."""
    (shop, _), paying, now = await new_account(database), await open_shop(database), a_day()
    it = limiter(database, now)
    async with database.service() as connection:
        opened = now - timedelta(days=1 if scope == "unpaid/new" else 8)
        mine = sa.update(clients).where(clients.c.id == shop.client_id)
        await connection.execute(mine.values(created_at=opened))
        for one in ("unpaid/new", "unpaid/older"):
            full = UNPAID_PER_DAY if one == scope else 0
            row = {"scope": one, "key": "all", "day": now.date(), "sent": full, "created_at": now}
            await connection.execute(sa.insert(mail_counts).values(row))

    assert await mails(it, shop, 1, MailGroup.ANSWERS) == 0
    assert await rows(database, mail_counts, key=shop.client_id) == []
    assert await mails(it, paying, 1, MailGroup.ANSWERS) == 1
