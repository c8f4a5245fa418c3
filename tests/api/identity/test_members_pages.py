"""The pages of members, invitations and the audit log."""

from domain.tenants.client import Role
from tests.support.core.engine import LiveEngine
from tests.support.dashboard.visitors import at_pages
from tests.support.tenants.shop import Shop

LIST = "/app/members"


async def test_somebody_is_invited_and_the_invitation_withdrawn(
    front: LiveEngine, shop: Shop
) -> None:
    async with at_pages(front, shop) as owner:
        fields = {"email": "camille@example.com", "role": "agent"}
        page = await owner.follow(await owner.send(LIST, f"{LIST}/invite", fields))
        assert "Invitation sent to camille@example.com." in page
        refused = await owner.send(LIST, f"{LIST}/invite", {"email": "x", "role": "agent"})
        assert "Enter an email address" in await owner.follow(refused)
        ended = await owner.send(LIST, f"{LIST}/invitation", {"do": "withdraw"})
        assert "Invitation canceled." in await owner.follow(ended)

        log = await owner.see("/app/audit", what="member invited")
        assert "Invitation" in log
        assert "invitation_id" not in log
        assert "Log intact" in await owner.see("/app/audit/chain")


async def test_a_member_gets_another_role_and_goes(front: LiveEngine, shop: Shop) -> None:
    async with at_pages(front, shop) as owner, at_pages(front, shop, Role.AGENT) as agent:
        assert (await agent.http.get(LIST)).status_code == 403
        assert (await agent.http.get("/app/audit")).status_code == 403
        page = await owner.follow(await owner.send(LIST, f"{LIST}/role", {"role": "viewer"}))
        assert "changed." in page
        refused = await owner.send(
            LIST, f"{LIST}/role", {"role": "viewer", "user_id": shop.owner_user_id}
        )
        assert "The owner cannot be changed or removed" in await owner.follow(refused)
        assert "was removed" in await owner.follow(await owner.send(LIST, f"{LIST}/remove"))
        assert (await agent.http.get("/app/inbox")).status_code == 303
