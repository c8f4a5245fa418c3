"""A process that reports errors of one kind to Sentry, says so, and waits for its end.

Arguments: the DSN, the spool's directory, the number of errors.
"""

import asyncio
import json
import sys
from datetime import UTC, datetime
from pathlib import Path

from adapters.observability.error_tracker import error_tracker
from adapters.observability.metrics import Metrics
from adapters.observability.redaction import Redactor
from domain.core.error_report import ErrorReport


async def _keep(_: str, __: ErrorReport) -> None:
    raise AssertionError("with a DSN no report is stored")


async def main(dsn: str, spool: str, number: str) -> None:
    async with error_tracker(dsn, Path(spool), _keep, Redactor(), Metrics()) as tracker:
        for _ in range(int(number)):
            tracker.report(
                ErrorReport(
                    place="POST /x",
                    code="internal_error",
                    created_at=datetime(2026, 11, 21, tzinfo=UTC),
                    client_id="c1",
                )
            )
        sys.stdout.write(json.dumps({"reported": int(number)}) + "\n")
        sys.stdout.flush()
        await asyncio.Event().wait()


if __name__ == "__main__":
    asyncio.run(main(*sys.argv[1:]))
