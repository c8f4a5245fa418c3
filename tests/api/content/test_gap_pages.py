"""The knowledge gaps page: each gap links to a prefilled new entry."""

import re
from datetime import timedelta
from html import unescape

from adapters.system import utc_now
from tests.support.analytics.days import Said, past_event
from tests.support.core.engine import LiveEngine
from tests.support.dashboard.visitors import at_pages
from tests.support.tenants.shop import Shop

GAPS = "/app/knowledge/gaps"
QUESTION = "Livrez-vous en <b>Suisse</b> ?"


async def test_a_gap_is_written_from_the_human_answer(front: LiveEngine, shop: Shop) -> None:
    async with at_pages(front, shop) as owner:
        assert "Nothing unanswered in this period" in await owner.see(GAPS)
        await past_event(
            front.database,
            shop,
            utc_now() - timedelta(days=2),
            reviews=["edited"],
            reason="missing_knowledge",
            replied_after=timedelta(hours=1),
            said=Said(QUESTION, "Oui, en Suisse aussi."),
        )
        page = await owner.see(GAPS)
        assert "Livrez-vous en &lt;b&gt;Suisse&lt;/b&gt;" in page
        link = re.search(r'href="(/app/knowledge/new\?[^"]+)"', page)
        assert link is not None
        form = await owner.see(unescape(link.group(1)))
        assert "Oui, en Suisse aussi.</textarea>" in form
