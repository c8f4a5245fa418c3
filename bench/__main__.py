"""python -m bench: measure, show, keep. Exit code 1 if anything failed, not if an aim is missed."""

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
from rich.progress import BarColumn, Progress, TextColumn, TimeRemainingColumn

from bench.contenders import Contender, GatewayContender, NoopContender
from bench.measure import FLOOR, GATEWAY, MAIL, NAIVE, SKELETON, TurnResult, take, turns
from bench.report import quantile, report_on, save, show
from domain.errors import InvalidInput

_LONGEST_S: Final = 600.0

out: Final = Console()


async def bench(rounds: int, seconds: float, folder: Path) -> bool:
    """Whether every call was answered as it should be."""
    started_at = datetime.now(UTC)
    gateway = GatewayContender(GATEWAY, MAIL, folder)
    contenders: list[Contender] = [NoopContender(name, folder) for name in (NAIVE, FLOOR, SKELETON)]
    contenders.append(gateway)
    try:
        with out.status("starting") as status:
            for contender in contenders:
                status.update(f"starting {contender.name}")
                await contender.start()
        taken = await _take_turns(rounds, seconds, contenders)
        mails, replies = gateway.mails(), sum(t.calls for t in taken if t.contender == MAIL)
    finally:
        with out.status("stopping"):
            for contender in reversed(contenders):
                await contender.stop()
    report = report_on(taken, started_at=started_at, cores=os.cpu_count() or 1)
    show(report, out)
    if mails < replies:
        out.print(f"{replies} answers by mail, but only {mails} mails", style="bold red")
    out.print(f"Written to {save(report)}", highlight=False, soft_wrap=True)
    return report.failed == 0 and mails >= replies


async def _take_turns(rounds: int, seconds: float, contenders: list[Contender]) -> list[TurnResult]:
    planned = list(turns(rounds, seconds))
    taken: list[TurnResult] = []
    columns = TextColumn("{task.description:<40}"), BarColumn(), TimeRemainingColumn()
    with Progress(*columns, console=out, transient=True) as progress:
        bar = progress.add_task("", total=sum(turn.planned_s for turn in planned))
        for turn in planned:
            progress.update(bar, description=turn.title)
            result = await take(turn, contenders)
            taken.append(result)
            p50 = quantile(result.latencies_ms, 0.5)
            progress.console.print(
                f"{turn.title}: p50 {p50:.0f} ms, {result.per_second:.1f} per s", highlight=False
            )
            progress.advance(bar, turn.planned_s)
    return taken


async def _bounded(rounds: int, seconds: float, folder: Path) -> bool:
    """Ctrl-C, SIGTERM and the time limit end it in the same way: all that was started is ended."""
    task = asyncio.ensure_future(bench(rounds, seconds, folder))
    for number in (signal.SIGINT, signal.SIGTERM):
        asyncio.get_running_loop().add_signal_handler(number, task.cancel)
    try:
        async with asyncio.timeout(_LONGEST_S):
            return await task
    except asyncio.CancelledError:
        return False


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=3, help="turns of each contender")
    parser.add_argument("--seconds", type=float, default=8, help="measured in each turn")
    arguments = parser.parse_args()
    folder = Path(tempfile.mkdtemp(prefix="support-bench-"))
    folder.chmod(0o755)  # the database server of the root user runs as another one
    try:
        good = asyncio.run(_bounded(arguments.rounds, arguments.seconds, folder))
    except InvalidInput as error:
        sys.exit(f"error: {error}")
    finally:
        shutil.rmtree(folder, ignore_errors=True)
    sys.exit(0 if good else 1)


if __name__ == "__main__":
    main()
