"""Members who chose email notifications, and the activity that emails them."""

from collections.abc import Callable
from datetime import datetime

from activities.reviews.member_mails import MemberMails
from adapters.system import new_ulid, utc_now
from domain.core.service_name import ServiceName
from domain.reviews.contracts import MailMembersInput
from domain.reviews.notification import NotificationMode, NotificationSettings
from domain.tenants.actor import Actor
from domain.tenants.client import Role
from services.core.unit_of_work import UnitsOfWork
from services.reviews.notifications import set_notifications
from store.core.database import Database
from tests.support.core.units import Recorder, units_on
from tests.support.integrations.mailers import MAILS_SEALER, mailer_to, service_mails
from tests.support.tenants.joined import join
from tests.support.tenants.shop import Shop

STEP = MailMembersInput()


async def member(
    database: Database, shop: Shop, role: Role = Role.AGENT, *, verified: bool = True
) -> Actor:
    """Add a member with an email address of their own."""
    actor = Actor.person(new_ulid(), role)
    async with database.service() as connection:
        await join(connection, shop.client_id, actor.name, role, verified=verified)
    return actor


def email_of(actor: Actor) -> str:
    return f"{actor.name}@example.com".lower()


async def chooses(
    database: Database,
    shop: Shop,
    actor: Actor,
    mode: NotificationMode,
    *,
    hour: int = 9,
    now: datetime | None = None,
    language: str | None = "en",
) -> None:
    """Store a member's choice. `now` is the time of the choice."""
    units = UnitsOfWork(database, Recorder(), lambda: now or utc_now(), new_ulid)
    async with units.of(shop.tenant) as work:
        settings = NotificationSettings(mode=mode, digest_hour=hour)
        await set_notifications(work, actor, settings, language=language)


async def notified(
    database: Database, shop: Shop, mode: NotificationMode = NotificationMode.AT_ONCE
) -> Actor:
    """Add a member who chose notifications."""
    actor = await member(database, shop)
    await chooses(database, shop, actor, mode)
    return actor


def member_mails(
    database: Database, smtp_url: str, now: Callable[[], datetime] = utc_now
) -> MemberMails:
    units = (
        units_on(database) if now is utc_now else UnitsOfWork(database, Recorder(), now, new_ulid)
    )
    return MemberMails(
        units,
        service_mails(database, mailer_to(smtp_url), now),
        MAILS_SEALER,
        origin="https://x.example",
        dashboard_url="https://x.example/app",
        service=ServiceName("Help Desk"),
    )
