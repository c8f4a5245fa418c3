"""The API ends during a payment: it is credited exactly once."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import httpx
import pytest

from domain.tenants.client import Role
from embedded.ports import free_port
from store.billing.tables import checkouts, payment_events
from tests.support.billing.payments import (
    DASHBOARD,
    STRIPE_WEBHOOK,
    asked_credits,
    balance_of,
    told,
)
from tests.support.core.engine import LiveEngine
from tests.support.core.processes import process
from tests.support.core.rows import only_row, rows
from tests.support.core.waiting import eventually
from tests.support.reviews.dashboard import person
from tests.support.servers.stripe_account import (
    SECRET_KEY,
    WEBHOOK_SECRET,
    session_event,
    signed,
)
from tests.support.tenants.shop import Shop
from tests.support.webhooks.dying import died

pytestmark = pytest.mark.slow


@asynccontextmanager
async def dying_api(
    front: LiveEngine, folder: Path, point: str
) -> AsyncIterator[httpx.AsyncClient]:
    """Start an API that ends itself at a point of the block's request."""
    port, key = free_port(), front.settings.identity.session_key
    assert key is not None
    serve = ("-m", "tests.support.billing.dying_payments", point, "serve", "--port", str(port))
    with process(
        "api",
        *serve,
        settings=front.settings,
        folder=folder,
        SESSION_KEY=key.get_secret_value(),
        STRIPE_SECRET_KEY=SECRET_KEY,
        STRIPE_WEBHOOK_SECRET=WEBHOOK_SECRET,
        STRIPE_API_URL=front.stripe.url,
    ) as api:
        async with httpx.AsyncClient(base_url=f"http://127.0.0.1:{port}") as http:

            async def serves() -> bool:
                try:
                    return (await http.get("/healthz")).status_code == 200
                except httpx.TransportError:
                    return False

            await eventually(serves)
            with pytest.raises(httpx.TransportError):
                yield http
        await died(api)


@pytest.mark.parametrize(("point", "pages"), [("asked", 0), ("opened", 1)])
async def test_killed_while_a_page_is_made(
    front: LiveEngine, shop: Shop, tmp_path: Path, point: str, pages: int
) -> None:
    """Nobody has the page's URL, so nothing is paid; a retry creates another page."""
    owner = await person(front, shop, Role.OWNER)
    async with dying_api(front, tmp_path, point) as http:
        await http.post(f"{DASHBOARD}/credits/checkout", json={"credits": 100}, headers=owner)

    lost = await only_row(front.database, checkouts, of=shop)
    assert (lost["state"], lost["url"]) == ("asked", None)
    made = [
        one for one in front.stripe.sessions.values() if one.metadata["checkout_id"] == lost["id"]
    ]
    assert len(made) == pages
    assert await balance_of(front.database, shop) == 0

    again = await asked_credits(front, shop)
    await told(front, session_event(front.stripe.pay(again)))
    assert await balance_of(front.database, shop) == 100
    # If it is paid nevertheless, it is credited: the payment names its purchase.
    for session in made:
        await told(front, session_event(session))
        assert await balance_of(front.database, shop) == 200


@pytest.mark.parametrize(("point", "before"), [("applied", 0), ("committed", 100)])
async def test_killed_while_a_payment_is_taken(
    front: LiveEngine, shop: Shop, tmp_path: Path, point: str, before: int
) -> None:
    """Stripe got no response and sends the event again."""
    event = session_event(front.stripe.pay(await asked_credits(front, shop)))
    async with dying_api(front, tmp_path, point) as http:
        await http.post(STRIPE_WEBHOOK, **signed(event))

    assert await balance_of(front.database, shop) == before
    kept = await rows(front.database, payment_events, id=event["id"])
    assert len(kept) == (1 if before else 0)

    await told(front, event, event)

    assert await balance_of(front.database, shop) == 100
    assert (await only_row(front.database, payment_events, id=event["id"]))["state"] == "applied"
