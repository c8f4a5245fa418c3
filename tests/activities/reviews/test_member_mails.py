"""Emails to members, with a real mail server: each ticket once, within limits, and only to members
who chose them."""

import asyncio
from collections import Counter
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from email.message import EmailMessage

import pytest
import sqlalchemy as sa
from temporalio.testing import ActivityEnvironment

from activities.reviews.member_mails import MemberMails
from adapters.system import utc_now
from domain.dashboard.preferences import Preferences
from domain.reviews.escalation import Choice, Decision
from domain.reviews.notification import DIGEST_LATE, MAILS_AN_HOUR, NotificationMode
from domain.reviews.unsubscribe import Subscriber, subscriber_of
from domain.runs.triage import ConversationStatus, TriageChange
from domain.tenants.actor import Actor
from domain.tenants.business_hours import BusinessHours
from domain.tenants.client import Role
from services.dashboard.preferences import save_preferences
from services.reviews.member_mails import USELESS_AFTER
from services.reviews.notifications import turn_off_notifications
from services.reviews.triage import update_conversation
from services.tenants.business_hours import set_business_hours
from services.tenants.members import change_role, leave_client, remove_member
from store.core.database import Database
from store.reviews.escalations import EscalationRepository
from store.reviews.tables import member_mails as mails_table
from store.reviews.tables import member_notices, member_notifications
from tests.support.core.mail_parts import plain_text
from tests.support.core.rows import only_row, rows
from tests.support.core.units import units_on
from tests.support.integrations.mailers import MAILS_SEALER
from tests.support.reviews.notifications import (
    STEP,
    chooses,
    email_of,
    member,
    member_mails,
    notified,
)
from tests.support.reviews.replies import conversation_of
from tests.support.reviews.reviews import open_review
from tests.support.runs.conversation import write
from tests.support.servers.mail import MailServer
from tests.support.tenants.shop import Shop, open_shop

pytestmark = pytest.mark.own_database

AT_ONCE, DIGEST, NONE = (
    NotificationMode.AT_ONCE,
    NotificationMode.DIGEST,
    NotificationMode.NONE,
)
SECRET = "My secret canary question"


async def send(activity: MemberMails) -> int:
    return (await ActivityEnvironment().run(activity.send, STEP)).sent


async def sent(database: Database, mail: MailServer, now: Callable[[], datetime] = utc_now) -> int:
    return await send(member_mails(database, mail.url, now))


def addressees(mail: MailServer) -> Counter[str]:
    return Counter(str(one["To"]).lower() for one in mail.mails)


async def test_each_review_is_reported_once(
    database: Database, shop: Shop, mail: MailServer
) -> None:
    anne, ben = await notified(database, shop), await notified(database, shop)
    review = await open_review(database, shop, text=SECRET)
    other = await open_shop(database)
    await open_review(database, other)

    assert await sent(database, mail) == 2
    assert await sent(database, mail) == 0

    assert addressees(mail) == {email_of(anne): 1, email_of(ben): 1}
    (one,) = [it for it in mail.mails if str(it["To"]).lower() == email_of(anne)]
    assert one["Subject"] == "A ticket needs you"
    assert one["From"].startswith("Help Desk ")
    link = f"https://x.example/app/reviews/{review}?client_id={shop.client_id}"
    assert link in plain_text(one)
    assert link.replace("&", "&amp;") in html_of(one)
    # Neither the customer's words nor the client's name.
    assert "canary" not in one.as_string()
    assert "Boutique" not in one.as_string()


def html_of(one: EmailMessage) -> str:
    part = one.get_body(("html",))
    assert part is not None
    return str(part.get_content())


async def test_one_click_unsubscribe(database: Database, shop: Shop, mail: MailServer) -> None:
    anne = await notified(database, shop)
    await open_review(database, shop)
    await sent(database, mail)

    (one,) = mail.mails
    assert one["List-Unsubscribe-Post"] == "List-Unsubscribe=One-Click"
    link = str(one["List-Unsubscribe"]).strip("<>")
    start = "https://x.example/app/unsubscribe/"
    assert link.startswith(start)
    assert subscriber_of(MAILS_SEALER, link.removeprefix(start)) == Subscriber(
        shop.client_id, anne.name
    )
    assert link in plain_text(one)


async def test_a_review_that_is_decided_first_is_not_reported(
    database: Database, shop: Shop, mail: MailServer
) -> None:
    await notified(database, shop)
    review = await open_review(database, shop)
    await _decide(database, shop, review)

    assert await sent(database, mail) == 0
    assert await rows(database, member_notices) == []


async def _decide(database: Database, shop: Shop, review: str) -> None:
    async with database.tenant(shop.tenant) as connection:
        await EscalationRepository(connection, shop.tenant).decide(
            review, Choice(Decision.REJECT, "ben"), utc_now()
        )


async def test_who_gets_none(database: Database, shop: Shop, mail: MailServer) -> None:
    """Members who chose none, have no verified address, became viewers, or left."""
    await member(database, shop)
    unproved = await member(database, shop, verified=False)
    viewer, removed, gone = [await notified(database, shop) for _ in range(3)]
    await chooses(database, shop, unproved, AT_ONCE)
    await open_review(database, shop)
    owner = Actor.person(shop.owner_user_id, Role.OWNER)
    async with units_on(database).spanning(shop.tenant) as work:
        await change_role(work, owner, viewer.name, Role.VIEWER)
        await remove_member(work, owner, removed.name)
        await leave_client(work, gone)

    assert await sent(database, mail) == 0

    left = await rows(database, member_notifications)
    assert {one["user_id"] for one in left} == {unproved.name, viewer.name}
    assert await rows(database, member_notices) == []


async def test_a_client_that_is_being_erased_sends_none(
    database: Database, shop: Shop, mail: MailServer
) -> None:
    await notified(database, shop)
    await open_review(database, shop)
    async with database.service() as connection:
        await connection.execute(
            sa.text("UPDATE clients SET closed_at = now() WHERE id = :id"), {"id": shop.client_id}
        )

    assert await sent(database, mail) == 0


async def test_another_mode_discards_what_waits(
    database: Database, shop: Shop, mail: MailServer
) -> None:
    anne = await notified(database, shop)
    await open_review(database, shop)
    await chooses(database, shop, anne, NONE)
    await chooses(database, shop, anne, AT_ONCE)

    assert await sent(database, mail) == 0


async def test_an_assigned_conversation_is_reported_to_the_assignee(
    database: Database, shop: Shop, mail: MailServer
) -> None:
    anne, ben = await notified(database, shop), await notified(database, shop)
    talk = await conversation_of(database, (await write(database, shop)).event_id)

    await _assign(database, shop, ben, talk, anne.name)
    await _assign(database, shop, ben, talk, anne.name)
    assert await sent(database, mail) == 1
    (one,) = mail.mails
    assert (str(one["To"]).lower(), one["Subject"]) == (
        email_of(anne),
        "A conversation is assigned to you",
    )
    assert f"/app/conversations/{talk}?client_id=" in plain_text(one)

    # A member who assigns the conversation to themselves is not notified.
    await _assign(database, shop, ben, talk, ben.name)
    assert await sent(database, mail) == 0
    # It comes back to Anne, but is closed before the email is sent.
    await _assign(database, shop, ben, talk, anne.name)
    async with units_on(database).of(shop.tenant) as work:
        await update_conversation(work, ben, talk, TriageChange(ConversationStatus.CLOSED))
    assert await sent(database, mail) == 0
    async with units_on(database).of(shop.tenant) as work:
        await update_conversation(work, ben, talk, TriageChange(ConversationStatus.OPEN))
    await _assign(database, shop, ben, talk, "")
    await _assign(database, shop, ben, talk, anne.name)
    assert await sent(database, mail) == 1


async def _assign(database: Database, shop: Shop, by: Actor, talk: str, assignee: str) -> None:
    async with units_on(database).of(shop.tenant) as work:
        await update_conversation(work, by, talk, TriageChange(assignee=assignee))


async def test_a_flood_is_gathered(database: Database, shop: Shop, mail: MailServer) -> None:
    anne = await notified(database, shop)
    start = utc_now()
    for _ in range(MAILS_AN_HOUR + 3):
        await open_review(database, shop, now=start)

    assert await sent(database, mail) == MAILS_AN_HOUR
    assert addressees(mail) == {email_of(anne): MAILS_AN_HOUR}
    assert mail.mails[-1]["Subject"] == "4 tickets need you"
    assert plain_text(mail.mails[-1]).count("/app/reviews/") == 4

    # More tickets wait until there is room, and then share one email.
    for _ in range(12):
        await open_review(database, shop, now=start + timedelta(minutes=1))
    assert await sent(database, mail, lambda: start + timedelta(minutes=30)) == 0
    assert await sent(database, mail, lambda: start + timedelta(minutes=62)) == 1
    assert mail.mails[-1]["Subject"] == "12 tickets need you"
    assert "And 2 more." in plain_text(mail.mails[-1])


async def test_an_unreachable_server_delays_the_email(
    database: Database, shop: Shop, mail: MailServer
) -> None:
    await notified(database, shop)
    await open_review(database, shop)
    for _ in range(2):
        assert await send(member_mails(database, "smtp://127.0.0.1:1")) == 0
    prepared = await only_row(database, mails_table)

    assert await sent(database, mail) == 1
    (one,) = mail.mails
    assert str(one["Message-ID"]).startswith(f"<notices.{prepared['id'].lower()}@")
    assert (await only_row(database, mails_table))["outcome"] == "sent"


async def test_a_temporary_rejection_stops_no_other_member(
    database: Database, shop: Shop, mail: MailServer
) -> None:
    first, second = await notified(database, shop), await notified(database, shop)
    await open_review(database, shop)
    mail.recipient_reply = "452 mailbox full"

    assert await sent(database, mail) == 0
    assert mail.refused == 2

    mail.recipient_reply = "250 ok"
    assert await sent(database, mail) == 2
    assert addressees(mail) == {email_of(first): 1, email_of(second): 1}


async def test_a_rejected_email_is_not_repeated(
    database: Database, shop: Shop, mail: MailServer
) -> None:
    await notified(database, shop)
    await open_review(database, shop)
    mail.recipient_reply = "550 no such user"

    assert await sent(database, mail) == 0
    assert await sent(database, mail) == 0

    assert mail.refused == 1
    assert (await only_row(database, mails_table))["outcome"] == "failed"


async def test_an_email_that_is_too_late_is_discarded(
    database: Database, shop: Shop, mail: MailServer
) -> None:
    await notified(database, shop)
    await open_review(database, shop)
    await send(member_mails(database, "smtp://127.0.0.1:1"))

    late = utc_now() + USELESS_AFTER + timedelta(minutes=1)
    assert await sent(database, mail, lambda: late) == 0
    assert (await only_row(database, mails_table))["outcome"] == "obsolete"


async def test_concurrent_passes_prepare_each_email_once(
    database: Database, shop: Shop, mail: MailServer
) -> None:
    await notified(database, shop)
    for _ in range(3):
        await open_review(database, shop)
    activity = member_mails(database, "smtp://127.0.0.1:1")

    await asyncio.gather(*(send(activity) for _ in range(4)))

    assert len(await rows(database, mails_table)) == 3


async def test_a_turned_off_member_gets_no_prepared_email(
    database: Database, shop: Shop, mail: MailServer
) -> None:
    anne = await notified(database, shop)
    await open_review(database, shop)
    await send(member_mails(database, "smtp://127.0.0.1:1"))
    async with units_on(database).of(shop.tenant) as work:
        await turn_off_notifications(work, anne.name)

    assert await sent(database, mail) == 0


async def test_the_members_language(database: Database, shop: Shop, mail: MailServer) -> None:
    """The preference takes precedence over the language of the page of the choice."""
    anne = await member(database, shop)
    await chooses(database, shop, anne, AT_ONCE, language="en")
    async with units_on(database).everywhere() as work:
        await save_preferences(work, anne.name, Preferences(language="fr"))
    ben = await member(database, shop)
    await chooses(database, shop, ben, AT_ONCE, language=None)
    await open_review(database, shop)

    assert await sent(database, mail) == 2
    assert {one["Subject"] for one in mail.mails} == {"Une demande à traiter"}


# 28 March 2026 is the day before the clocks in Paris change.
EIGHT = datetime(2026, 3, 28, 7, tzinfo=UTC)


async def test_the_digest(database: Database, shop: Shop, mail: MailServer) -> None:
    """One a day at the local hour, also across the change of clocks, and none if nothing waits."""
    anne = await member(database, shop)
    await chooses(database, shop, anne, DIGEST, hour=8, now=EIGHT - timedelta(hours=1))
    await open_review(
        database, shop, text=SECRET, now=EIGHT - timedelta(hours=30), sensitive="legal"
    )
    review = await open_review(database, shop, now=EIGHT - timedelta(hours=3))

    def at(**after: float) -> Callable[[], datetime]:
        return lambda: EIGHT + timedelta(**after)

    assert await sent(database, mail, at(seconds=-1)) == 0
    assert await sent(database, mail, at()) == 1
    assert await sent(database, mail, at(minutes=1)) == 0
    (one,) = mail.mails
    assert (str(one["To"]).lower(), one["Subject"]) == (email_of(anne), "2 tickets need your team")
    text = plain_text(one)
    assert f"for 3 h: https://x.example/app/reviews/{review}?" in text
    assert "for 30 h: " in text
    assert "canary" not in one.as_string()
    assert one["List-Unsubscribe-Post"] == "List-Unsubscribe=One-Click"

    # The next local day is 23 hours long.
    assert await sent(database, mail, at(hours=22, minutes=59)) == 0
    assert await sent(database, mail, at(hours=23)) == 1
    assert await sent(database, mail, at(hours=24)) == 0
    # Nothing waits on the third day.
    async with database.service() as connection:
        await connection.execute(
            sa.text("UPDATE escalation_tickets SET status = 'expired', decided_at = now()")
        )
        await connection.execute(sa.text("UPDATE ai_conversations SET waiting_since = NULL"))
    assert await sent(database, mail, at(hours=47)) == 0
    row = await only_row(database, member_notifications)
    assert str(row["digest_day"]) == "2026-03-30"
    assert len(await rows(database, mails_table)) == 2


async def test_no_day_has_two_digests_in_another_zone(
    database: Database, shop: Shop, mail: MailServer
) -> None:
    anne = await member(database, shop)
    await chooses(database, shop, anne, DIGEST, hour=8, now=EIGHT - timedelta(hours=1))
    await open_review(database, shop, now=EIGHT - timedelta(hours=3))
    assert await sent(database, mail, lambda: EIGHT) == 1

    owner = Actor.person(shop.owner_user_id, Role.OWNER)
    async with units_on(database).of(shop.tenant) as work:
        await set_business_hours(work, owner, BusinessHours(time_zone="America/New_York"))
    row = await only_row(database, member_notifications)
    assert row["digest_due_at"] is not None
    # 08:00 in New York is 12:00 UTC. The day already had its digest.
    noon = EIGHT + timedelta(hours=5)
    async with database.service() as connection:
        await connection.execute(sa.update(member_notifications).values(digest_due_at=EIGHT))
    assert await sent(database, mail, lambda: noon) == 0
    assert await sent(database, mail, lambda: noon + timedelta(hours=24)) == 1


async def test_a_digest_that_could_not_be_sent_in_time_is_left_out(
    database: Database, shop: Shop, mail: MailServer
) -> None:
    anne = await member(database, shop)
    await chooses(database, shop, anne, DIGEST, hour=8, now=EIGHT - timedelta(hours=1))
    await open_review(database, shop, now=EIGHT - timedelta(hours=3))

    late = EIGHT + DIGEST_LATE + timedelta(minutes=1)
    assert await sent(database, mail, lambda: late) == 0
    assert await sent(database, mail, lambda: EIGHT + timedelta(hours=23)) == 1


async def test_a_member_of_two_clients_has_a_choice_for_each(
    database: Database, shop: Shop, mail: MailServer
) -> None:
    other = await open_shop(database)
    anne = Actor.person(shop.owner_user_id, Role.OWNER)
    async with database.service() as connection:
        await connection.execute(
            sa.text(
                "INSERT INTO client_users (client_id, user_id, role, created_at) "
                "VALUES (:client, :user, 'agent', now())"
            ),
            {"client": other.client_id, "user": anne.name},
        )
    await chooses(database, shop, anne, AT_ONCE)
    await open_review(database, shop)
    await open_review(database, other)

    assert await sent(database, mail) == 1
    assert f"client_id={shop.client_id}" in plain_text(mail.mails[0])
