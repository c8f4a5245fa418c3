"""The suggestions page: a member accepts or dismisses each one."""

from domain.tenants.client import Role
from tests.support.content.suggestions import ENTRY, suggested
from tests.support.core.engine import LiveEngine
from tests.support.dashboard.visitors import at_pages
from tests.support.tenants.shop import Shop

LIST = "/app/suggestions"


async def test_a_suggestion_is_accepted_once_or_dropped(front: LiveEngine, shop: Shop) -> None:
    first, second = await suggested(front.database, shop), await suggested(front.database, shop)
    async with at_pages(front, shop) as owner:
        page = await owner.see(LIST)
        assert page.count(ENTRY.title) >= 2

        accepted = await owner.send(LIST, f"{LIST}/{first}/accept")
        assert "Added." in await owner.follow(accepted)
        assert accepted.headers["location"].startswith("/app/knowledge/")
        refused = await owner.follow(await owner.send(LIST, f"{LIST}/{second}/refuse"))
        assert "Dismissed." in refused
        assert "No suggestions." in refused


async def test_a_viewer_decides_nothing(front: LiveEngine, shop: Shop) -> None:
    await suggested(front.database, shop)
    async with at_pages(front, shop, Role.VIEWER) as viewer:
        page = await viewer.see(LIST)
        assert ENTRY.title in page
        assert "/accept" not in page
