"""How many answers of a playbook were sent without a review."""

from datetime import timedelta

import sqlalchemy as sa

from adapters.system import utc_now
from store.core.database import Database
from store.learning.passed_alone import LATELY, AloneCount, PassedAlone
from store.runs.tables import engine_runs
from tests.support.learning.left_runs import LeftRun, leave_run
from tests.support.tenants.shop import Shop


async def test_what_a_person_saw_did_not_pass_alone(database: Database, shop: Shop) -> None:
    async with database.tenant(shop.tenant) as connection:
        await leave_run(connection, shop, LeftRun(0.9))
        seen = await leave_run(connection, shop, LeftRun(0.5, "approved"))
        joined = await leave_run(connection, shop, LeftRun(0.5))
        await leave_run(connection, shop, LeftRun(0.99, plan=()))  # an automatic email
        for run_id, value in (
            (seen, {"handoff_reason": "low_confidence"}),
            (joined, {"joined_review": "x"}),
        ):
            await connection.execute(
                sa.update(engine_runs).where(engine_runs.c.id == run_id).values(**value)
            )
        counts = PassedAlone(connection, shop.tenant)
        found = await counts.lately(utc_now())
        assert found == {shop.playbook_id: AloneCount(asked=2, alone=1)}
        assert found[shop.playbook_id].share == 0.5
        assert await counts.lately(utc_now(), shop.client_id) == {}
        assert await counts.lately(utc_now() + LATELY + timedelta(minutes=1)) == {}
