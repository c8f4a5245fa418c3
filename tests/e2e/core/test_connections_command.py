"""cli.py connections: whether PostgreSQL allows enough of them."""

import json

from adapters.observability.metrics import Metrics
from api.app import create_app
from store.core.database import Database
from store.core.pools import OF_A_PROCESS, REPORTS, WIDGET, WORK
from tests.support.core.command_line import cli
from tests.support.core.engine import settings_of


def test_it_adds_up_what_all_processes_may_open(database_url: str) -> None:
    few = ("--api", "1", "--workers", "1", "--webhook-workers", "1", "--others", "0")
    done = cli("connections", *few, "--json", DATABASE_URL=database_url)
    told: dict[str, int] = json.loads(done.stdout)

    assert told["needed"] == 16 + 11 + 12 + 5 + 16
    assert told["usable"] == told["max_connections"] - told["reserved"]
    assert 1 <= told["open_now"] <= told["max_connections"]


def test_too_many_end_it_with_a_sentence_and_exit_code_1(database_url: str) -> None:
    done = cli("connections", "--others", "100000", DATABASE_URL=database_url)

    assert done.returncode == 1
    assert "engine worker" in done.stdout
    assert "max_connections: 100" in done.stderr


async def test_the_api_holds_no_more_than_is_added_up(database_url: str) -> None:
    app = create_app(settings_of(database_url, "127.0.0.1:1"), Metrics())
    async with app.router.lifespan_context(app):
        resources = app.state.resources
        pools = [resources.database, resources.exports.database]
        sizes = [database.engine.pool.size() for database in pools]
    assert sum(sizes) + REPORTS + WIDGET == OF_A_PROCESS["api"]
    assert Database(database_url).engine.pool.size() == WORK  # type: ignore[attr-defined]
