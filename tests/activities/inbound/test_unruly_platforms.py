"""Polling continues if a platform responds slowly or with invalid data."""

import asyncio
from collections.abc import Mapping
from datetime import datetime, timedelta

import pytest
from temporalio.testing import ActivityEnvironment

from activities.inbound.poll import PollIntegrations
from adapters.system import utc_now
from domain.inbound.contracts import ProcessWebhookInput
from domain.inbound.platform_catalogue import PLATFORMS
from domain.inbound.polling import SETTLES, ChangesPage, PollInput, PollResult
from domain.integrations.integration import Integration
from domain.integrations.providers import Provider
from store.core.database import Database
from store.inbound.tables import poll_cursors
from tests.support.core.rows import only_row
from tests.support.core.units import units_on
from tests.support.inbound.stored import listen_to
from tests.support.tenants.shop import Shop

pytestmark = pytest.mark.own_database


class Unruly:
    """Shopify responds after the activity's heartbeat, and WooCommerce with an invalid response.
    Neither has changes."""

    def __init__(self) -> None:
        self.heartbeats: list[tuple[object, ...]] = []
        self._beat = asyncio.Event()
        self._provider: Provider | None = None

    def poller(self, integration: Integration) -> "Unruly":
        self._provider = integration.provider
        return self

    def heard(self, *details: object) -> None:
        self.heartbeats.append(details)
        self._beat.set()

    async def changes(
        self,
        position: Mapping[str, str],  # noqa: ARG002 - the port's
        since: datetime,
    ) -> ChangesPage:
        if self._provider is Provider.WOOCOMMERCE:
            since -= timedelta.max
        self._beat.clear()
        await asyncio.wait_for(self._beat.wait(), 10)
        return ChangesPage((), {}, has_more=False)

    async def process_webhook(self, webhook: ProcessWebhookInput, *, wake: bool = False) -> bool:
        raise AssertionError(f"{webhook} {wake}: nothing was told")


async def poll(database: Database, platforms: Unruly) -> PollResult:
    environment = ActivityEnvironment()
    environment.on_heartbeat = platforms.heard
    polls = PollIntegrations(
        units_on(database),
        platforms,
        platforms,
        lambda: utc_now() + SETTLES,
        platforms=PLATFORMS,
    )
    return await environment.run(polls.poll, PollInput())


async def test_a_slow_platform_is_waited_for_with_a_heartbeat(
    database: Database, shop: Shop
) -> None:
    """An activity without a heartbeat would be restarted, at the same connection."""
    async with database.tenant(shop.tenant) as connection:
        here = await listen_to(connection, shop.tenant, Provider.SHOPIFY)
    slow = Unruly()

    assert await poll(database, slow) == PollResult(polled=1)
    assert slow.heartbeats[0] == ("", "", 0, 0, 0)
    assert slow.heartbeats[-1] == (shop.client_id, here, 1, 0, 0)
    # The progress of this attempt is available to the next one.
    assert all(len(details) == 5 for details in slow.heartbeats)


async def test_an_answer_of_no_kind_fails_its_own_connection(
    database: Database, shop: Shop
) -> None:
    """A merchant controls what its shop returns. Other clients are still polled."""
    async with database.tenant(shop.tenant) as connection:
        broken = await listen_to(connection, shop.tenant, Provider.WOOCOMMERCE)
        await listen_to(connection, shop.tenant, Provider.SHOPIFY)

    assert await poll(database, Unruly()) == PollResult(polled=2, failed=1)
    cursor = await only_row(database, poll_cursors, integration_id=broken)
    assert (cursor["error_code"], cursor["failures"]) == ("unexpected", 1)
