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
from tests.support.core.engine import LiveEngine
from tests.support.dashboard.chromium import CHROMIUM, chromium
from tests.support.dashboard.demo_pages import (
    DemoPages,
    demo_data,
    demo_pages,
    session_of,
    unlimited,
)
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
        email = f"{shop.client_id.lower()}@example.com"
        return shop, await session_of(self.engine.app, email)

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
def demo_folder(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """`DASHBOARD_DATA` names the folder of a running stack, to repeat a test quickly."""
    data = Path(os.environ.get("DASHBOARD_DATA") or tmp_path_factory.mktemp("demo") / "data")
    with demo_data(data):
        yield data


@pytest.fixture(scope="package")
async def demo(demo_folder: Path) -> AsyncIterator[DemoPages]:
    async with demo_pages(demo_folder) as pages:
        yield pages
