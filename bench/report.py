"""The numbers of a run: table, aims, and a file to compare runs by."""

import math
import statistics
from collections.abc import Sequence
from datetime import datetime
from pathlib import Path
from typing import Final

from pydantic import BaseModel
from rich.console import Console
from rich.table import Table

from bench.load import ROOT
from bench.measure import ALONE, CROWD, FLOOR, GATEWAY, MAIL, NAIVE, SKELETON, TurnResult

RESULTS: Final = ROOT / "bench" / "results"
_TITLES: Final = {
    NAIVE: "a  naive: four no-op activities, all defaults",
    FLOOR: "b  floor: one local no-op, tuned server",
    SKELETON: "b' skeleton: four local no-ops, tuned server",
    GATEWAY: "c  our gateway, everything on",
    MAIL: "c' our gateway, answered by mail",
}


class Row(BaseModel):
    """One contender at one concurrency: times in ms of all rounds, the median round's rate."""

    contender: str
    concurrency: int
    calls: int
    p50: float
    p99: float
    per_second: float
    cpu_ms: dict[str, float]


class Aim(BaseModel):
    """A ratio; `is_aim` unless it is only kept for the record."""

    text: str
    value: float
    met: bool
    is_aim: bool = True


class Report(BaseModel):
    started_at: datetime
    cores: int
    rows: list[Row]
    aims: list[Aim]
    turns: list[TurnResult]

    @property
    def failed(self) -> int:
        return sum(turn.failed for turn in self.turns)


def quantile(values: Sequence[float], share: float) -> float:
    """The smallest value that at least `share` of all do not exceed (nearest rank)."""
    ordered = sorted(values)
    return ordered[max(0, math.ceil(share * len(ordered)) - 1)] if ordered else math.nan


def report_on(turns: list[TurnResult], *, started_at: datetime, cores: int) -> Report:
    groups = dict.fromkeys((turn.contender, turn.concurrency) for turn in turns)
    rows = [
        _row([turn for turn in turns if (turn.contender, turn.concurrency) == group])
        for group in sorted(groups, key=lambda group: (group[1], list(_TITLES).index(group[0])))
    ]
    return Report(started_at=started_at, cores=cores, rows=rows, aims=_aims(rows), turns=turns)


def _row(turns: list[TurnResult]) -> Row:
    latencies = [value for turn in turns for value in turn.latencies_ms]
    return Row(
        contender=turns[0].contender,
        concurrency=turns[0].concurrency,
        calls=len(latencies),
        p50=round(quantile(latencies, 0.5), 1),
        p99=round(quantile(latencies, 0.99), 1),
        per_second=round(statistics.median(turn.per_second for turn in turns), 1),
        cpu_ms={
            name: round(statistics.median(turn.cpu_ms[name] for turn in turns), 1)
            for name in turns[0].cpu_ms
        },
    )


def _aims(rows: list[Row]) -> list[Aim]:
    found = {(row.contender, row.concurrency): row for row in rows}
    alone = {name: found[name, ALONE].p50 for name in (NAIVE, FLOOR, SKELETON, GATEWAY)}
    crowd = {name: found[name, CROWD].per_second for name in (NAIVE, FLOOR, SKELETON, GATEWAY)}
    latency_a, latency_b = alone[GATEWAY] / alone[NAIVE], alone[GATEWAY] / alone[FLOOR]
    rate_a, rate_b = crowd[GATEWAY] / crowd[NAIVE], crowd[GATEWAY] / crowd[FLOOR]
    return [
        Aim(text="p50 of c / a, one at a time: at most 0.4", value=latency_a, met=latency_a <= 0.4),
        Aim(text="rate of c / a, 16 at once: at least 1.5", value=rate_a, met=rate_a >= 1.5),
        Aim(text="p50 of c / b, one at a time: at most 1.6", value=latency_b, met=latency_b <= 1.6),
        _note("rate of c / b, 16 at once: no aim", rate_b),
        _note("p50 of b' / b: four durable steps instead of one", alone[SKELETON] / alone[FLOOR]),
        _note("p50 of c / b': what our own work adds", alone[GATEWAY] / alone[SKELETON]),
        _note("rate of c / b', 16 at once", crowd[GATEWAY] / crowd[SKELETON]),
    ]


def _note(text: str, value: float) -> Aim:
    return Aim(text=text, value=value, met=True, is_aim=False)


def save(report: Report) -> Path:
    RESULTS.mkdir(parents=True, exist_ok=True)
    path = RESULTS / f"{report.started_at:%Y-%m-%dT%H%M%SZ}.json"
    path.write_text(report.model_dump_json(indent=1))
    return path


def show(report: Report, out: Console) -> None:
    for concurrency, title in ((ALONE, "One at a time"), (CROWD, f"{CROWD} at once")):
        rows = [row for row in report.rows if row.concurrency == concurrency]
        out.print(_times(title, rows))
        out.print(_processor("Processor time, ms a call", rows))
    aims = Table(title="Ratios", title_justify="left", box=None, show_header=False)
    for aim in report.aims:
        mark = "[green]met[/]" if aim.met else "[bold red]missed[/]"
        aims.add_row(aim.text, f"{aim.value:.2f}", mark if aim.is_aim else "")
    out.print(aims)
    idle = statistics.median(turn.idle_cpu_percent for turn in report.turns)
    out.print(f"The idle contenders used {idle:.1f} % of one of {report.cores} cores (median).")
    for turn in report.turns:
        if turn.failed:
            first = turn.failures[0] if turn.failures else ""
            out.print(
                f"{turn.failed} failed: {turn.contender}, {turn.concurrency} at a time: {first}",
                style="bold red",
                markup=False,
            )


def _times(title: str, rows: list[Row]) -> Table:
    table = Table(title=title, title_justify="left")
    table.add_column("")
    for name in ("calls", "p50 ms", "p99 ms", "per s"):
        table.add_column(name, justify="right")
    for row in rows:
        figures = (f"{row.p50:.0f}", f"{row.p99:.0f}", f"{row.per_second:.1f}")
        table.add_row(_TITLES[row.contender], str(row.calls), *figures)
    return table


def _processor(title: str, rows: list[Row]) -> Table:
    names = list(dict.fromkeys(name for row in rows for name in row.cpu_ms))
    table = Table(title=title, title_justify="left")
    table.add_column("")
    for name in ("all", *names):
        table.add_column(name, justify="right")
    for row in rows:
        parts = (f"{row.cpu_ms[name]:.1f}" if name in row.cpu_ms else "" for name in names)
        table.add_row(row.contender, f"{sum(row.cpu_ms.values()):.0f}", *parts)
    return table
