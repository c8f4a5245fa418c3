"""A client's business hours and its target for the first answer."""

from collections.abc import Mapping
from datetime import date
from typing import Final

from sqlalchemy.ext.asyncio import AsyncConnection

from domain.core.ids import TenantId
from domain.tenants.actor import ANYONE, MANAGERS, Actor
from domain.tenants.business_hours import (
    BusinessHours,
    OpeningInterval,
    Weekday,
    check_business_hours,
)
from services.core.unit_of_work import UnitOfWork
from store.reviews.member_notifications import MemberNotificationRepository
from store.tenants.accounts import AccountRepository
from store.tenants.business_hours import BusinessHoursRepository

NO_TARGET: Final = 0
"""The target in an adjustment that removes the client's target."""


async def read_business_hours(
    connection: AsyncConnection, tenant: TenantId, actor: Actor
) -> BusinessHours:
    """Return the client's business hours. Raises RoleRequired."""
    actor.require(ANYONE)
    return await BusinessHoursRepository(connection, tenant).read()


async def set_business_hours(work: UnitOfWork, actor: Actor, hours: BusinessHours) -> BusinessHours:
    """Replace the client's business hours, and return their stored form.

    Waiting times use them immediately, and metrics the next time they are computed. Digests follow
    the new time zone. Raises RoleRequired, ClientNotFound and InvalidSettings.
    """
    actor.require(MANAGERS)
    wanted = check_business_hours(hours)
    repository = BusinessHoursRepository(work.connection, work.tenant)
    await AccountRepository(work.connection, work.tenant).lock()
    before = await repository.read()
    if wanted == before:
        return before
    await repository.set(wanted, work.now)
    if wanted.time_zone != before.time_zone:
        notifications = MemberNotificationRepository(work.connection, work.tenant)
        await notifications.reschedule_digests(work.now)
    changed = [name for name in BusinessHours.model_fields if _differ(name, before, wanted)]
    work.note(actor, "business hours changed", fields=" ".join(sorted(changed)))
    return wanted


async def adjust_business_hours(
    work: UnitOfWork,
    actor: Actor,
    *,
    time_zone: str | None = None,
    days: Mapping[Weekday, tuple[OpeningInterval, ...]] | None = None,
    holidays: tuple[date, ...] | None = None,
    target_minutes: int | None = None,
) -> BusinessHours:
    """Change parts of the client's business hours, and return all of them. None leaves a part
    unchanged. `NO_TARGET` in `target_minutes` removes the target. Raises the errors of
    `set_business_hours`."""
    actor.require(MANAGERS)
    # Without the lock, each of two concurrent changes would overwrite the other's values.
    await AccountRepository(work.connection, work.tenant).lock()
    there = await BusinessHoursRepository(work.connection, work.tenant).read()
    target = there.target_minutes if target_minutes is None else target_minutes or None
    wanted = BusinessHours(
        time_zone=there.time_zone if time_zone is None else time_zone,
        week={**there.week, **(days or {})},
        holidays=there.holidays if holidays is None else holidays,
        target_minutes=target,
    )
    return await set_business_hours(work, actor, wanted)


def _differ(name: str, before: BusinessHours, after: BusinessHours) -> bool:
    return bool(getattr(before, name) != getattr(after, name))
