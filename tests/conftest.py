"""Shared servers for the tests.

The tests of a process share one database, one application and one worker, and each test has its own
client (tenant). The marker `own_database` gives a test a new database and namespace, for tests that
read all clients or disturb others.
"""

import gc
from collections.abc import AsyncIterator, Iterator
from pathlib import Path
from typing import Any

import pytest
import structlog
from fastapi.openapi.utils import get_openapi
from hypothesis import settings

from store.core.database import Database
from tests.support.core import shared_servers
from tests.support.core.engine import LiveEngine, as_if_new, live_engine
from tests.support.core.postgres import PostgresServer
from tests.support.core.temporal import TemporalServer
from tests.support.core.temporal_servers import TemporalServers, temporal_servers
from tests.support.servers.mail import MailServer, mail_server
from tests.support.tenants.shop import Shop, open_shop

# A slow machine is not a failure of the property.
settings.register_profile("engine", deadline=None)
# The examples of a property that names no number, in `make test`.
settings.register_profile("quick", deadline=None, max_examples=30)


_TESTS = Path(__file__).parent

# Folders ordered by their longest file, so that long files start first and parallel test processes
# end together. Files of other folders follow, and the short domain tests fill the gaps.
_LONGEST_FIRST = (
    *("contract", "e2e", "evaluation", "workflows", "bench", "embedded", "demo"),
    *("api", "services", "store", "replay", "activities", "adapters"),
)
_LAST = "domain"

# Each of these starts processes or measures, with its own database.
_OWN_DATABASE_FOLDERS = ("e2e", "contract", "bench", "commands")
OWN_DATABASE = "own_database"


def pytest_configure(config: pytest.Config) -> None:
    config.pluginmanager.register(shared_servers)
    settings.load_profile("engine" if _is_thorough(config) else "quick")
    config.addinivalue_line(
        "markers", f"{OWN_DATABASE}: looks at all clients, or harms them: has a fresh database"
    )


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    for item in items:
        if _room(item) in _OWN_DATABASE_FOLDERS:
            item.add_marker(OWN_DATABASE)
    items.sort(key=_turn)


def _turn(item: pytest.Item) -> int:
    room = _room(item)
    if room in _LONGEST_FIRST:
        return _LONGEST_FIRST.index(room)
    return len(_LONGEST_FIRST) + (room == _LAST)


def _room(item: pytest.Item) -> str:
    return item.path.relative_to(_TESTS).parts[0]


@pytest.fixture(scope="session", autouse=True)
def plain_tracebacks() -> None:
    """Tracebacks with colors and all variables take a second of CPU time each."""
    structlog.configure(
        processors=[
            structlog.contextvars.merge_contextvars,
            structlog.processors.add_log_level,
            structlog.dev.ConsoleRenderer(
                colors=False, exception_formatter=structlog.dev.plain_traceback
            ),
        ]
    )


@pytest.fixture(scope="module", autouse=True)
def short_pauses() -> Iterator[None]:
    """Objects that a module leaves (each worker's sandbox imports the workflows again) are not
    scanned by the garbage collector again. Late in a run, this blocked the process for seconds."""
    yield
    gc.collect()
    gc.freeze()


@pytest.fixture(scope="session", autouse=True)
def one_document() -> Iterator[None]:
    """Build the API's document once: it takes a second of CPU time, and is always the same."""
    built: dict[str, dict[str, Any]] = {}

    def build(*, title: str, **of: Any) -> dict[str, Any]:
        if title not in built:
            built[title] = get_openapi(title=title, **of)
        return built[title]

    with pytest.MonkeyPatch.context() as patched:
        patched.setattr("fastapi.applications.get_openapi", build)
        yield


@pytest.fixture(scope="session")
def thorough(pytestconfig: pytest.Config) -> bool:
    """Whether a search through random steps may take long; not in `make test`."""
    return _is_thorough(pytestconfig)


def _is_thorough(config: pytest.Config) -> bool:
    return "not slow" not in str(config.option.markexpr)


@pytest.fixture(scope="session")
def postgres(pytestconfig: pytest.Config) -> Iterator[PostgresServer]:
    with shared_servers.postgres_for(pytestconfig) as server:
        yield server


@pytest.fixture(scope="session")
def shared_temporal(
    pytestconfig: pytest.Config, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[TemporalServer]:
    log = tmp_path_factory.mktemp("temporal") / "log"
    with shared_servers.temporal_for(pytestconfig, log) as server:
        yield server


@pytest.fixture(scope="session")
def own_temporals(tmp_path_factory: pytest.TempPathFactory) -> Iterator[TemporalServers]:
    with temporal_servers(tmp_path_factory.mktemp("temporal")) as servers:
        yield servers


@pytest.fixture(scope="module")
def files_temporals(own_temporals: TemporalServers) -> Iterator[TemporalServers]:
    yield own_temporals
    own_temporals.end_if_used()


@pytest.fixture
def temporal(files_temporals: TemporalServers) -> TemporalServer:
    """Start Temporal for one test; `shared_temporal` serves several tests."""
    return files_temporals.current()


def chosen(request: pytest.FixtureRequest, name: str) -> Any:
    """Return the fixture shared by all tests of this process, or the test's own."""
    own = request.node.get_closest_marker(OWN_DATABASE)
    return request.getfixturevalue(f"{'own' if own else 'shared'}_{name}")


@pytest.fixture(scope="session")
def shared_database_url(postgres: PostgresServer) -> Iterator[str]:
    with postgres.database() as url:
        yield url


@pytest.fixture
def own_database_url(postgres: PostgresServer) -> Iterator[str]:
    with postgres.database() as url:
        yield url


@pytest.fixture
def database_url(request: pytest.FixtureRequest) -> str:
    url: str = chosen(request, "database_url")
    return url


@pytest.fixture(scope="session")
async def shared_database(shared_database_url: str) -> AsyncIterator[Database]:
    database = Database(shared_database_url)
    yield database
    await database.close()


@pytest.fixture
async def own_database(own_database_url: str) -> AsyncIterator[Database]:
    database = Database(own_database_url)
    yield database
    await database.close()


@pytest.fixture
def database(request: pytest.FixtureRequest) -> Database:
    database: Database = chosen(request, "database")
    return database


@pytest.fixture(scope="session")
async def shared_mail() -> AsyncIterator[MailServer]:
    async with mail_server() as server:
        yield server


@pytest.fixture
def mail(shared_mail: MailServer) -> MailServer:
    shared_mail.begin_anew()
    return shared_mail


@pytest.fixture
async def idle_engine(
    database_url: str, temporal: TemporalServer, mail: MailServer
) -> AsyncIterator[LiveEngine]:
    """The engine without a worker, which the test starts itself."""
    namespace = temporal.take_namespace()
    async with live_engine(database_url, temporal.address, namespace, smtp_url=mail.url) as engine:
        yield engine


@pytest.fixture(scope="session")
async def shared_front(
    shared_database_url: str, shared_temporal: TemporalServer
) -> AsyncIterator[LiveEngine]:
    async with live_engine(shared_database_url, shared_temporal.address, "default") as engine:
        yield engine


@pytest.fixture
async def own_front(own_database_url: str, temporal: TemporalServer) -> AsyncIterator[LiveEngine]:
    async with live_engine(own_database_url, temporal.address, "default") as engine:
        yield engine


@pytest.fixture
def front(request: pytest.FixtureRequest) -> Iterator[LiveEngine]:
    """The API alone, in a namespace without workers."""
    with as_if_new(chosen(request, "front")) as engine:
        yield engine


@pytest.fixture(scope="session")
async def shared_engine(
    shared_database_url: str, shared_temporal: TemporalServer, shared_mail: MailServer
) -> AsyncIterator[LiveEngine]:
    url, namespace = shared_database_url, shared_temporal.take_namespace()
    async with (
        live_engine(url, shared_temporal.address, namespace, smtp_url=shared_mail.url) as engine,
        engine.working(),
    ):
        yield engine


@pytest.fixture
async def own_engine(idle_engine: LiveEngine) -> AsyncIterator[LiveEngine]:
    async with idle_engine.working():
        yield idle_engine


@pytest.fixture
def engine(request: pytest.FixtureRequest, mail: MailServer) -> Iterator[LiveEngine]:
    """The complete engine with a worker. A test that replaces activities uses `idle_engine`."""
    with as_if_new(chosen(request, "engine")) as engine:
        yield engine


@pytest.fixture
async def shop(database: Database) -> Shop:
    return await open_shop(database)
