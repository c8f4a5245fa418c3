"""Which unsent deliveries one sweep picks up."""

from collections.abc import Iterator, Sequence
from typing import Any

import pytest
from temporalio.testing import ActivityEnvironment

from activities.webhooks import sweep_deliveries
from activities.webhooks.sweep_deliveries import SweepDeliveries
from adapters.system import utc_now
from domain.core.contracts import BackgroundRef, RunRef
from domain.runs.contracts import ProcessEventInput, SweepInput
from store.core.database import Database
from tests.support.tenants.shop import Shop, open_shop
from tests.support.webhooks.webhooks import subscribe, tell

pytestmark = pytest.mark.own_database

ALL = SweepInput(older_than_s=0)


class Sent:
    """An engine that records what it is asked to send."""

    def __init__(self) -> None:
        self.by_client: dict[str, list[str]] = {}

    async def start(self, event: ProcessEventInput) -> bool:  # noqa: ARG002 - the port's name
        raise AssertionError

    async def wake(self, ref: RunRef, escalation_id: str) -> bool:  # noqa: ARG002
        raise AssertionError

    async def begin(self, workflow: str, work: BackgroundRef) -> bool:
        raise AssertionError(workflow, work)

    async def send_webhooks(self, client_id: str, delivery_ids: Sequence[str]) -> None:
        assert client_id not in self.by_client
        self.by_client[client_id] = [*delivery_ids]


async def swept(database: Database, chances: Iterator[float]) -> tuple[Any, dict[str, list[str]]]:
    sent = Sent()
    activity = SweepDeliveries(database, sent, utc_now, lambda: next(chances))
    result = await ActivityEnvironment().run(activity.send_left, ALL)
    return result.picked_up, sent.by_client


@pytest.fixture
async def other(database: Database) -> Shop:
    return await open_shop(database)


async def test_everything_by_client_over_several_pages(
    database: Database, shop: Shop, other: Shop, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sweep_deliveries, "BATCH", 2)
    left: dict[str, list[str]] = {shop.client_id: [], other.client_id: []}
    for one in (shop, other):
        await subscribe(database, one)
    for one in (shop, other, shop, other, shop):
        left[one.client_id] += await tell(database, one)

    assert await swept(database, iter(())) == (5, left)


async def test_of_many_some_are_chosen_and_any_can_be(
    database: Database, shop: Shop, other: Shop, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sweep_deliveries, "MOST", 2)
    for one in (shop, other):
        await subscribe(database, one)
    mine = [(await tell(database, shop))[0] for _ in range(4)]
    (theirs,) = await tell(database, other)

    # The third replaces the first, and the fourth has no slot; then the fourth replaces the second.
    assert (await swept(database, iter([0.0, 0.9])))[1] == {
        shop.client_id: [mine[2], mine[1]],
        other.client_id: [theirs],
    }
    picked_up, sent = await swept(database, iter([0.9, 0.3]))
    assert (picked_up, sent[shop.client_id]) == (3, [mine[0], mine[3]])


async def test_nothing_is_left(database: Database) -> None:
    assert await swept(database, iter(())) == (0, {})
