"""/app/simulator/runs: runs of all saved cases, with the live content or with a variant."""

from typing import Annotated, Final

from fastapi import APIRouter, Depends
from starlette.responses import Response

from api.dashboard.page import AnyonesPage, OnPage, Page
from api.dashboard.post import ReviewersPost
from api.dashboard.variant_form import NO_VARIANT, playbooks_of, variant_in
from api.route import PathId
from api.schemas.cases.case import CaseRunBody
from api.schemas.core.client_query import PageQuery, cursor_after
from domain.cases.case_run import CaseRunState
from domain.cases.errors import CaseRunNotFound
from domain.tenants.actor import ANYONE, REVIEWERS
from services.cases.case_runs import start_case_run
from store.cases.case_outcomes import CaseOutcomes
from store.cases.case_runs import CaseRunRepository, client_of_case_run

_LIST: Final = "/app/simulator/runs"
_ID: Final = PathId("case_run_id", "case run", CaseRunNotFound)
_OVER: Final = frozenset({CaseRunState.DONE, CaseRunState.FAILED})

router = APIRouter(include_in_schema=False)
CaseRunPage = Annotated[Page, Depends(OnPage(ANYONE, _ID, client_of_case_run))]


@router.get(_LIST)
async def case_runs(page: AnyonesPage) -> Response:
    query = page.query(PageQuery)
    async with page.resources.database.reading(page.tenant) as connection:
        found = await CaseRunRepository(connection, page.tenant).page(
            before=query.cursor, limit=query.limit + 1
        )
    return page.render(
        "cases/case_runs.html",
        runs=found[: query.limit],
        cursor=cursor_after(found, query.limit, lambda last: last.id),
        may_run=page.may(REVIEWERS),
        playbooks=await playbooks_of(page),
        typed=await page.typed(_LIST, NO_VARIANT),
    )


@router.post(_LIST)
async def start(post: ReviewersPost) -> Response:
    body = post.body(CaseRunBody, **await variant_in(post))
    variant = body.variant
    async with post.working() as work:
        run = await start_case_run(work, post.page.actor, variant)
        await post.leads_to(work, to := f"{_LIST}/{run.id}")
    return post.done(to, "cases.run_started")


@router.get(f"{_LIST}/{{case_run_id}}")
async def case_run(page: CaseRunPage) -> Response:
    async with page.resources.database.reading(page.tenant) as connection:
        runs = CaseRunRepository(connection, page.tenant)
        run = await runs.read(page.record_id)
        results = await runs.results(page.record_id)
        live = await CaseOutcomes(connection, page.tenant).live(page.resources.model)
    return page.render(
        "cases/case_run.html",
        run=run,
        results=sorted(results, key=lambda one: (one.passed, not one.changed)),
        live=live,
        is_over=run.state in _OVER,
    )
