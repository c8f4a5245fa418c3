"""The page of the audit log."""

import re

from tests.support.core.engine import LiveEngine
from tests.support.dashboard.visitors import at_pages
from tests.support.tenants.shop import Shop

ARTICLE = {"title": "Delivery <b>times</b>", "body": "3 days.", "language": "en"}


async def test_an_entry_names_its_record_until_it_is_deleted(front: LiveEngine, shop: Shop) -> None:
    async with at_pages(front, shop) as owner:
        saved = await owner.send("/app/knowledge/new", "/app/knowledge", ARTICLE)
        article = saved.headers["location"].partition("?")[0]
        before = await owner.see("/app/audit")
        await owner.send(article, f"{article}/delete")
        after = await owner.see("/app/audit")

    named = "Delivery &lt;b&gt;times&lt;/b&gt;"
    assert re.search(rf'<a href="{article}">Article</a>: <span dir="auto">{named}</span>', before)
    assert named not in after
