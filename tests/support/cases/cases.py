"""Default saved cases and case runs for tests."""

from typing import Any, Final

from adapters.system import new_ulid, utc_now
from domain.cases.case import CaseExpectation, CaseOrigin, CaseSpec
from domain.cases.case_run import CaseRun, CaseRunState
from domain.simulation.scenario import Scenario, ScenarioMessage
from domain.simulation.variant import LIVE
from domain.tenants.actor import Actor
from services.cases.saved_cases import add_case
from store.cases.case_runs import CaseRunRepository
from store.core.database import Database
from tests.support.core.engine import LiveEngine
from tests.support.core.units import units_on
from tests.support.tenants.shop import ORDER_QUESTION, Shop

CASES: Final = "/api/dashboard/cases"
CASE_RUNS: Final = "/api/dashboard/case-runs"
CASE_FILE: Final = "/api/dashboard/case-file"
CONTENT_PREVIEWS: Final = "/api/dashboard/content-previews"
CASE: Final[dict[str, Any]] = {
    "name": "Colis",
    "scenario": {"messages": [{"text": ORDER_QUESTION}]},
    "expected": {"classification": "order_status"},
}

READS: Final = {
    ("GET", CASES): None,
    ("GET", CASES + "/{case_id}"): "case_not_found",
    ("GET", CASE_RUNS): None,
    ("GET", CASE_RUNS + "/{case_run_id}"): "case_run_not_found",
    ("GET", CASE_FILE): None,
}
"""The error code for a missing record, by method and path."""

CHANGES: Final[dict[tuple[str, str], tuple[dict[str, Any] | None, str | None]]] = {
    ("POST", CASES): ({**CASE, "name": "Autre"}, None),
    ("PUT", CASES + "/{case_id}"): (CASE, "case_not_found"),
    ("DELETE", CASES + "/{case_id}"): (None, "case_not_found"),
    ("POST", "/api/dashboard/runs/{run_id}/case"): (None, "run_not_found"),
    ("POST", CASE_RUNS): (None, None),
    ("POST", CASE_FILE): ({"version": 1, "cases": []}, None),
}
"""The smallest body and the error code for a missing record, by method and path."""


def a_spec(name: str = "Colis", text: str = ORDER_QUESTION, **expected: object) -> CaseSpec:
    return CaseSpec(
        name=name,
        scenario=Scenario(messages=(ScenarioMessage(text=text),)),
        expected=CaseExpectation.model_validate(expected),
    )


async def a_case(database: Database, shop: Shop, spec: CaseSpec | None = None) -> str:
    async with units_on(database).of(shop.tenant) as work:
        actor = Actor.operator("operator:test")
        added = await add_case(work, actor, spec or a_spec(), origin=CaseOrigin.HAND)
    return added.id


async def a_case_run(
    database: Database, shop: Shop, state: CaseRunState = CaseRunState.DONE
) -> str:
    """Create a run without results, and return its id."""
    run = CaseRun(
        id=new_ulid(), variant=LIVE, state=state, started_by="user/u", created_at=utc_now()
    )
    async with database.tenant(shop.tenant) as connection:
        await CaseRunRepository(connection, shop.tenant).create(run)
    return run.id


async def case_ids(front: LiveEngine, shop: Shop) -> dict[str, str]:
    """Return a case and a run as path parameters."""
    case_id = await a_case(front.database, shop)
    return {"case_id": case_id, "case_run_id": await a_case_run(front.database, shop)}
