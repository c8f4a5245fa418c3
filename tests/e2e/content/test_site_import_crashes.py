"""A worker gets SIGKILL during an import from a website: each page is suggested once."""

import signal
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from adapters.system import new_ulid, utc_now
from domain.content.site_import import SiteImport, SiteImportState
from domain.tenants.actor import Actor
from services.content.site_imports import start_site_import
from services.core.unit_of_work import UnitsOfWork
from store.content.site_imports import SiteImportRepository
from store.content.tables import suggestions
from tests.support.core.engine import LiveEngine, live_engine
from tests.support.core.processes import has_ended, process
from tests.support.core.rows import rows
from tests.support.core.temporal import TemporalServer
from tests.support.core.waiting import eventually
from tests.support.servers.website import website
from tests.support.tenants.shop import Shop

pytestmark = pytest.mark.usefixtures("missed_soon")

POINTS = ["after:site.read", pytest.param("after:site.open", marks=pytest.mark.slow)]
ALLOWED = {"ALLOW_LOOPBACK_TARGETS": "true"}
SENTENCE = "You have {} days from delivery to send an item back to our warehouse in Lyon."


@pytest.fixture
async def reading(database_url: str, temporal: TemporalServer) -> AsyncIterator[LiveEngine]:
    async with live_engine(
        database_url, temporal.address, temporal.take_namespace(), allow_loopback_targets=True
    ) as engine:
        yield engine


@pytest.mark.parametrize("point", POINTS)
async def test_worker_killed_in_the_middle_of_an_import(
    reading: LiveEngine, shop: Shop, tmp_path: Path, point: str
) -> None:
    with website() as site:
        paths = [f"/help/{name}" for name in ("one", "two", "three")]
        for path in paths:
            site.article(path, path.title(), SENTENCE.format(path))
        site.sitemap(*paths)
        units = UnitsOfWork(reading.database, reading.engine, utc_now, new_ulid)
        async with units.of(shop.tenant) as work:
            started = await start_site_import(
                work, Actor.operator("operator:test"), f"{site.url}/help", allow_loopback=True
            )
        crashing = ("-m", "tests.support.core.crashing_worker", point)
        with process(
            "dying", *crashing, settings=reading.settings, folder=tmp_path, **ALLOWED
        ) as dying:
            await eventually(lambda: has_ended(dying))
            assert dying.exit_code == -signal.SIGKILL

        async def over() -> SiteImport | None:
            async with reading.database.reading(shop.tenant) as connection:
                found = await SiteImportRepository(connection, shop.tenant).read(started.id)
            return found if found.is_over else None

        async with reading.working():
            done = await eventually(over)

    assert (done.state, done.suggested) == (SiteImportState.DONE, 3)
    assert len(await rows(reading.database, suggestions, of=shop)) == 3
    assert all(site.seen.count(path) <= 2 for path in paths)
