"""/app/home/improvement: the suggested article on Home."""

from typing import Final

from fastapi import APIRouter
from starlette.responses import Response

from api.dashboard.page import AnyonesPage, Page
from api.dashboard.routers.content.knowledge_gaps_pages import new_entry_address
from domain.analytics.gaps import GapSpan, KnowledgeGaps
from domain.core.errors import CallerBusy, OverBudget
from domain.core.plain_text import shortened
from domain.tenants.actor import MANAGERS
from services.analytics.gaps import knowledge_gaps

_GAPS: Final = 5
"""The number of knowledge gaps that are considered for a suggestion. The largest gaps are
considered."""

_ASKED_OFTEN: Final = 2
"""The minimum number of questions for a knowledge gap to be suggested."""

_EXAMPLE_CHARS: Final = 140

router = APIRouter(include_in_schema=False)


@router.get("/app/home/improvement")
async def improvement(page: AnyonesPage) -> Response:
    """Return a suggested article for Home. The page loads it separately because clustering the
    questions takes longer than the other queries."""
    try:
        found = await _largest_gaps(page)
    except (OverBudget, CallerBusy):
        found = None
    often = [one for one in found.gaps if one.count >= _ASKED_OFTEN] if found else []
    gap = next((one for one in often if one.knowledge is None), None)
    return page.render(
        "dashboard/improvement.html",
        gap=gap,
        is_none_known=found is not None and not found.is_cut and not often,
        example=gap and shortened(" ".join(gap.examples[0].text.split()), _EXAMPLE_CHARS),
        write=gap and new_entry_address(gap),
        may_change=page.may(MANAGERS),
    )


async def _largest_gaps(page: Page) -> KnowledgeGaps:
    return await knowledge_gaps(
        page.resources.database,
        page.tenant,
        page.actor,
        page.resources.gaps,
        span=GapSpan.MONTH,
        now=page.now,
        limit=_GAPS,
    )
