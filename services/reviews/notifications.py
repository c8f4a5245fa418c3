"""Members' choice of email notifications. A member chooses only for themselves, for each client."""

from pydantic import ConfigDict, Field
from sqlalchemy.ext.asyncio import AsyncConnection

from domain.core.ids import TenantId
from domain.reviews.notification import (
    NotificationMode,
    NotificationSettings,
    digest_time,
)
from domain.tenants.actor import ANYONE, REVIEWERS, Actor, without_address
from domain.tenants.errors import MemberNotFound, RoleRequired
from services.core.unit_of_work import UnitOfWork
from store.reviews.member_mails import MemberMailRepository
from store.reviews.member_notifications import MemberNotificationRepository
from store.tenants.business_hours import BusinessHoursRepository
from store.tenants.standings import MemberStandings


class ChosenNotifications(NotificationSettings):
    """A member's notifications for one client, with the time zone of the digest."""

    model_config = ConfigDict(frozen=True)

    time_zone: str = Field(
        description="Time zone of the digest, taken from the client's business hours."
    )


async def read_notifications(
    connection: AsyncConnection, tenant: TenantId, actor: Actor
) -> ChosenNotifications:
    """Return the actor's own notifications for a client. Raises RoleRequired."""
    actor.require(ANYONE)
    settings = await MemberNotificationRepository(connection, tenant).read(actor.name)
    hours = await BusinessHoursRepository(connection, tenant).read()
    return _chosen(settings, hours.time_zone)


async def set_notifications(
    work: UnitOfWork, actor: Actor, settings: NotificationSettings, *, language: str | None = None
) -> ChosenNotifications:
    """Replace the actor's own notifications for a client, and return them.

    A changed mode discards unsent emails. `language` is for a member without a preference, and None
    keeps it. Raises RoleRequired if the member may not decide reviews, and MemberNotFound.
    """
    actor.require(REVIEWERS)
    await _check_reviewer(work, actor.name)
    repository = MemberNotificationRepository(work.connection, work.tenant)
    hours = await BusinessHoursRepository(work.connection, work.tenant).read()
    before = await repository.read(actor.name)
    if settings == before:
        return _chosen(before, hours.time_zone)
    due_at = None
    if settings.mode is NotificationMode.DIGEST:
        kept = await MemberMailRepository(work.connection, work.tenant).lock(actor.name)
        due_at = digest_time(
            settings.digest_hour,
            hours.time_zone,
            since=work.now,
            last=None if kept is None else kept.digest_day,
            now=work.now,
        ).following
    await repository.set(
        actor.name, settings, language=language, digest_due_at=due_at, now=work.now
    )
    work.note(
        actor,
        "notifications changed",
        mode=settings.mode.value,
        digest_hour=str(settings.digest_hour),
    )
    return _chosen(settings, hours.time_zone)


async def turn_off_notifications(work: UnitOfWork, user_id: str) -> None:
    """Turn off a member's notifications for a client, through the link in an email. Idempotent.

    The holder of the link is not signed in, so the audit entry names the link as the actor.
    """
    repository = MemberNotificationRepository(work.connection, work.tenant)
    before = await repository.read(user_id)
    if before.mode is NotificationMode.NONE:
        return
    off = before.model_copy(update={"mode": NotificationMode.NONE})
    await repository.set(user_id, off, language=None, digest_due_at=None, now=work.now)
    work.note(
        Actor.system("unsubscribe link"),
        "notifications changed",
        member_id=without_address(user_id),
        mode=off.mode.value,
    )


async def _check_reviewer(work: UnitOfWork, user_id: str) -> None:
    """Raise MemberNotFound if the user is not a member, and RoleRequired for a viewer. Internal
    admins and operators may act for a client without being members, but receive no emails."""
    members = await MemberStandings(work.connection, work.tenant).all()
    roles = [one.role for one in members if one.user_id == user_id]
    if not roles:
        raise MemberNotFound("the user is no member of this client")
    if roles[0] not in REVIEWERS:
        raise RoleRequired


def _chosen(settings: NotificationSettings, time_zone: str) -> ChosenNotifications:
    return ChosenNotifications(
        mode=settings.mode, digest_hour=settings.digest_hour, time_zone=time_zone
    )
