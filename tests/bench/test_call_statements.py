"""The statements and transactions that a gateway call executes."""

from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import timedelta
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

import psycopg
import pytest
from sqlalchemy import event
from temporalio import activity

from adapters.seal import FernetSealer
from adapters.system import new_ulid, utc_now
from adapters.demo.shop import DemoOrder, open_demo_shop
from commands.core.nearby_engine import NearbyEngine
from domain.core.money import Money
from domain.integrations.order import OrderState
from domain.integrations.providers import Provider
from domain.tenants.actor import Actor
from services.core.unit_of_work import UnitsOfWork
from services.integrations.connections import connect_integration
from tests.support.core.engine import LiveEngine
from tests.support.tenants.shop import ORDER_QUESTION, Shop


@dataclass
class Counted:
    """Statements and commits, by activity. Statements outside activities belong to the API."""

    statements: Counter[str] = field(default_factory=Counter)
    commits: Counter[str] = field(default_factory=Counter)
    log: list[tuple[str, str]] = field(default_factory=list)


@contextmanager
def counted(engine: LiveEngine, monkeypatch: pytest.MonkeyPatch) -> Iterator[Counted]:
    seen = Counted()

    def step() -> str:
        return activity.info().activity_type if activity.in_activity() else "api"

    def before(_: object, __: object, sql: str, *___: object) -> None:
        seen.statements[step()] += 1
        seen.log.append((step(), " ".join(sql.split())[:150]))

    commit = psycopg.AsyncConnection.commit

    async def counting(connection: psycopg.AsyncConnection[object]) -> None:
        seen.commits[step()] += 1
        seen.log.append((step(), "COMMIT"))
        await commit(connection)

    engines = {one.engine.sync_engine for one in (engine.database, engine.worker_database)}
    for one in engines:
        event.listen(one, "before_cursor_execute", before)
    monkeypatch.setattr(psycopg.AsyncConnection, "commit", counting)
    yield seen
    for one in engines:
        event.remove(one, "before_cursor_execute", before)


async def test_x(
    acting: LiveEngine, shop: Shop, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    orders, now = tmp_path / "shop", utc_now()
    open_demo_shop(
        orders,
        (
            DemoOrder(
                number="1042",
                customer_email="emma@example.com",
                state=OrderState.SHIPPED,
                total=Money(minor=8_900, currency="EUR"),
                placed_at=now - timedelta(days=4),
                items=("1 x blanket",),
                tracking_url="https://tracking.example/1042",
            ),
        ),
    )
    units = UnitsOfWork(acting.database, NearbyEngine({}), utc_now, new_ulid)
    sealer = FernetSealer(acting.settings.seal.key.get_secret_value())
    async with units.of(shop.tenant) as work:
        path = {"path": str(orders)}
        await connect_integration(
            work, Actor.operator("test"), Provider.DEMO_SHOP, path, {}, sealer=sealer
        )
    async with acting.working():
        with counted(acting, monkeypatch) as seen:
            answer = await acting.post(
                shop,
                event_type="shopify.ticket.created",
                source="shopify",
                customer_email="emma@example.com",
                customer_name="Emma Clark",
                message=ORDER_QUESTION,
            )
    print(answer.json())
    for line in seen.log:
        print(*line)
    print(seen.statements, seen.commits)
    assert 0
