"""Rate limits of anonymous callers count the networks around an IPv6 address too.

A host assigns a /48 network to anyone. It contains 65,536 networks of 64 bits.
"""

from collections.abc import Mapping
from contextlib import suppress
from datetime import UTC, datetime
from ipaddress import IPv6Network
from typing import Any

import pytest

from api.http.client_address import LimitedNetwork
from api.http.rate_limiter import RateLimiter
from api.routers.identity.oauth_metadata import AUTHORIZE
from domain.intake.errors import TooManyRequests
from domain.intake.rate_limit import LimitScope, limits
from domain.ratings.rating_link import RATING_PATH
from domain.reviews.unsubscribe import UNSUBSCRIBE_PATH
from services.intake.request_counter import MemoryCounter
from tests.support.core.engine import LiveEngine
from tests.support.identity.sign_in import SIGNUP, VERIFY, calling_from, new_address
from tests.support.tenants.shop import Shop
from tests.support.widget.page import page_of

NOW = datetime(2026, 11, 30, 12, tzinfo=UTC)
TABLE = limits(dry_runs=60)
SIGNUPS = TABLE[LimitScope.SIGNUP].quota
SITE = "2001:db8:1"


def around(address: str) -> tuple[LimitedNetwork, ...]:
    """Return the networks whose requests the service counts together."""
    shares = ((64, 1), (56, 2), (48, 8), (32, 32))
    return tuple(
        LimitedNetwork(str(IPv6Network((address, prefix), strict=False)), share)
        for prefix, share in shares
    )


async def fill(engine: LiveEngine, scope: LimitScope) -> None:
    """Use up the limit of the /48 network, but no limit of an address that the tests use."""
    resources = engine.app.state.resources
    limiter: RateLimiter = resources.limiter
    for address in neighbors(SITE, 16, step=256):
        with suppress(TooManyRequests):
            for _ in range(TABLE[scope].quota):
                await limiter.check_networks(scope, around(address), resources.now())


async def passed(limiter: RateLimiter, *addresses: str, scope: LimitScope, of: str = "") -> int:
    """Send one request from each address. Return the number of admitted requests."""
    admitted = 0
    for address in addresses:
        try:
            await limiter.check_networks(scope, around(address), NOW, of=of)
        except TooManyRequests:
            continue
        admitted += 1
    return admitted


def neighbors(site: str, count: int, *, step: int = 1) -> list[str]:
    return [f"{site}:{number * step:x}::7" for number in range(count)]


async def test_a_48_has_the_limit_of_a_few_addresses() -> None:
    counter = MemoryCounter()
    limiter = RateLimiter(TABLE, counter)
    flood = neighbors(SITE, 5_000, step=13)

    assert await passed(limiter, *flood, scope=LimitScope.SIGNUP) == 8 * SIGNUPS
    # A rejected request uses no memory, and no limit of others.
    assert len(counter._hits[LimitScope.SIGNUP]) < 100
    assert await passed(limiter, "2001:db8:2::7", scope=LimitScope.SIGNUP) == 1


async def test_a_household_does_not_use_up_its_providers_limit() -> None:
    """A /56 network belongs to one household. Its neighbors in the /48 network still sign in."""
    limiter = RateLimiter(TABLE, MemoryCounter())

    assert await passed(limiter, *neighbors(SITE, 256), scope=LimitScope.SIGNUP) == 2 * SIGNUPS
    assert await passed(limiter, f"{SITE}:a00::7", scope=LimitScope.SIGNUP) == 1


async def test_many_48s_of_one_provider_have_a_limit() -> None:
    limiter = RateLimiter(TABLE, MemoryCounter())
    flood = [f"2001:db8:{site:x}:{home:x}::7" for site in range(50) for home in range(0, 4096, 256)]

    assert await passed(limiter, *flood, scope=LimitScope.SIGNUP) == 32 * SIGNUPS
    assert TABLE[LimitScope.SIGNUP_ANYWHERE].quota > 32 * SIGNUPS
    assert await passed(limiter, "2001:db9::7", scope=LimitScope.SIGNUP) == 1


@pytest.mark.parametrize(
    ("scope", "method", "path", "sent"),
    [
        (LimitScope.SIGNUP, "POST", SIGNUP, {"json": {"email": "a@b.example"}}),
        (LimitScope.VERIFICATION, "POST", VERIFY, {"json": {"email": "a@b.example", "code": "1"}}),
        (LimitScope.DASHBOARD, "POST", "/api/auth/refresh", {"json": {"refresh_token": "rs_1"}}),
        (LimitScope.REGISTRATION, "POST", "/api/mcp/register", {"json": {}}),
        (LimitScope.EXCHANGE, "POST", "/api/mcp/token", {"json": {}}),
        (LimitScope.AUTHORIZATION, "GET", AUTHORIZE, {}),
        (LimitScope.RATING, "GET", f"{RATING_PATH}/unknown", {}),
        (LimitScope.UNSUBSCRIBE, "GET", f"{UNSUBSCRIBE_PATH}/unknown", {}),
    ],
)
async def test_anonymous_routes_count_the_48(
    front: LiveEngine, scope: LimitScope, method: str, path: str, sent: Mapping[str, Any]
) -> None:
    await fill(front, scope)

    async with calling_from(front, f"{SITE}:ffff::9") as client:
        refused = await client.request(method, path, **sent)
    assert refused.status_code == 429, refused.text
    async with calling_from(front, "2001:db8:2::9") as client:
        assert (await client.request(method, path, **sent)).status_code != 429


async def test_a_visitors_code_counts_the_48(engine: LiveEngine, shop: Shop) -> None:
    page = await page_of(engine, shop)
    session = await page.fresh_token()
    await fill(engine, LimitScope.WIDGET_CODE)
    asked = {"session_id": session, "customer_email": new_address()}

    async with calling_from(engine, f"{SITE}:ffff::9") as client:
        refused = await client.post(
            "/api/widget/email", params=page.params, headers=page.headers, json=asked
        )

    assert refused.status_code == 429
