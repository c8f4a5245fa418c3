"""Files from an earlier version, read by this one."""

import json

from domain.exports.figure_records import MetricsRecord
from store.analytics.tables import metrics_daily
from store.core.database import Database
from tests.support.core.rows import only_row
from tests.support.exports.exported import bring, empty_client, exported
from tests.support.tenants.full_tenant import fill_every_table
from tests.support.tenants.shop import Shop


async def test_days_of_a_file_of_an_earlier_version(
    database: Database, shop: Shop, elsewhere: Database
) -> None:
    """It lacks the counts for insight: the days are imported with null or zero."""
    await fill_every_table(database, shop)
    file = json.loads(await exported(database, shop.client_id))
    newer = [name for name, field in MetricsRecord.model_fields.items() if not field.is_required()]
    for record in file["metrics_daily"]:
        for name in newer:
            del record[name]
    tenant = await empty_client(elsewhere)

    await bring(elsewhere, tenant, json.dumps(file))

    day = await only_row(elsewhere, metrics_daily, client_id=tenant)
    assert (day["asked"], day["rated"], day["latencies"], len(newer)) == (None, 0, {}, 13)
