"""/app/runs: the agent's runs, with their steps and reasons."""

from dataclasses import dataclass
from typing import Annotated, Final

from fastapi import APIRouter, Depends
from starlette.responses import Response

from api.dashboard.page import AnyonesPage, OnPage, Page
from api.dashboard.people import people_of
from api.http.disposition import content_disposition
from api.route import PathId
from api.schemas.core.client_query import cursor_after
from api.schemas.runs.run import RunQuery
from domain.agent.brain import Category
from domain.runs.errors import RunNotFound
from domain.runs.run import RunStatus, Timings
from domain.tenants.actor import ANYONE, REVIEWERS
from store.runs.conversation_lists import ConversationLists
from store.runs.traces import RunTraces, client_of_run

_LIST: Final = "/app/runs"
_RUN: Final = f"{_LIST}/{{run_id}}"
_ID: Final = PathId("run_id", "run", RunNotFound)
_WIDTH: Final = 320.0
_SEEN: Final = 5.0  # Minimum width of a bar, equal to 4 px on a phone

router = APIRouter(include_in_schema=False)
RunPage = Annotated[Page, Depends(OnPage(ANYONE, _ID, client_of_run))]


@dataclass(frozen=True, slots=True)
class TimedStep:
    """A bar of the waterfall chart. `name`: the key of the bar's label."""

    name: str
    ms: float
    x: float
    width: float


@router.get(_LIST)
async def runs(page: AnyonesPage) -> Response:
    query = page.query(RunQuery)
    async with page.resources.database.reading(page.tenant) as connection:
        found = await RunTraces(connection, page.tenant).page(
            limit=query.limit + 1,
            before=query.cursor,
            status=query.status,
            classification=query.classification,
            reason=query.reason,
        )
    return page.render(
        "runs/runs.html",
        runs=found[: query.limit],
        cursor=cursor_after(found, query.limit, lambda last: last.run_id),
        filters=query,
        statuses=list(RunStatus),
        categories=list(Category),
        may_send=page.may(REVIEWERS),
    )


@router.get(_RUN)
async def run(page: RunPage) -> Response:
    async with page.resources.database.reading(page.tenant) as connection:
        trace = await RunTraces(connection, page.tenant).read(page.record_id)
        talk = await ConversationLists(connection, page.tenant).of_run(page.record_id)
    return page.render(
        "runs/run.html",
        run=trace,
        people=await people_of(page) if trace.event.author else {},
        talk=talk,
        timed=waterfall(trace.timings),
        may_act=page.may(REVIEWERS),
    )


@router.get(f"{_RUN}/json")
async def run_file(page: RunPage) -> Response:
    """Download the run, with the same content as in the API route's response."""
    async with page.resources.database.reading(page.tenant) as connection:
        trace = await RunTraces(connection, page.tenant).read(page.record_id)
    return Response(
        trace.model_dump_json(indent=2),
        media_type="application/json",
        headers={
            "content-disposition": content_disposition("attachment", f"run-{trace.run_id}.json"),
            "x-content-type-options": "nosniff",
            "cache-control": "private, no-store",
        },
    )


def waterfall(timings: Timings) -> list[TimedStep]:
    """Return one bar for each step of a run, in order. Steps with a duration of zero are left
    out."""
    taken = [(name, ms) for name, ms in timings.model_dump().items() if ms]
    whole = sum(ms for _, ms in taken)
    steps: list[TimedStep] = []
    before = 0.0
    for name, ms in taken:
        width = max(ms / whole * _WIDTH, _SEEN)
        x = min(before / whole * _WIDTH, _WIDTH - width)
        steps.append(TimedStep(name, ms, round(x, 1), round(width, 1)))
        before += ms
    return steps
