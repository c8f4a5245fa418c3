"""An approval that needs a second person, in a team of one: the page offers two solutions."""

from datetime import timedelta

import sqlalchemy as sa

from adapters.system import new_ulid, utc_now
from domain.agent.plan import ActionKind, PlannedAction
from domain.tenants.client import Role
from store.intake.tables import engine_events
from tests.support.core.engine import LiveEngine
from tests.support.dashboard.visitors import at_pages
from tests.support.reviews.reviews import open_review, refund
from tests.support.tenants.joined import join
from tests.support.tenants.shop import Shop

PLAN = (refund(12900), PlannedAction(kind=ActionKind.REPLY))
WALL = "Second approver needed"
INVITE = 'href="/app/members#invite"'


async def _join(front: LiveEngine, shop: Shop, role: Role, hours: int) -> None:
    async with front.database.service() as connection:
        at = utc_now() - timedelta(hours=hours)
        await join(connection, shop.client_id, new_ulid(), role, joined_at=at)


async def test_an_owner_alone_may_invite_or_raise_the_limit(front: LiveEngine, shop: Shop) -> None:
    review_id = await open_review(front.database, shop, plan=PLAN, needs_second=True)
    plain = await open_review(front.database, shop, plan=PLAN)
    async with at_pages(front, shop) as owner:
        page = await owner.see(f"/app/reviews/{review_id}")
        assert WALL in page
        assert "No second teammate can approve yet." in page
        assert f"{INVITE}>Invite a second approver" in page
        assert 'href="/app/policy">Raise the limit (takes effect at once)' in page
        assert 'id="invite"' in await owner.see("/app/members")
        assert WALL not in await owner.see(f"/app/reviews/{plain}")


async def test_a_raised_limit_waits_a_day_beside_a_new_manager(
    front: LiveEngine, shop: Shop
) -> None:
    """The new admin cannot approve yet, but their membership delays the change."""
    review_id = await open_review(front.database, shop, plan=PLAN, needs_second=True)
    await _join(front, shop, Role.ADMIN, hours=1)
    async with at_pages(front, shop) as owner:
        page = await owner.see(f"/app/reviews/{review_id}")
        assert "Your second teammate can approve from" in page
        assert "Raise the limit (takes effect after a day)" in page
        assert INVITE not in page


async def test_two_members_of_a_day_meet_no_wall(front: LiveEngine, shop: Shop) -> None:
    review_id = await open_review(front.database, shop, plan=PLAN, needs_second=True)
    await _join(front, shop, Role.AGENT, hours=25)
    async with at_pages(front, shop) as owner:
        assert WALL not in await owner.see(f"/app/reviews/{review_id}")


async def test_an_agent_asks_a_manager(front: LiveEngine, shop: Shop) -> None:
    review_id = await open_review(front.database, shop, plan=PLAN, needs_second=True)
    await _join(front, shop, Role.VIEWER, hours=25)
    async with at_pages(front, shop, Role.VIEWER) as viewer:
        page = await viewer.see(f"/app/reviews/{review_id}")
        assert "Ask an owner or admin to invite a teammate." in page
        assert INVITE not in page
        assert '/app/policy">Raise' not in page


async def test_the_author_of_a_typed_request_needs_a_teammate(
    front: LiveEngine, shop: Shop
) -> None:
    review_id = await open_review(front.database, shop, plan=PLAN)
    at = f"/app/reviews/{review_id}"
    async with at_pages(front, shop, language="fr") as owner:
        assert "Second approbateur requis" not in await owner.see(at)
        async with front.database.tenant(shop.tenant) as connection:
            await connection.execute(sa.update(engine_events).values(author=owner.user_id))
        page = await owner.see(at)
        assert "Second approbateur requis" in page
        assert "Relever la limite" not in page
        await _join(front, shop, Role.AGENT, hours=1)
        assert "Second approbateur requis" not in await owner.see(at)
