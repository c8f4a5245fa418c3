"""The demo shop: a file on which actions take effect once, even if a process is killed."""

import asyncio
import signal
import sqlite3
import sys
from datetime import UTC, datetime, timedelta, timezone
from pathlib import Path

import pytest

from adapters.connectors.http import open_client
from adapters.demo.shop import DemoOrder, DemoShop, movements, open_demo_shop
from domain.agent.plan import ActionKind
from domain.core.money import Money
from domain.integrations.errors import ActionRefused, ActionUnknown, ActionUnreachable
from domain.integrations.integration import Integration
from domain.integrations.order import Order, OrderState
from domain.integrations.providers import Provider

KEY = "3f2b7c1e-0000-5000-8000-000000000001"
OTHER = "3f2b7c1e-0000-5000-8000-000000000002"
CUSTOMER = "lea@example.com"
PLACED = datetime(2026, 3, 1, 10, tzinfo=UTC)
PART = Money(minor=1500, currency="EUR")
ORDERS = (
    DemoOrder(
        number="1001",
        customer_email=CUSTOMER,
        state=OrderState.OPEN,
        total=Money(minor=4990, currency="EUR"),
        placed_at=PLACED,
        items=("2 × Tasse bleue",),
        tracking_url="https://suivi.example/1001",
        note="Sonner deux fois",
    ),
    DemoOrder(
        number="1002",
        customer_email="Lea@Example.com",
        state=OrderState.SHIPPED,
        total=Money(minor=900, currency="EUR"),
        # Later than the other time, although its clock face shows an earlier hour.
        placed_at=(PLACED + timedelta(hours=1)).astimezone(timezone(-timedelta(hours=5))),
        items=(),
    ),
)


@pytest.fixture
def path(tmp_path: Path) -> Path:
    path = tmp_path / "a shop?.db"
    open_demo_shop(path, ORDERS)
    return path


@pytest.fixture
async def shop(path: Path) -> DemoShop:
    integration = Integration(
        id="i", provider=Provider.DEMO_SHOP, settings={"path": str(path)}, sealed="sealed"
    )
    async with open_client() as http:
        return DemoShop.of(integration, {}, http)


async def order_of(shop: DemoShop, number: str = "1001") -> Order:
    found = await shop.find_order(number, None)
    assert found is not None
    return found


async def test_all_of_an_order(shop: DemoShop) -> None:
    assert await shop.find_order("#1001", None) == Order(
        integration_id="i",
        provider=Provider.DEMO_SHOP,
        id="1001",
        number="1001",
        customer_email=CUSTOMER,
        state=OrderState.OPEN,
        total=Money(minor=4990, currency="EUR"),
        refundable=Money(minor=4990, currency="EUR"),
        placed_at=PLACED,
        tracking_url="https://suivi.example/1001",
        items=("2 × Tasse bleue",),
        note="Sonner deux fois",
    )


async def test_the_latest_of_a_customer(shop: DemoShop) -> None:
    latest = await shop.find_order(None, "LEA@example.com")

    assert latest is not None
    assert latest.number == "1002"


@pytest.mark.parametrize(
    ("number", "email"),
    [("9", CUSTOMER), ("' OR 1=1 --", None), (None, "nobody@example.com"), (None, None)],
)
async def test_not_there(shop: DemoShop, number: str | None, email: str | None) -> None:
    assert await shop.find_order(number, email) is None


@pytest.mark.parametrize("again", [False, True])
async def test_refunded_once(shop: DemoShop, path: Path, again: bool) -> None:
    order = await order_of(shop)
    refund = await shop.refund(order, PART, KEY, again=False)

    assert await shop.refund(order, PART, KEY, again=again) == refund
    assert [(one.key, one.kind, one.amount) for one in movements(path)] == [
        (KEY, ActionKind.REFUND, PART)
    ]
    assert (await order_of(shop)).refundable == Money(minor=3490, currency="EUR")


async def test_many_at_once(shop: DemoShop, path: Path) -> None:
    order = await order_of(shop)

    await asyncio.gather(*(shop.refund(order, PART, KEY, again=True) for _ in range(8)))
    assert len(movements(path)) == 1


async def test_never_more_than_was_paid(shop: DemoShop, path: Path) -> None:
    order = await order_of(shop)
    await shop.refund(order, Money(minor=4000, currency="EUR"), KEY, again=False)

    with pytest.raises(ActionRefused):
        await shop.refund(order, PART, OTHER, again=False)
    assert len(movements(path)) == 1


@pytest.mark.parametrize(
    "amount", [Money(minor=0, currency="EUR"), Money(minor=100, currency="USD")]
)
async def test_refused(shop: DemoShop, path: Path, amount: Money) -> None:
    with pytest.raises(ActionRefused):
        await shop.refund(await order_of(shop), amount, KEY, again=False)
    assert movements(path) == ()


@pytest.mark.parametrize("again", [False, True])
async def test_cancelled_once(shop: DemoShop, path: Path, again: bool) -> None:
    order = await order_of(shop)
    await shop.refund(order, PART, OTHER, again=False)
    cancellation = await shop.cancel(order, KEY, again=False)

    assert await shop.cancel(order, KEY, again=again) == cancellation
    assert [one.amount.minor for one in movements(path)] == [1500, 3490]
    now = await order_of(shop)
    assert (now.state, now.refundable.minor) == (OrderState.CANCELLED, 0)
    with pytest.raises(ActionRefused):
        await shop.cancel(order, "another", again=False)


async def test_too_late_to_cancel(shop: DemoShop, path: Path) -> None:
    with pytest.raises(ActionRefused):
        await shop.cancel(await order_of(shop, "1002"), KEY, again=False)
    assert movements(path) == ()


async def test_a_key_used_for_something_else(shop: DemoShop, path: Path) -> None:
    order = await order_of(shop)
    await shop.refund(order, PART, KEY, again=False)

    with pytest.raises(ActionUnknown):
        await shop.refund(order, Money(minor=1, currency="EUR"), KEY, again=True)
    with pytest.raises(ActionUnknown):
        await shop.cancel(order, KEY, again=True)
    assert len(movements(path)) == 1


async def test_what_became_of_the_orders_stays(shop: DemoShop, path: Path) -> None:
    await shop.cancel(await order_of(shop), KEY, again=False)
    open_demo_shop(path, ORDERS)

    assert (await order_of(shop)).state is OrderState.CANCELLED
    assert len(movements(path)) == 1


async def test_no_file(tmp_path: Path) -> None:
    shop = DemoShop(tmp_path / "none.db", "i")

    with pytest.raises(ActionUnreachable):
        await shop.find_order("1001", None)
    assert not (tmp_path / "none.db").exists()


async def test_somebody_else_writes(
    shop: DemoShop, path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("adapters.demo.shop._WAIT_S", 0.05)
    order = await order_of(shop)
    other = sqlite3.connect(path)
    try:
        other.execute("BEGIN EXCLUSIVE")
        with pytest.raises(ActionUnreachable):
            await shop.refund(order, PART, KEY, again=False)
    finally:
        other.close()
    assert movements(path) == ()


DYING = """
import asyncio, os, signal, sqlite3, sys
from pathlib import Path
from adapters.demo.shop import DemoShop
from tests.adapters.connectors.test_demo_shop import KEY, PART

class Dying(sqlite3.Connection):
    def commit(self):
        if "refund" in doing and sys.argv[2] == "before":
            os.kill(os.getpid(), signal.SIGKILL)
        super().commit()
        if "refund" in doing:
            os.kill(os.getpid(), signal.SIGKILL)

doing, connect = [], sqlite3.connect
sqlite3.connect = lambda *given, **named: connect(*given, factory=Dying, **named)

async def main():
    shop = DemoShop(Path(sys.argv[1]), "i")
    order = await shop.find_order("1001", None)
    doing.append("refund")
    await shop.refund(order, PART, KEY, again=False)

asyncio.run(main())
"""


@pytest.mark.parametrize(("when", "moved"), [("before", 0), ("after", 1)])
async def test_a_process_that_dies(shop: DemoShop, path: Path, when: str, moved: int) -> None:
    process = await asyncio.create_subprocess_exec(sys.executable, "-c", DYING, str(path), when)

    assert await process.wait() == -signal.SIGKILL
    assert len(movements(path)) == moved
    await shop.refund(await order_of(shop), PART, KEY, again=True)
    assert len(movements(path)) == 1
