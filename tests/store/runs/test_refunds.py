"""The agent's refunds in a period."""

from datetime import timedelta

from adapters.system import utc_now
from domain.core.money import Money
from store.core.database import Database
from store.runs.refunds import RefundRepository
from tests.support.runs.conversation import CUSTOMER
from tests.support.runs.traced_run import traced_run
from tests.support.tenants.shop import Shop, open_shop

EUROS = Money(minor=4900, currency="EUR")


async def test_sums_and_latest(database: Database, shop: Shop) -> None:
    """Only those of this client and period."""
    traced = await traced_run(database, shop)
    await traced_run(database, await open_shop(database))
    now = utc_now()
    async with database.reading(shop.tenant) as connection:
        refunds = RefundRepository(connection, shop.tenant)
        totals = await refunds.totals(now - timedelta(hours=1), now + timedelta(hours=1))
        (latest,) = await refunds.latest(
            now - timedelta(hours=1), now + timedelta(hours=1), limit=5
        )
        earlier = await refunds.totals(now - timedelta(hours=3), now - timedelta(hours=1))

    (total,) = totals.topics
    assert not totals.is_partial
    assert (total.topic, total.refunds, total.total) == ("refund_request", 1, EUROS)
    assert (latest.run_id, latest.amount) == (traced.ref.run_id, EUROS)
    assert (latest.order_number, latest.customer_email) == ("1042", CUSTOMER)
    assert earlier.topics == ()
