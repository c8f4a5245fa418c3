"""Purchases of plans and credits over HTTP, and Stripe's events."""

import asyncio
from typing import Any

import httpx
import sqlalchemy as sa

from domain.tenants.client import Plan, Role
from store.billing.tables import credit_ledger, payment_events
from store.core.database import Database
from store.tenants.tables import clients
from tests.support.core.engine import LiveEngine
from tests.support.core.rows import only_row, rows
from tests.support.reviews.dashboard import person
from tests.support.servers.stripe_account import Event, signed
from tests.support.tenants.shop import Shop

DASHBOARD = "/api/dashboard"
STRIPE_WEBHOOK = "/api/payments/stripe/webhook"


async def buy(
    front: LiveEngine, shop: Shop, what: str, role: Role = Role.OWNER, **body: object
) -> httpx.Response:
    """Start a purchase. `what`: `plan` or `credits`."""
    headers = await person(front, shop, role)
    return await front.http.post(f"{DASHBOARD}/{what}/checkout", json=body, headers=headers)


async def asked_credits(front: LiveEngine, shop: Shop, number: int = 100) -> str:
    """Start a checkout for this many credits, and return its id."""
    answer = await buy(front, shop, "credits", credits=number)
    assert answer.status_code == 201, answer.text
    return str(answer.json()["checkout_id"])


async def asked_plan(front: LiveEngine, shop: Shop, plan: Plan) -> str:
    answer = await buy(front, shop, "plan", plan=plan)
    assert answer.status_code == 201, answer.text
    return str(answer.json()["checkout_id"])


async def tell(front: LiveEngine, event: Event) -> httpx.Response:
    """Send an event as Stripe does, signed with the front's clock."""
    at = front.app.state.resources.now().timestamp()
    return await front.http.post(STRIPE_WEBHOOK, **signed(event, at=at))


async def told(front: LiveEngine, *events: Event) -> None:
    """Send several events in order, and check that each event is accepted."""
    for event in events:
        answer = await tell(front, event)
        assert answer.status_code == 200, answer.text


async def tell_at_once(front: LiveEngine, events: list[Event]) -> list[int]:
    return [one.status_code for one in await asyncio.gather(*(tell(front, e) for e in events))]


async def show(front: LiveEngine, shop: Shop, path: str, **query: str | int) -> dict[str, Any]:
    """Return the response to the owner's request."""
    headers = await person(front, shop, Role.OWNER)
    answer = await front.http.get(f"{DASHBOARD}/{path}", params=query, headers=headers)
    assert answer.status_code == 200, answer.text
    found: dict[str, Any] = answer.json()
    return found


async def put_on(database: Database, shop: Shop, plan: Plan) -> None:
    async with database.service() as connection:
        await connection.execute(
            sa.update(clients).where(clients.c.id == shop.client_id).values(plan=plan)
        )


async def balance_of(database: Database, shop: Shop) -> int:
    """Return the balance, after checking that it equals the ledger's sum."""
    balance = (await only_row(database, clients, of=shop))["credits_balance"]
    assert sum(one["amount"] for one in await rows(database, credit_ledger, of=shop)) == balance
    return int(balance)


async def settled(front: LiveEngine, event: Event) -> tuple[str, str | None]:
    """Return an event's result, and why a human must examine it."""
    row = await only_row(front.database, payment_events, id=event["id"])
    return row["state"], row["problem"]
