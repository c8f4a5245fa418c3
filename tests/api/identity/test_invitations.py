"""Invitations: by email, valid for seven days, for the inviting client."""

from datetime import timedelta

import pytest
import sqlalchemy as sa

from domain.core.errors import InvalidInput
from domain.identity.errors import InvalidAddress, InvitationNotFound, TooManyInvitations
from domain.identity.invitation import INVITATIONS_A_DAY, INVITED_FOR
from domain.tenants.actor import Actor
from domain.tenants.client import Role
from domain.tenants.errors import RoleRequired
from services.identity.invitations import invite, invite_again, withdraw
from store.identity.invitations import InvitationRepository
from store.identity.tables import invitations
from store.tenants.tables import users
from tests.support.core.engine import LiveEngine
from tests.support.core.rows import rows
from tests.support.identity.invitations import owner
from tests.support.identity.sign_in import ask, mail_to, new_address
from tests.support.servers.mail import MailServer
from tests.support.tenants.shop import Shop, open_shop


@pytest.mark.parametrize("over", ["withdrawn", "expired", "replaced"])
async def test_an_invitation_that_is_over_lets_nobody_in(
    engine: LiveEngine, mail: MailServer, shop: Shop, over: str
) -> None:
    email, resources = new_address(), engine.app.state.resources
    async with resources.work.of(shop.tenant) as work:
        made = await invite(work, owner(shop), email, Role.ADMIN, language="fr")
    async with resources.work.of(shop.tenant) as work:
        if over == "withdrawn":
            await withdraw(work, owner(shop), made.id)
        elif over == "replaced":
            again = await invite_again(work, owner(shop), made.id, language="fr")
            await withdraw(work, owner(shop), again.id)
    if over == "expired":
        async with engine.database.service() as connection:
            await connection.execute(
                sa.update(invitations)
                .where(invitations.c.id == made.id)
                .values(expires_at=made.expires_at - INVITED_FOR - timedelta(seconds=1))
            )

    assert (await ask(engine, email)).status_code == 202

    assert (await mail_to(mail, email))["Subject"] == "Aucun compte à cette adresse"
    assert not await rows(engine.database, users, email=email)


async def test_who_may_invite_whom(front: LiveEngine, shop: Shop) -> None:
    work_of = front.app.state.resources.work.of
    agent = Actor.person("agent", Role.AGENT)
    async with work_of(shop.tenant) as work:
        with pytest.raises(RoleRequired):
            await invite(work, agent, new_address(), Role.VIEWER, language="fr")
        with pytest.raises(RoleRequired):
            await withdraw(work, agent, "01J9ZQ4Z8N3V5X7B2C4D6E8F0G")
        with pytest.raises(InvalidInput):
            await invite(work, owner(shop), new_address(), Role.OWNER, language="fr")
        with pytest.raises(InvalidAddress):
            await invite(work, owner(shop), "a@b.example\nBcc: c", Role.AGENT, language="fr")


async def test_an_invitation_of_another_client_is_none(front: LiveEngine, shop: Shop) -> None:
    other, work_of = await open_shop(front.database), front.app.state.resources.work.of
    async with work_of(shop.tenant) as work:
        made = await invite(work, owner(shop), new_address(), Role.AGENT, language="fr")

    async with work_of(other.tenant) as work:
        with pytest.raises(InvitationNotFound):
            await withdraw(work, owner(other), made.id)
        with pytest.raises(InvitationNotFound):
            await invite_again(work, owner(other), made.id, language="fr")
    async with front.database.reading(shop.tenant) as connection:
        listed = await InvitationRepository(connection, shop.client_id).open(made.created_at)
    assert listed == (made,)


async def test_a_client_sends_twenty_invitations_a_day(front: LiveEngine, shop: Shop) -> None:
    async with front.app.state.resources.work.of(shop.tenant) as work:
        for _ in range(INVITATIONS_A_DAY):
            await invite(work, owner(shop), new_address(), Role.AGENT, language="fr")
        with pytest.raises(TooManyInvitations):
            await invite(work, owner(shop), new_address(), Role.AGENT, language="fr")
