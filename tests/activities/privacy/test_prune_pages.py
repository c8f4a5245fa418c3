"""Short-lived page data expires."""

from datetime import timedelta
from typing import Any

import pytest
import sqlalchemy as sa
from temporalio.testing import ActivityEnvironment

from activities.privacy.prune import Prune
from adapters.system import new_ulid, utc_now
from domain.privacy.contracts import HousekeepingInput
from store.core.database import Database
from store.dashboard.tables import form_posts, page_drafts
from store.identity.tables import sign_in_links
from tests.support.core.rows import rows
from tests.support.tenants.shop import Shop

pytestmark = pytest.mark.own_database

DAY = timedelta(days=1)
HOUR = timedelta(hours=1)


async def test_forms_and_drafts_of_pages_end(database: Database, shop: Shop) -> None:
    now = utc_now()
    ages = (HOUR, 23 * HOUR, 25 * HOUR, 6 * DAY, 8 * DAY)
    async with database.service() as connection:
        for age in ages:
            mine = {"client_id": shop.client_id, "user_id": "user"}
            await connection.execute(
                sa.insert(form_posts).values(**mine, once=new_ulid(), created_at=now - age)
            )
            await connection.execute(
                sa.insert(page_drafts).values(**mine, form=f"/app/{age}", saved_at=now - age)
            )
            await connection.execute(
                sa.insert(sign_in_links).values(
                    digest=new_ulid().encode(), user_id="user", expires_at=now - age
                )
            )

    await ActivityEnvironment().run(Prune(database, lambda: now).prune, HousekeepingInput())

    def kept(found: list[dict[str, Any]], time: str) -> set[timedelta]:
        return {now - one[time] for one in found}

    assert kept(await rows(database, form_posts), "created_at") == {HOUR, 23 * HOUR}
    assert kept(await rows(database, page_drafts), "saved_at") == set(ages[:4])
    assert kept(await rows(database, sign_in_links), "expires_at") == {HOUR, 23 * HOUR}
