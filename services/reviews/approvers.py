"""The reasons why a small team cannot approve a review: it has too few approvers, or they joined
too recently."""

from dataclasses import dataclass
from datetime import datetime

from sqlalchemy.ext.asyncio import AsyncConnection

from domain.core.ids import TenantId
from domain.tenants.actor import REVIEWERS
from domain.tenants.four_eyes import two_approve_from
from domain.tenants.loosening import is_held
from store.tenants.client_settings import SettingsRepository
from store.tenants.loosenings import LooseningRepository
from store.tenants.standings import MemberStandings


@dataclass(frozen=True, slots=True)
class MissingApprover:
    """The approver that a client's team lacks. `approves_from` is the time at which a second member
    qualifies, or None if there is no second member. `raising_waits` means that raising the limit is
    delayed."""

    approves_from: datetime | None
    raising_waits: bool


async def missing_approver(
    connection: AsyncConnection, tenant: TenantId, user_id: str, now: datetime, *, needs_two: bool
) -> MissingApprover | None:
    """Return why the client's team cannot approve a review, or None if it can.

    If `needs_two` is true, two members must approve. Otherwise, any reviewer may, except the member
    `user_id` who entered the request.
    """
    members = await MemberStandings(connection, tenant).all()
    approves_from = two_approve_from(members) if needs_two else None
    if approves_from is not None and approves_from <= now:
        return None
    others = (one for one in members if one.user_id != user_id)
    if not needs_two and any(one.role in REVIEWERS for one in others):
        return None
    settings = await SettingsRepository(connection, tenant).read()
    left = await LooseningRepository(connection, tenant).manager_left_at()
    return MissingApprover(approves_from, is_held(settings, members, left, now))
