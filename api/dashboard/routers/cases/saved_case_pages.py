"""/app/simulator/cases: saved messages with their expected outcomes, and the latest results."""

from typing import Annotated, Final

from fastapi import APIRouter, Depends
from starlette.responses import Response

from api.dashboard.case_form import BLANK_CASE, case_of_form, fields_of_case
from api.dashboard.page import AnyonesPage, OnPage, Page
from api.dashboard.post import Post, Posted, ReviewersPost, version_of
from api.dashboard.scenario_form import EVENT_TYPES, turns_in
from api.dashboard.typed import Typed
from api.documents import check_json_document
from api.route import PathId
from api.schemas.core.client_query import PageQuery, cursor_after
from domain.agent.brain import Category
from domain.agent.escalation_reason import EscalationReason
from domain.agent.intent import Intent
from domain.agent.plan import ActionKind
from domain.cases.case import SavedCase
from domain.cases.case_documents import case_in, new_case_in
from domain.cases.errors import CaseNotFound
from domain.cases.starter_cases import common_cases
from domain.core.document import DocumentKind
from domain.integrations.order import OrderState
from domain.runs.errors import RunNotFound
from domain.simulation.outcome import OutcomeStatus
from domain.tenants.actor import ANYONE, REVIEWERS
from services.cases.cases_from_runs import add_case_of_run
from services.cases.saved_cases import add_case, change_case, delete_case, import_cases
from services.dashboard.forms import standing_in
from store.cases.case_outcomes import CaseOutcomes
from store.cases.case_runs import CaseRunRepository
from store.cases.saved_cases import SavedCaseRepository, client_of

_LIST: Final = "/app/simulator/cases"
_NEW: Final = f"{_LIST}/new"
_CASE: Final = f"{_LIST}/{{case_id}}"
_ID: Final = PathId("case_id", "case", CaseNotFound)
_RUN_ID: Final = PathId("run_id", "run", RunNotFound)
_CHOICES: Final = {
    "statuses": tuple(OutcomeStatus),
    "reasons": tuple(EscalationReason),
    "categories": tuple(Category),
    "intents": tuple(Intent),
    "kinds": tuple(ActionKind),
    "states": tuple(OrderState),
    "event_types": EVENT_TYPES,
}

router = APIRouter(include_in_schema=False)
CasePage = Annotated[Page, Depends(OnPage(ANYONE, _ID, client_of))]
CasePost = Annotated[Post, Depends(Posted(REVIEWERS, _ID, client_of))]


@router.get(_LIST)
async def cases(page: AnyonesPage) -> Response:
    query = page.query(PageQuery)
    async with page.resources.database.reading(page.tenant) as connection:
        repository = SavedCaseRepository(connection, page.tenant)
        found = await repository.page(after=query.cursor, limit=query.limit + 1)
        verdicts = await CaseOutcomes(connection, page.tenant).live(page.resources.model)
        last = await CaseRunRepository(connection, page.tenant).page(before=None, limit=1)
        total = len(await repository.names())
    return page.render(
        "cases/cases.html",
        cases=found[: query.limit],
        cursor=cursor_after(found, query.limit, lambda one: one.id),
        verdicts=verdicts,
        total=total,
        last_run=next(iter(last), None),
        may_change=page.may(REVIEWERS),
    )


@router.get(_NEW)
async def new(page: Annotated[Page, Depends(OnPage(REVIEWERS))]) -> Response:
    return _editor(page, None, _LIST, await page.typed(_LIST, BLANK_CASE))


@router.post(_LIST)
async def add(post: ReviewersPost) -> Response:
    origin = "simulation" if post.text("origin") == "simulation" else "hand"
    page, value = post.page, {**case_of_form(post), "origin": origin}
    await check_json_document(page.resources, page.tenant, DocumentKind.NEW_CASE, value)
    spec, taken_from = new_case_in(value)
    async with post.working(_LIST) as work:
        await add_case(work, page.actor, spec, origin=taken_from)
    return await post.step_done(_LIST, "cases.added", name=_in_braces(spec.name))


@router.post(f"{_LIST}/starter")
async def add_starters(post: ReviewersPost) -> Response:
    async with post.working(_LIST) as work:
        await import_cases(work, post.page.actor, common_cases())
    return await post.step_done(_LIST, "cases.starters_added")


@router.post(f"{_LIST}/of-run/{{run_id}}")
async def add_of_run(post: Annotated[Post, Depends(Posted(REVIEWERS, _RUN_ID))]) -> Response:
    async with post.working() as work:
        case = await add_case_of_run(
            work, post.page.actor, post.page.record_id, name=post.text("name").strip() or None
        )
        await post.leads_to(work, to := f"{_LIST}/{case.id}")
    return await post.step_done(to, "cases.added", name=_in_braces(case.name))


@router.get(_CASE)
async def case(page: CasePage) -> Response:
    async with page.resources.database.reading(page.tenant) as connection:
        found = await SavedCaseRepository(connection, page.tenant).read(page.record_id)
    form = f"{_LIST}/{found.id}"
    return _editor(page, found, form, await page.typed(form, fields_of_case(found)))


@router.post(_CASE)
async def change(post: CasePost) -> Response:
    page = post.page
    value = case_of_form(post)
    await check_json_document(page.resources, page.tenant, DocumentKind.CASE, value)
    spec = case_in(value)
    async with post.working(post.form) as work:
        there = await SavedCaseRepository(standing_in(work), page.tenant).read(page.record_id)
        post.check_seen(version_of(there))
        await change_case(work, page.actor, page.record_id, spec)
    return post.done(post.form, "cases.saved")


@router.post(f"{_CASE}/delete")
async def delete(post: CasePost) -> Response:
    page = post.page
    async with post.working(_LIST) as work:
        await delete_case(work, page.actor, page.record_id)
    return post.done(_LIST, "cases.deleted")


def _editor(page: Page, found: SavedCase | None, form: str, typed: Typed) -> Response:
    return page.render(
        "cases/case.html",
        case=found,
        form=form,
        typed=typed,
        seen=version_of(found) if found else "",
        turns=turns_in(typed.fields),
        may_change=page.may(REVIEWERS),
        choices=_CHOICES,
    )


def _in_braces(name: str) -> str:
    """Return the name in French quotation marks (guillemets), for use in a message."""
    return f"« {name} »"
