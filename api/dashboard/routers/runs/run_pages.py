"""/app/runs: the agent's runs, with their steps and reasons."""

from dataclasses import dataclass
from typing import Annotated, Final
from urllib.parse import quote

from fastapi import APIRouter, Depends
from starlette.responses import Response

from api.dashboard.page import AnyonesPage, OnPage, Page
from api.dashboard.people import people_of
from api.dashboard.review_reason import reason_of_run
from api.dashboard.session import is_poll
from api.dashboard.ticket_customer import ticket_customer
from api.http.disposition import content_disposition
from api.route import PathId
from api.schemas.runs.run import RunQuery
from domain.agent.brain import Category
from domain.core.names import process_event_id
from domain.intake.event import Channel
from domain.runs.errors import RunNotFound
from domain.runs.run import RunStatus, Timings
from domain.runs.ticket_outcome import TicketOutcome
from domain.tenants.actor import ANYONE, OPERATORS, REVIEWERS
from services.customers.customers import customer_names
from store.analytics.metrics import MetricsRepository
from store.runs.conversation_lists import ConversationLists
from store.runs.run_lists import NONE, RunLists
from store.runs.traces import RunTraces, client_of_run

_LIST: Final = "/app/runs"
_RUN: Final = f"{_LIST}/{{run_id}}"
_ID: Final = PathId("run_id", "run", RunNotFound)
_WIDTH: Final = 320.0
_SEEN: Final = 5.0  # Minimum width of a bar, equal to 4 px on a phone.

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
    wanted = query.wanted
    async with page.resources.database.reading(page.tenant) as connection:
        lists = RunLists(connection, page.tenant)
        found, behind = await lists.page(wanted, limit=query.limit, before=query.cursor)
        # A poll refreshes only the rows.
        is_counted = wanted.is_set and not is_poll(page.request)
        count = await lists.count(wanted) if is_counted else None
        playbooks = await MetricsRepository(connection, page.tenant).playbook_names()
        addresses = [one.customer_email for one in found]
        names = await customer_names(connection, page.tenant, page.actor, addresses)
    return page.render(
        "runs/runs.html",
        runs=found,
        names=names,
        cursor=behind,
        count=count,
        filters=query,
        is_filtered=wanted.is_set,
        statuses=list(RunStatus),
        categories=list(Category),
        channels=list(Channel),
        outcomes=list(TicketOutcome),
        playbooks=playbooks,
        without=NONE,
        may_send=page.may(REVIEWERS),
    )


@router.get(_RUN)
async def run(page: RunPage) -> Response:
    async with page.resources.database.reading(page.tenant) as connection:
        trace = await RunTraces(connection, page.tenant).read(page.record_id)
        talk = await ConversationLists(connection, page.tenant).of_run(page.record_id)
    message = trace.event.normalized
    return page.render(
        "runs/run.html",
        run=trace,
        reason=reason_of_run(trace),
        customer=await ticket_customer(page, message.customer_email if message else None),
        people=await people_of(page) if trace.event.author else {},
        talk=talk,
        timed=waterfall(trace.timings),
        may_act=page.may(REVIEWERS),
        workflow_url=_workflow_url(page, trace.event.event_id) if page.may(OPERATORS) else None,
    )


def _workflow_url(page: Page, event_id: str) -> str | None:
    """Return the URL of the event's workflow in the Temporal UI, if the settings contain the UI's
    address."""
    temporal = page.resources.settings.temporal
    if temporal.ui_url is None:
        return None
    workflow_id = quote(process_event_id(page.tenant, event_id), safe="")
    return f"{temporal.ui_url}/namespaces/{quote(temporal.namespace)}/workflows/{workflow_id}"


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
    """Return one bar for each step of a run, in order. Steps with a duration of zero are
    omitted."""
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
