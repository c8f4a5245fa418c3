"""One Chromium, and two services for it: this process's own, and one with the demo's data."""

import os
from collections.abc import AsyncIterator, Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest
from playwright.async_api import Browser

from adapters.system import new_ulid, utc_now
from domain.tenants.client import Role
from store.tenants.members import MemberRepository
from tests.support.core.engine import LiveEngine, live_engine
from tests.support.core.temporal import TemporalServer
from tests.support.dashboard.chromium import CHROMIUM, chromium
from tests.support.dashboard.demo_pages import (
    DemoPages,
    demo_data,
    demo_pages,
    session_of,
    unlimited,
)
from tests.support.servers.mail import MailServer
from tests.support.servers.webhook_receiver import WebhookReceiver, webhook_receiver
from tests.support.tenants.joined import join
from tests.support.tenants.shop import Shop, open_shop
from tests.support.widget.pages import listening


@pytest.fixture(scope="session")
async def browser() -> AsyncIterator[Browser]:
    if CHROMIUM is None:
        pytest.skip("no chromium on this machine: sh scripts/system_packages.sh")
    async with chromium() as started:
        yield started


@dataclass(frozen=True)
class Served:
    """This process's engine behind HTTP."""

    engine: LiveEngine
    url: str

    async def owner(self) -> tuple[Shop, str]:
        """Create a shop; return the secret of a session of its owner."""
        shop = await open_shop(self.engine.database)
        return shop, await self.session(shop)

    async def session(self, shop: Shop) -> str:
        """Return the secret of a new session of the shop's owner."""
        return await session_of(self.engine.app, f"{shop.client_id.lower()}@example.com")

    async def colleague(self, shop: Shop, role: Role) -> str:
        """Return the secret of a session of a member who joined the shop two days ago."""
        user_id = new_ulid()
        email = f"{user_id.lower()}@example.com"
        async with self.engine.database.service() as connection:
            await join(connection, shop.client_id, user_id, role, email=email)
        return await session_of(self.engine.app, email)

    async def usage(self, shop: Shop, key: str) -> int:
        """Return the status that an API client with this key receives."""
        answer = await self.engine.http.get(
            "/api/billing/usage",
            params={"client_id": shop.client_id},
            headers={"authorization": f"Bearer {key}"},
        )
        return answer.status_code

    async def member(self, role: Role) -> str:
        """Return the secret of a session of a user with this role in a new shop."""
        shop = await open_shop(self.engine.database)
        user_id = new_ulid()
        email = f"{user_id.lower()}@example.com"
        async with self.engine.database.service() as connection:
            members = MemberRepository(connection)
            await members.ensure_user(user_id, email, utc_now())
            await members.add(shop.client_id, user_id, role, utc_now())
        return await session_of(self.engine.app, email)


@pytest.fixture(scope="package")
async def served(shared_engine: LiveEngine) -> AsyncIterator[Served]:
    async with listening(shared_engine.app) as url:
        with unlimited(shared_engine.app):
            yield Served(shared_engine, url)


@pytest.fixture(scope="package")
def receiver() -> Iterator[WebhookReceiver]:
    with webhook_receiver() as one:
        yield one


@pytest.fixture(scope="package")
async def outward(
    shared_database_url: str,
    shared_temporal: TemporalServer,
    shared_mail: MailServer,
    receiver: WebhookReceiver,
) -> AsyncIterator[Served]:
    """An engine that may also call shops on this machine, and send webhooks to `receiver`."""
    async with (
        live_engine(
            shared_database_url,
            shared_temporal.address,
            shared_temporal.take_namespace(),
            smtp_url=shared_mail.url,
            allow_loopback_targets=True,
            webhook_allow_private_addresses=True,
            webhook_ca_file=receiver.ca_file,
        ) as engine,
        engine.working(),
        engine.delivering(),
        listening(engine.app) as url,
    ):
        with unlimited(engine.app):
            yield Served(engine, url)


@pytest.fixture(scope="package")
def demo_folder(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """`DASHBOARD_DATA` names the folder of a running stack, to repeat a test quickly."""
    data = Path(os.environ.get("DASHBOARD_DATA") or tmp_path_factory.mktemp("demo") / "data")
    with demo_data(data):
        yield data


@pytest.fixture(scope="package")
async def demo(demo_folder: Path) -> AsyncIterator[DemoPages]:
    async with demo_pages(demo_folder) as pages:
        yield pages
