"""Embedded Temporal: the official development server with its web UI, tuned for low latency."""

import json
import shutil
import sys
from pathlib import Path
from typing import Final

from adapters.temporal.setup import SEARCH_ATTRIBUTES
from domain.core.errors import InvalidInput

# By default, every workflow step waits for a single history shard's next poll. These settings
# reduce a run with four steps to a third. Fairness keeps one tenant's thousand deliveries from
# delaying another tenant's deliveries.
TUNING: Final[dict[str, int | bool]] = {
    "history.transferProcessorMaxPollRPS": 2000,
    "history.timerProcessorMaxPollRPS": 2000,
    "history.visibilityProcessorMaxPollRPS": 200,
    "matching.enableFairness": True,
}


def temporal_command(
    *, database: Path | None, port: int, ui_port: int | None, tuned: bool = True
) -> list[str]:
    """Return the command line of a Temporal server. Without `database`, its data is lost at its
    end. Raises InvalidInput if `temporal` is not installed."""
    program = shutil.which("temporal", path=str(Path(sys.executable).parent)) or shutil.which(
        "temporal"
    )
    if program is None:
        raise InvalidInput("the `temporal` program is missing: run `make setup`")
    command = [program, "server", "start-dev", "--ip", "127.0.0.1", "--port", str(port)]
    command += ["--log-level", "error"]
    if database is not None:
        command += ["--db-filename", str(database)]
    command += ["--ui-port", str(ui_port)] if ui_port is not None else ["--headless"]
    for name in SEARCH_ATTRIBUTES:
        command += ["--search-attribute", f"{name}=Keyword"]
    if tuned:
        # WAL mode needs one sync per commit instead of two. It has the same durability as the
        # default journal mode, because every commit is synced.
        for pragma in ("journal_mode=wal", "synchronous=2"):
            command += ["--sqlite-pragma", pragma]
        for key, value in TUNING.items():
            command += ["--dynamic-config-value", f"{key}={json.dumps(value)}"]
    return command
