"""The servers that tests share. Each test gets a database and a namespace of its own."""

import gc
from collections.abc import AsyncIterator, Iterator
from typing import Any

import pytest
import structlog
from fastapi import FastAPI
from hypothesis import settings

from api import openapi
from store.core.database import Database
from tests.support.core.engine import LiveEngine, live_engine
from tests.support.core.postgres import PostgresServer, postgres_server
from tests.support.core.temporal import TemporalServer, temporal_server
from tests.support.servers.mail import MailServer, mail_server
from tests.support.tenants.shop import Shop, open_shop

# A slow machine is no bug of a rule.
settings.register_profile("engine", deadline=None)
settings.load_profile("engine")


# Whole processes are started there, file by file: what lasts longest begins first, so that several
# test processes end together.
_LONGEST = ("e2e", "contract", "workflows", "bench")


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    items.sort(key=lambda item: item.path.parent.name not in _LONGEST)


@pytest.fixture(scope="session", autouse=True)
def plain_tracebacks() -> None:
    """A log's tracebacks in colours, with all variables, take a second of CPU each."""
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
    """What a module leaves (each worker's sandbox imports the workflows anew) is not looked through
    again: late in a run that held the process for seconds, longer than a database is waited for."""
    yield
    gc.collect()
    gc.freeze()


@pytest.fixture(scope="session", autouse=True)
def one_document() -> Iterator[None]:
    """The API's document is built once: it takes half a second of CPU, and is the same for each."""
    built: list[dict[str, Any]] = []

    def complete_document(app: FastAPI) -> None:
        if not built:
            openapi.complete_document(app)
            built.append(app.openapi())
        app.openapi_schema = built[0]

    with pytest.MonkeyPatch.context() as patched:
        patched.setattr("api.app.complete_document", complete_document)
        yield


@pytest.fixture(scope="session")
def postgres() -> Iterator[PostgresServer]:
    with postgres_server() as server:
        yield server


@pytest.fixture(scope="session")
def temporal(tmp_path_factory: pytest.TempPathFactory) -> Iterator[TemporalServer]:
    with temporal_server(tmp_path_factory.mktemp("temporal") / "log") as server:
        yield server


@pytest.fixture
def database_url(postgres: PostgresServer) -> Iterator[str]:
    with postgres.database() as url:
        yield url


@pytest.fixture
async def database(database_url: str) -> AsyncIterator[Database]:
    database = Database(database_url)
    yield database
    await database.close()


@pytest.fixture
async def mail() -> AsyncIterator[MailServer]:
    async with mail_server() as server:
        yield server


@pytest.fixture
async def idle_engine(
    database_url: str, temporal: TemporalServer, mail: MailServer
) -> AsyncIterator[LiveEngine]:
    """Everything but a worker, which the test starts itself."""
    namespace = temporal.take_namespace()
    async with live_engine(database_url, temporal.address, namespace, smtp_url=mail.url) as engine:
        yield engine


@pytest.fixture
async def front(database_url: str, temporal: TemporalServer) -> AsyncIterator[LiveEngine]:
    """The API alone, on a namespace that nobody works in."""
    async with live_engine(database_url, temporal.address, "default") as engine:
        yield engine


@pytest.fixture
async def engine(idle_engine: LiveEngine) -> AsyncIterator[LiveEngine]:
    """The whole engine, at work."""
    async with idle_engine.working():
        yield idle_engine


@pytest.fixture
async def shop(database: Database) -> Shop:
    return await open_shop(database)
