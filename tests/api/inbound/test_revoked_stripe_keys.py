"""Attack: a client whose Stripe key the merchant has revoked waits for the merchant's Connect
events."""

from collections.abc import Awaitable, Callable
from datetime import timedelta

import pytest

from adapters.connectors.http import open_client
from adapters.connectors.registry import ConnectorRegistry
from adapters.system import new_ulid, utc_now
from domain.integrations.providers import Provider
from domain.integrations.trial import Problem
from services.integrations.trials import connect_and_try
from tests.api.inbound.test_inbound_addresses import (
    CONNECT_KEY,
    OPERATOR,
    RECEIVED,
    Connected,
    app_secrets,
    polled,
)
from tests.support.core.engine import LiveEngine
from tests.support.inbound.arriving import by_stripe, status_of, taken
from tests.support.inbound.shop_bodies import stripe_charge
from tests.support.servers.http_service import Fault
from tests.support.servers.stripe import API_KEY, StripeServer, stripe_server
from tests.support.tenants.shop import Shop, open_shop

__all__ = ["app_secrets"]

Refuse = Callable[[Connected, StripeServer], Awaitable[None]]


async def _connect(
    front: LiveEngine, shop: Shop, server: StripeServer, connectors: ConnectorRegistry
) -> Connected:
    resources = front.app.state.resources
    made = await connect_and_try(
        resources.work, OPERATOR, shop.tenant, Provider.STRIPE,
        settings={"account": server.account, "base_url": server.url},
        credentials={"api_key": API_KEY}, sealer=resources.sealer, connectors=connectors,
    )  # fmt: skip
    assert made.problem is None
    return Connected(front, shop, made.id, server, connectors)  # type: ignore[arg-type]


async def _poll(one: Connected, server: StripeServer) -> None:
    server.fail_next(Fault.STATUS, "GET", status=401)
    await polled(one)


async def _other_account(one: Connected, server: StripeServer) -> None:
    mine, server.account = server.account, "acct_of_another"
    await polled(one)
    server.account = mine


async def _test(one: Connected, server: StripeServer) -> None:
    server.fail_next(Fault.STATUS, "GET", status=401)
    assert await one.tried() is Problem.NOT_AUTHORIZED


@pytest.mark.parametrize("refuse", [_poll, _other_account, _test])
async def test_a_revoked_stripe_key_receives_no_events_of_the_account(
    app_secrets: LiveEngine, shop: Shop, refuse: Refuse
) -> None:
    front = app_secrets
    other, account = await open_shop(front.database), f"acct_{new_ulid()}"
    numbers = iter(range(100))

    async def told() -> list[int]:
        before = [len(await taken(front, one)) for one in (shop, other)]
        event = {
            "id": f"evt_{next(numbers)}", "object": "event", "type": "charge.refunded",
            "account": account, "created": 1772359200, "data": {"object": stripe_charge()},
        }  # fmt: skip
        answer = await front.http.post(
            "/api/webhooks/stripe", **by_stripe(event, secret=CONNECT_KEY)
        )
        assert status_of(answer) == RECEIVED
        after = [len(await taken(front, one)) for one in (shop, other)]
        return [now - then for now, then in zip(after, before, strict=True)]

    async with open_client() as http:
        connectors = ConnectorRegistry(front.app.state.resources.sealer, http, allow_loopback=True)
        with stripe_server() as server, stripe_server() as its:
            server.account = its.account = account
            revoked = await _connect(front, shop, server, connectors)
            await _connect(front, other, its, connectors)
            assert await told() == [1, 1]

            await refuse(revoked, server)

            assert await told() == [0, 1]
            assert await revoked.tried() is None
            assert await told() == [1, 1]


async def test_a_poll_that_stripe_accepts_again_restores_the_events(
    app_secrets: LiveEngine, shop: Shop
) -> None:
    front, account = app_secrets, f"acct_{new_ulid()}"
    inbound = front.app.state.resources.inbound

    async def live() -> list[bool]:
        later = utc_now() + timedelta(days=1)
        return [owner.is_live for owner in await inbound.owners(Provider.STRIPE, account, later)]

    async with open_client() as http:
        connectors = ConnectorRegistry(front.app.state.resources.sealer, http, allow_loopback=True)
        with stripe_server() as server:
            server.account = account
            one = await _connect(front, shop, server, connectors)
            await _poll(one, server)
            assert await live() == [False]
            server.fail_next(Fault.STATUS, "GET", status=503)
            await polled(one, 60)
            assert await live() == [False]
            await polled(one, 600)
            assert await live() == [True]
