"""/app/find: what an address, a number and an ID lead to."""

from store.runs.tables import ai_conversations
from tests.support.core.engine import LiveEngine
from tests.support.core.rows import only_row
from tests.support.dashboard.visitors import at_pages
from tests.support.reviews.reviews import open_review
from tests.support.runs.conversation import CUSTOMER
from tests.support.runs.traced_run import traced_run
from tests.support.tenants.shop import Shop, open_shop

FIND = "/app/find"


async def test_what_leads_where(front: LiveEngine, shop: Shop) -> None:
    ref = (await traced_run(front.database, shop)).ref
    talk = (await only_row(front.database, ai_conversations, of=shop))["id"]
    review = await open_review(front.database, shop)
    strangers = (await traced_run(front.database, await open_shop(front.database))).ref
    async with at_pages(front, shop) as owner:
        for asked, place in (
            (CUSTOMER, f"/app/conversations/{talk}"),
            ("#1042", f"/app/runs/{ref.run_id}"),
            (ref.run_id, f"/app/runs/{ref.run_id}"),
            (ref.event_id, f"/app/runs/{ref.run_id}"),
            (talk, f"/app/conversations/{talk}"),
            (review, f"/app/reviews/{review}"),
        ):
            assert f'href="{place}"' in await owner.see(FIND, q=asked), asked
        for asked in (strangers.run_id, "<script>alert(1)</script>"):
            page = await owner.see(FIND, q=asked)
            assert "Search covers" in page
            assert "<script>alert" not in page
        assert "Enter an email address" in await owner.see(FIND)
