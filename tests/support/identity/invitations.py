"""Invitations sent by an owner."""

from domain.identity.contracts import SendMailInput
from domain.identity.invitation import Invitation
from domain.tenants.actor import Actor
from domain.tenants.client import Role
from services.identity.invitations import invite
from store.tenants.members import MemberRepository
from tests.support.core.engine import LiveEngine
from tests.support.tenants.shop import Shop


def owner(shop: Shop) -> Actor:
    return Actor.person(shop.owner_user_id, Role.OWNER)


async def invited(
    engine: LiveEngine, shop: Shop, email: str, role: Role = Role.AGENT
) -> Invitation:
    """Invite an address. The invitation is emailed."""
    resources = engine.app.state.resources
    async with resources.work.of(shop.tenant) as work:
        made = await invite(work, owner(shop), email, role, language="en")
    await resources.engine.mail(
        SendMailInput(kind="invitation", record_id=made.id, client_id=shop.client_id)
    )
    return made


async def role_in(engine: LiveEngine, shop: Shop, user_id: str) -> Role | None:
    async with engine.database.reading_across() as connection:
        return await MemberRepository(connection).role(user_id, shop.client_id)
