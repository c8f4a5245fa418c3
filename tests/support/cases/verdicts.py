"""Cases, and their verdicts as a case run leaves them."""

from typing import Final

import sqlalchemy as sa

from adapters.system import new_ulid, utc_now
from domain.cases.case import CaseExpectation, CaseOrigin, CaseSpec, SavedCase
from domain.cases.digest import verdict_digest
from domain.playbooks.playbook import PlaybookSpec
from domain.simulation.outcome import OutcomeStatus
from domain.simulation.scenario import Scenario, ScenarioMessage
from domain.tenants.actor import Actor
from services.cases.saved_cases import add_case
from store.cases.content_digest import content_digest
from store.cases.tables import case_results, case_runs
from store.core.database import Database
from tests.support.core.units import units_on
from tests.support.tenants.shop import Shop

MODEL: Final = "a model"


def case_spec(name: str = "case", *, event_type: str = "api_direct", must: bool = True) -> CaseSpec:
    return CaseSpec(
        name=name,
        scenario=Scenario(messages=(ScenarioMessage(text="Bonjour"),), event_type=event_type),
        expected=CaseExpectation(status=OutcomeStatus.COMPLETED),
        must=must,
    )


async def saved(database: Database, shop: Shop, spec: CaseSpec) -> SavedCase:
    async with units_on(database).of(shop.tenant) as work:
        return await add_case(work, Actor.operator("test"), spec, origin=CaseOrigin.HAND)


async def judge(
    database: Database,
    shop: Shop,
    case: SavedCase,
    playbook: PlaybookSpec,
    *,
    passed: bool = True,
    model: str = MODEL,
) -> None:
    """Store a verdict on the case for these rules and the current content."""
    run = {"client_id": shop.client_id, "created_at": utc_now()}
    run_id = new_ulid()
    async with database.tenant(shop.tenant) as connection:
        content = await content_digest(connection, shop.tenant)
        await connection.execute(
            sa.insert(case_runs).values(**run, id=run_id, state="done", started_by="test")
        )
        await connection.execute(
            sa.insert(case_results).values(
                **run,
                case_run_id=run_id,
                case_id=case.id,
                digest=verdict_digest(playbook, content, model, case),
                passed=passed,
                tries=1,
                passes=int(passed),
                outcome={"status": "completed"},
            )
        )
