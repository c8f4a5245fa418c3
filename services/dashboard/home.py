"""Home: the agent's work while a member was away."""

from datetime import datetime

from sqlalchemy.ext.asyncio import AsyncConnection

from domain.core.ids import TenantId
from domain.dashboard.home import AwayReport, MemberVisit, next_visit
from domain.tenants.actor import ANYONE, Actor
from services.core.unit_of_work import UnitOfWork
from store.dashboard.away import read_away
from store.dashboard.home_visits import HomeVisits


async def visit_home(work: UnitOfWork, actor: Actor) -> MemberVisit:
    """Return the member's current visit, and store it if the stored time is too old. Raises
    RoleRequired."""
    actor.require(ANYONE)
    visits = HomeVisits(work.connection, work.tenant)
    last = await visits.read(actor.name)
    visit = next_visit(last, work.now)
    if visit != last:
        await visits.keep(actor.name, visit)
    return visit


async def report_away(
    connection: AsyncConnection, tenant: TenantId, actor: Actor, visit: MemberVisit, now: datetime
) -> AwayReport | None:
    """Return the agent's work since the member's previous visit, or None during the first visit.
    Raises RoleRequired."""
    actor.require(ANYONE)
    since = visit.reported_since(now)
    return None if since is None else await read_away(connection, tenant, since)
