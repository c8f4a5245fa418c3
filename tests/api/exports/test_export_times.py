"""Times in the export: one format, and no ended trial."""

import json
import re
from datetime import timedelta

import pytest
import sqlalchemy as sa

from adapters.system import utc_now
from store.tenants.tables import clients
from tests.support.core.engine import LiveEngine
from tests.support.tenants.identity import bearer
from tests.support.tenants.shop import ORDER_QUESTION, Shop


@pytest.mark.parametrize("ended", [True, False])
async def test_a_trial_that_has_ended_is_null(front: LiveEngine, shop: Shop, ended: bool) -> None:
    ends = utc_now() + timedelta(days=-1 if ended else 1)
    async with front.database.service() as connection:
        await connection.execute(
            sa.update(clients).where(clients.c.id == shop.client_id).values(trial_ends_at=ends)
        )

    answer = await front.http.get("/api/client/export-data", headers=bearer(shop.key))

    (client,) = answer.json()["client"]
    assert (client["trial_ends_at"] is None) is ended


async def test_every_time_is_utc_with_z(engine: LiveEngine, shop: Shop) -> None:
    await engine.post(shop, customer_email="a@b.example", message=ORDER_QUESTION)

    answer = await engine.http.get("/api/client/export-data", headers=bearer(shop.key))

    text = json.dumps(answer.json())
    times = re.findall(r'_at": "([^"]+)"', text)
    assert len(times) > 8
    assert [one for one in times if not re.fullmatch(r"[\d-]+T[\d:]+(\.\d+)?Z", one)] == []
