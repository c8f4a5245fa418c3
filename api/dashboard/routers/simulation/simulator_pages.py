"""/app/simulator: a page that simulates messages, and shows what the agent would do and why."""

import asyncio
import time
from dataclasses import replace
from typing import Annotated, Final

from fastapi import APIRouter, Depends
from starlette.responses import Response

from api.dashboard.case_form import fields_of_expectation
from api.dashboard.page import OnPage, Page
from api.dashboard.playbook_form import drafted_yaml
from api.dashboard.post import Post, ReviewersPost
from api.dashboard.scenario_form import (
    BLANK,
    EVENT_TYPES,
    fields_of_scenario,
    scenario_in,
    turns_in,
)
from api.dashboard.typed import Typed, kept_fields
from api.dashboard.variant_form import NO_VARIANT, playbooks_of, variant_in
from api.schemas.core.client_query import ClientQuery
from api.schemas.simulation.simulator import SimulatorAnswer, parse_simulation
from api.simulating import simulated
from domain.cases.from_run import case_of
from domain.identity.address import MAX_ADDRESS
from domain.intake.rate_limit import LimitScope
from domain.tenants.actor import REVIEWERS
from store.cases.runs_for_cases import RunForCaseReader
from store.cases.saved_cases import SavedCaseRepository

_PATH: Final = "/app/simulator"
_MOST_PREFILLED: Final = 2_000


class PrefilledQuery(ClientQuery):
    """Query parameters that prefill the form from a run, a saved case, a message, or a playbook's
    draft. The draft's id is `new` for a new playbook."""

    run_id: str | None = None
    case_id: str | None = None
    message: str | None = None
    customer_email: str | None = None
    draft_of: str | None = None


router = APIRouter(include_in_schema=False)


@router.get(_PATH)
async def simulator(page: Annotated[Page, Depends(OnPage(REVIEWERS))]) -> Response:
    filled = await _prefilled(page, page.query(PrefilledQuery))
    typed = Typed.of(filled, None) if filled else await page.typed(_PATH, {**BLANK, **NO_VARIANT})
    return await _shown(page, typed, None)


@router.post(_PATH)
async def ask(post: ReviewersPost) -> Response:
    """Simulate the conversation without side effects. The user can continue the conversation on the
    resulting page. The form of a test ticket can also be submitted here."""
    post = _of_ticket(post)
    page = post.page
    resources = page.resources
    await resources.limiter.check_request(
        page.request, LimitScope.SIMULATOR, page.request.state.caller, page.now
    )
    body = parse_simulation(
        {"client_id": page.tenant, **scenario_in(post), **await variant_in(post)}
    )
    started = time.monotonic()
    simulation = await simulated(resources, page.actor, page.tenant, body.asked())
    answer = SimulatorAnswer.of(simulation, round((time.monotonic() - started) * 1000))
    return await _shown(page, Typed.of(_again(post), None), answer)


def _of_ticket(post: Post) -> Post:
    """Return the form of a test ticket as this page's form, for a verified customer. Return any
    other form unchanged. A rejected form opens this page."""
    if "message" not in post.fields:
        return post
    number = " ".join(post.text("order_number").split())
    given = {
        "turn1": post.text("message"),
        "event_type": post.text("event_type"),
        "customer_email": post.text("customer_email"),
        # A sample order would need an amount, so the number is a field of the event.
        "facts": f"order_number: {number}" if number else "",
    }
    simulated_ticket = replace(post, fields={**BLANK, **NO_VARIANT, **given}, back=_PATH)
    post.page.request.state.post = simulated_ticket
    return simulated_ticket


async def _shown(page: Page, typed: Typed, answer: SimulatorAnswer | None) -> Response:
    return page.render(
        "simulation/simulator.html",
        typed=typed,
        turns=turns_in(typed.fields),
        answer=answer,
        as_case=_as_case(typed, answer) if answer else {},
        playbooks=await playbooks_of(page),
        event_types=EVENT_TYPES,
    )


def _again(post: Post) -> dict[str, str]:
    return {**BLANK, "customer_verified": "", **NO_VARIANT, **kept_fields(post.fields)}


def _as_case(typed: Typed, answer: SimulatorAnswer) -> dict[str, str]:
    """Return the form fields for a case with this conversation. The simulated answer becomes the
    case's expected answer."""
    given = {name: text for name, text in typed.fields.items() if name not in NO_VARIANT and text}
    expected = {name: text for name, text in fields_of_expectation(answer.expected).items() if text}
    return {**given, **expected, "origin": "simulation"}


async def _prefilled(page: Page, query: PrefilledQuery) -> dict[str, str]:
    """Return the prefilled fields, or an empty dict if the query specifies no source."""
    if query.message:
        message = query.message[:_MOST_PREFILLED]
        customer = (query.customer_email or "")[:MAX_ADDRESS]
        return {**BLANK, **NO_VARIANT, "turn1": message, "customer_email": customer}
    if query.draft_of:
        playbook_id = "" if query.draft_of == "new" else query.draft_of
        draft = await drafted_yaml(page, query.draft_of) or ""
        return {**BLANK, **NO_VARIANT, "playbook_id": playbook_id, "draft": draft}
    if not (query.case_id or query.run_id):
        return {}
    async with page.resources.database.reading(page.tenant) as connection:
        if query.case_id:
            case = await SavedCaseRepository(connection, page.tenant).read(query.case_id)
            return {**NO_VARIANT, **fields_of_scenario(case.scenario)}
        reader = RunForCaseReader(connection, page.tenant)
        run = await reader.read(query.run_id or "", lock=False)
    spec = await asyncio.to_thread(case_of, run)
    return {**NO_VARIANT, **fields_of_scenario(spec.scenario)}
