"""Run the benchmarks, then print and save the report: python -m bench. The exit code is 1 if a call
or an email failed, but not for a missed target."""

import argparse
import asyncio
import os
import shutil
import signal
import sys
import tempfile
from datetime import UTC, datetime
from pathlib import Path
from typing import Final

from rich.console import Console

from bench.chapters import (
    Effort,
    design,
    exports,
    floods,
    hostile,
    inbound,
    pages,
    parked,
    replays,
    size,
    webhooks,
)
from bench.first_answer import first_answers
from bench.parked import REAL, REVIEWS
from bench.report import report_on, save
from bench.show import show
from domain.core.errors import InvalidInput

# Creating 10,000 real pending runs takes half of this time limit.
_LONGEST_S: Final = 1800.0
CHAPTERS: Final = (
    "design",
    "size",
    "parked",
    "webhooks",
    "export",
    "hostile",
    "floods",
    "inbound",
    "replay",
    "accounts",
    "pages",
)

out: Final = Console()


async def bench(chapters: list[str], effort: Effort, folder: Path, really_parked: int) -> bool:
    """Run the given benchmarks, then print and save the report. Return True if no call failed and
    all emails arrived."""
    started_at = datetime.now(UTC)
    first = await design(effort, folder, out) if "design" in chapters else None
    second = await size(effort, folder, out) if "size" in chapters else None
    third = None
    if "parked" in chapters:
        third = await parked(effort, folder, out, real=really_parked)
    fourth = await webhooks(effort, folder, out) if "webhooks" in chapters else []
    fifth = await exports(effort, folder, out) if "export" in chapters else None
    sixth = await hostile(effort, folder, out) if "hostile" in chapters else None
    seventh = await floods(effort, folder, out) if "floods" in chapters else []
    ninth = await inbound(effort, folder, out) if "inbound" in chapters else []
    tenth = await replays(effort, folder, out) if "replay" in chapters else None
    eighth = await first_answers(folder) if "accounts" in chapters else None
    eleventh = await pages(folder, out) if "pages" in chapters else None
    turns = [
        turn
        for chapter in (first, second, third, sixth, tenth)
        if chapter
        for turn in chapter.turns
    ]
    report = report_on(
        [*turns, *fourth, *(fifth.turns if fifth else ()), *seventh, *ninth],
        plans=second.plans if second else [],
        admission=second.admission if second else None,
        filled_in_s=second.filled_in_s if second else None,
        really_parked=third.real if third else None,
        exports=fifth.figures if fifth else None,
        hostile=sixth.answers if sixth else [],
        first_answers=eighth,
        replay=tenth.figures if tenth else None,
        pages=eleventh,
        started_at=started_at,
        cores=os.cpu_count() or 1,
    )
    show(report, out)
    missing = first.mails_missing if first else 0
    if missing:
        out.print(f"{missing} answers by email did not arrive", style="bold red")
    out.print(f"Written to {save(report)}", highlight=False, soft_wrap=True)
    return report.failed == 0 and missing == 0


async def _bounded(chapters: list[str], effort: Effort, folder: Path, really_parked: int) -> bool:
    """Run `bench`, and return its result, or False after a signal. Ctrl-C, SIGTERM and the time
    limit stop all processes. Raises TimeoutError."""
    task = asyncio.ensure_future(bench(chapters, effort, folder, really_parked))
    for number in (signal.SIGINT, signal.SIGTERM):
        asyncio.get_running_loop().add_signal_handler(number, task.cancel)
    try:
        async with asyncio.timeout(_LONGEST_S):
            return await task
    except asyncio.CancelledError:
        return False


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--chapter", choices=CHAPTERS, help="Run only this benchmark.")
    parser.add_argument(
        "--rounds", type=int, default=3, help="Number of measured rounds per contender."
    )
    parser.add_argument(
        "--seconds", type=float, default=4, help="Length of each measured round in seconds."
    )
    parser.add_argument(
        "--all", action="store_true", help=f"Use {REVIEWS} real pending runs instead of {REAL}."
    )
    arguments = parser.parse_args()
    chapters = [arguments.chapter] if arguments.chapter else list(CHAPTERS)
    folder = Path(tempfile.mkdtemp(prefix="support-bench-"))
    folder.chmod(0o755)  # When started as root, the database server runs as another user.
    try:
        effort = Effort(arguments.rounds, arguments.seconds)
        really_parked = REVIEWS if arguments.all else REAL
        good = asyncio.run(_bounded(chapters, effort, folder, really_parked))
    except InvalidInput as error:
        sys.exit(f"error: {error}")
    finally:
        shutil.rmtree(folder, ignore_errors=True)
    sys.exit(0 if good else 1)


if __name__ == "__main__":
    main()
