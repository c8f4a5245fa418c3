"""The modules that a command imports before it runs."""

import json
import subprocess
import sys
from typing import Final

from tests.support.core.forks import ROOT, clean_environment

# Few commands need these modules.
_SELDOM: Final = ("cryptography", "domain.agent", "httpx", "jwt", "yaml")
# They use Temporal, or serve, so they need what they import.
_HEAVY_BY_NATURE: Final = ("dev", "demo", "serve", "deployment")
_HEAVY: Final = (
    "adapters.brain", "adapters.temporal", "alembic", "anthropic", "api", "domain.agent.policy",
    "fastapi", "graphql", "grpc", "jinja2", "mcp", "numpy", "openai", "opentelemetry",
    "pydantic_ai", "sentry_sdk", "sklearn", "temporalio", "uvicorn",
)  # fmt: skip


def _loaded(program: str, **env: str) -> set[str]:
    """Return the slow modules that a new process has imported when the program ends."""
    told = f"{program}\nimport json\nprint(json.dumps(sorted(sys.modules)), file=sys.stderr)\n"
    done = subprocess.run(
        [sys.executable, "-c", f"import sys, cli\n{told}"],
        cwd=ROOT,
        env=clean_environment(**env),
        capture_output=True,
        text=True,
        check=True,
    )
    return {*_HEAVY} & {*json.loads(done.stderr.splitlines()[-1])}


def test_no_command_loads_what_it_does_not_need() -> None:
    """migrate needs alembic, which imports the rest, so it runs last."""
    program = (
        f"late = {(*_HEAVY_BY_NATURE, 'migrate', 'worker')}\n"
        "for command in cli.COMMANDS:\n"
        "    if command.name not in late: command.chosen()"
    )
    assert _loaded(program) == set()
    assert _loaded("from commands.core import processes") == {"alembic"}


def test_help_loads_no_command() -> None:
    program = (
        "cli.app(['--help'], standalone_mode=False)\n"
        f"late = {('commands.core.context', 'pydantic', 'sqlalchemy', 'structlog', *_SELDOM)}\n"
        "assert not {*late} & {*sys.modules}"
    )
    assert _loaded(program) == set()


def test_the_code_that_commands_share_loads_what_most_of_them_need() -> None:
    program = (
        "import commands.core.context, settings\n"
        f"found = {{*{_SELDOM}}} & {{*sys.modules}}\n"
        "assert not found, found"
    )
    assert _loaded(program) == set()


def test_a_command_that_writes_and_one_that_reads(database_url: str) -> None:
    made = "'client', 'create', '--brand', 'B', '--owner-email', 'start@b.example'"
    program = (
        f"cli.app([{made}], standalone_mode=False)\n"
        "cli.app(['client', 'list', '--json'], standalone_mode=False)"
    )
    assert _loaded(program, DATABASE_URL=database_url) == set()
