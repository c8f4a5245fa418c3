"""Code shared by the content pages: the query of their lists, and the redirect after saving."""

from datetime import timedelta
from typing import Final

from starlette.responses import Response

from api.dashboard.post import Post
from api.dashboard.typed import kept_fields
from api.schemas.core.client_query import PageQuery
from domain.agent.brain import Language
from domain.simulation.variant import ContentVariant
from services.cases.content_previews import preview_content
from services.content.lost_outcomes import LostOutcomes
from services.dashboard.forms import keep_draft

USED_WITHIN: Final = timedelta(days=30)
_CASE_RUN: Final = "/app/simulator/runs/{}"


class ContentQuery(PageQuery):
    """Query parameters of a content list."""

    language: Language | None = None


def saved_at(path: str, lost: LostOutcomes) -> str:
    """Return the URL of the page to show after saving. The URL's query string states the number of
    passed cases that must run again."""
    return f"{path}?lost={lost.count}" if lost.count else path


async def try_on_cases(post: Post, change: ContentVariant) -> Response:
    """Start a run of the cases with the changed content, and keep the form as a draft. The change
    itself is not saved."""
    page = post.page
    async with post.working() as work:
        run = await preview_content(work, page.actor, change)
        fields = {name: text for name, text in kept_fields(post.fields).items() if name != "try"}
        await keep_draft(work, page.visit.user.id, post.form, fields)
        await post.leads_to(work, to := _CASE_RUN.format(run.id))
    return post.done(to, "content.tried")
