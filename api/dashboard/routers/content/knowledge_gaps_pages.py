"""/app/knowledge/gaps: customer questions that the agent could not answer."""

from collections.abc import Sequence
from typing import Final
from urllib.parse import urlencode

from fastapi import APIRouter
from starlette.responses import Response

from api.dashboard.page import AnyonesPage
from api.schemas.analytics.insight_query import GapsQuery
from domain.analytics.gaps import GapSpan, KnowledgeGap, QuestionCount
from domain.content.content import MAX_LINE
from domain.tenants.actor import MANAGERS
from services.analytics.gaps import knowledge_gaps

router = APIRouter(include_in_schema=False)

_WRITTEN: Final = ("fr", "en")


@router.get("/app/knowledge/gaps")
async def gaps(page: AnyonesPage) -> Response:
    query = page.query(GapsQuery)
    found = await knowledge_gaps(
        page.resources.database,
        page.tenant,
        page.actor,
        page.resources.gaps,
        span=query.days,
        now=page.now,
        limit=query.limit,
    )
    return page.render(
        "content/gaps.html",
        found=found,
        rows=[(gap, new_entry_address(gap)) for gap in found.gaps],
        spans=[int(span) for span in GapSpan],
        span=int(query.days),
        may_change=page.may(MANAGERS),
    )


def new_entry_address(gap: KnowledgeGap) -> str:
    """Return the URL of the form for a new entry, prefilled from the gap."""
    draft = {"language": _language(gap.languages), "title": gap.title[:MAX_LINE]}
    if gap.answer is not None:
        draft["answer_of"] = gap.answer.run_id
    return f"/app/knowledge/new?{urlencode(draft)}"


def _language(counts: Sequence[QuestionCount]) -> str:
    """Return the most frequent language among the gap's questions, limited to the languages
    available for entries."""
    return next((one.value for one in counts if one.value in _WRITTEN), None) or _WRITTEN[0]
