"""The statements for an event use indexes, in a database with some rows."""

import psycopg

from adapters.system import utc_now
from bench.full_database import RECENT, fill
from bench.load import LoadShop
from bench.plans import plans_of
from bench.statements import ACTIVE_KEY
from store.billing.tables import usage_ledger
from store.core.database import Database
from store.runs.tables import engine_messages
from tests.support.core.postgres import as_owner
from tests.support.core.rows import row_counts
from tests.support.tenants import shop as shops

# More than the thousand rows from which a sequential scan is a failure.
_CLIENTS = 1_200
_MESSAGES = 6_000


async def _filled(database: Database, url: str) -> LoadShop:
    opened = await shops.open_shop(database)
    shop = LoadShop(client_id=opened.client_id, key=opened.key)
    fill(as_owner(url), (shop,), now=utc_now(), clients=_CLIENTS, messages=_MESSAGES)
    return shop


async def test_no_statement_reads_a_large_table_whole(
    database: Database, database_url: str
) -> None:
    shop = await _filled(database, database_url)
    plans = await plans_of(database, database_url, shop)
    assert [plan for plan in plans if plan.missed] == []
    counts = await row_counts(database)
    assert counts["clients"] == counts["api_keys"] == counts["playbooks"] == _CLIENTS
    for table in (engine_messages, usage_ledger):
        assert counts[table.name] == _MESSAGES + RECENT
    with psycopg.connect(as_owner(database_url)) as owner:
        at_rest = "SELECT count(*) FROM pg_index WHERE NOT (indisready AND indisvalid)"
        assert owner.execute(at_rest).fetchone() == (0,)


async def test_a_statement_that_lost_its_index_is_found(
    database: Database, database_url: str
) -> None:
    shop = await _filled(database, database_url)
    with psycopg.connect(as_owner(database_url), autocommit=True) as owner:
        owner.execute("ALTER TABLE api_keys DROP CONSTRAINT uq_api_keys_digest")
    plans = await plans_of(database, database_url, shop)
    assert {plan.statement: plan.missed for plan in plans if plan.missed} == {
        ACTIVE_KEY: ("api_keys",)
    }
