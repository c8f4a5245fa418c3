"""Requests for a client's usage, and its source records."""

from datetime import UTC, datetime

import httpx
import sqlalchemy as sa

from store.billing.tables import usage_counters
from store.tenants.tables import clients
from tests.support.core.engine import LiveEngine
from tests.support.core.rows import owned
from tests.support.tenants.shop import Shop

USAGE = "/api/billing/usage"
NOW = datetime(2026, 11, 21, 12, 30, tzinfo=UTC)


async def ask(front: LiveEngine, shop: Shop, client_id: str | None = None) -> httpx.Response:
    return await front.http.get(
        USAGE, params={"client_id": client_id or shop.client_id}, headers=shop.headers
    )


async def told(front: LiveEngine, shop: Shop) -> dict[str, object]:
    answer = await ask(front, shop)
    assert answer.status_code == 200, answer.text
    body: dict[str, object] = answer.json()
    return body


async def use(front: LiveEngine, shop: Shop, **tickets_by_month: int) -> None:
    """Create used tickets. `m2026_11=3`: three tickets in November."""
    async with front.database.service() as connection:
        for name, tickets in tickets_by_month.items():
            await connection.execute(
                sa.insert(usage_counters).values(
                    client_id=shop.client_id,
                    period=name.removeprefix("m").replace("_", "-"),
                    tickets_used=tickets,
                )
            )


async def change_client(front: LiveEngine, shop: Shop, **values: object) -> None:
    async with front.database.service() as connection:
        await connection.execute(sa.update(clients).where(owned(clients, shop)).values(**values))


def assert_refused(answer: httpx.Response, status: int, text: str, code: str) -> None:
    assert answer.status_code == status
    assert answer.headers["content-type"] == "application/json"
    assert answer.json() == {
        "error": text,
        "code": code,
        "request_id": answer.headers["x-request-id"],
    }
