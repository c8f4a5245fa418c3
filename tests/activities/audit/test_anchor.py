"""Daily anchors: the head of each audit chain, with a digest that is written to the log."""

from datetime import date

import pytest
import structlog
from temporalio.testing import ActivityEnvironment

from activities.audit.anchor import AnchorHeads
from domain.audit.chain import Anchor, AnchorDigest
from domain.audit.contracts import AnchorAuditResult, AnchorHeadsInput
from services.audit.anchors import anchors_of_day
from store.audit.tables import audit_anchors, audit_heads
from store.core.database import Database
from tests.support.audit.chains import ANNA
from tests.support.core.rows import rows
from tests.support.core.units import units_on
from tests.support.tenants.shop import Shop, open_shop

pytestmark = pytest.mark.own_database
TODAY, TOMORROW = date(2026, 11, 22), date(2026, 11, 23)


async def note(database: Database, *shops: Shop) -> None:
    for shop in shops:
        async with units_on(database).of(shop.tenant) as work:
            work.note(ANNA, "key created")


async def anchor(
    database: Database, day: date, *, at_once: int = 2
) -> tuple[AnchorAuditResult, str]:
    """Return the result of the activity and the digest in the log."""
    step = AnchorHeads(database, at_once=at_once)
    with structlog.testing.capture_logs() as lines:
        done = await ActivityEnvironment().run(step.anchor, AnchorHeadsInput(day=day))
    (line,) = [one for one in lines if one["event"] == "audit log anchored"]
    assert (line["day"], line["anchors"]) == (day.isoformat(), done.anchors)
    return done, line["digest"]


async def test_the_heads_that_have_moved_are_anchored(database: Database, shop: Shop) -> None:
    shops = [shop, *[await open_shop(database) for _ in range(4)]]
    await note(database, *shops)

    first, told = await anchor(database, TODAY)
    again, told_again = await anchor(database, TODAY)
    await note(database, *shops[:2])
    next_day, told_next = await anchor(database, TOMORROW)

    assert (first.anchored, again.anchored, next_day.anchored) == (5, 0, 2)
    assert first.digest == told == told_again != told_next
    heads = {
        row["client_id"]: (row["seq"], row["hash"]) for row in await rows(database, audit_heads)
    }
    kept = await rows(database, audit_anchors, day=TOMORROW)
    assert {row["client_id"]: (row["seq"], row["hash"]) for row in kept} == {
        one.client_id: heads[one.client_id] for one in shops[:2]
    }
    of_today = await rows(database, audit_anchors, day=TODAY)
    assert [row["seq"] for row in of_today] == [1] * 5
    ordered = sorted(
        (Anchor(row["client_id"], 1, row["hash"]) for row in of_today),
        key=lambda one: one.client_id,
    )
    assert AnchorDigest(ordered).text == first.digest
    pages = [page async for page in anchors_of_day(database, TODAY, at_once=2)]
    assert [one for page in pages for one in page] == ordered
    assert [len(page) for page in pages] == [2, 2, 1]


async def test_a_retry_tells_the_log_what_a_killed_try_did_not(
    database: Database, shop: Shop
) -> None:
    """The first attempt is killed between two pages. The digest still covers what it has
    anchored."""
    shops = [shop, *[await open_shop(database) for _ in range(2)]]
    await note(database, *shops)

    class Killed(Exception):
        pass

    environment = ActivityEnvironment()

    def die(*_: object) -> None:
        raise Killed

    environment.on_heartbeat = die
    step = AnchorHeads(database, at_once=2)
    with pytest.raises(Killed):
        await environment.run(step.anchor, AnchorHeadsInput(day=TODAY))
    assert len(await rows(database, audit_anchors)) == 2

    done, told = await anchor(database, TODAY)

    assert (done.anchored, done.anchors) == (1, 3)
    ordered = [one async for page in anchors_of_day(database, TODAY) for one in page]
    assert AnchorDigest(ordered).text == told
