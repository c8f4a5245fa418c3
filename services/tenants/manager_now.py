"""A check that the actor manages the client at the time of a change. Changes that give access to a
client require it."""

from domain.tenants.actor import Actor
from domain.tenants.client import Role
from domain.tenants.errors import RoleRequired
from services.core.unit_of_work import UnitOfWork
from store.tenants.standings import MemberStandings


async def require_manager_now(work: UnitOfWork, actor: Actor) -> None:
    """Raise RoleRequired for an admin who no longer manages the client. `work` is for one client.

    The caller holds the client's lock, which the removal of a member also takes. Other actors need
    no check, because an owner cannot leave, and internal admins and operators are not members.
    """
    if actor.role is not Role.ADMIN:
        return
    members = await MemberStandings(work.connection, work.tenant).all()
    if not any(one.user_id == actor.name and one.manages for one in members):
        raise RoleRequired
