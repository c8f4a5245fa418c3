"""Print the report: tables, targets, the load of the idle contenders, and the failures."""

import statistics
from functools import reduce
from typing import Final

from rich.console import Console
from rich.table import Table

from bench.admission_cost import AdmissionCost
from bench.aim import ReportRow
from bench.export_figures import CSV, JSON, PSQL, PSQL_CSV, SIZES, ExportFigures
from bench.first_answer import LONGEST_S, MOST_CALLS, FirstAnswers
from bench.flood_contender import REFUSED_FLOOD, SLOW_SOCKETS, UNFLOODED
from bench.holds import PROCESSES, Holds
from bench.inbound_contender import NOTIFIED, SILENT
from bench.measure import (
    ALONE,
    BARE,
    BATCHES,
    CALLERS,
    CHILDREN,
    CONCURRENT,
    DELIVERIES,
    EACH,
    EMPTY,
    EXPORTING,
    FLOOR,
    FULL,
    GATEWAY,
    HANGING,
    HOSTILE,
    MAIL,
    NAIVE,
    NONE_PARKED,
    PARKED,
    PEACE,
    POSTS,
    QUIET,
    SKELETON,
    UNDISTURBED,
    USAGE,
)
from bench.page_table import pages_shown
from bench.plans import StatementPlan
from bench.replay_contender import REPLAYED, UNREPLAYED
from bench.report import TITLES, BenchReport

_DESIGN: Final = (NAIVE, FLOOR, SKELETON, GATEWAY, MAIL)
_SLOWEST: Final = 5
_TABLES: Final = (
    ("One at a time", ALONE, _DESIGN),
    (f"{CONCURRENT} at once", CONCURRENT, _DESIGN),
    ("Full against empty, one at a time", ALONE, (EMPTY, FULL)),
    ("Usage reads, one at a time", ALONE, (BARE, USAGE)),
    (f"Usage reads, {CONCURRENT} at once", CONCURRENT, (BARE, USAGE)),
    ("Parked reviews, one at a time", ALONE, (NONE_PARKED, PARKED)),
    (
        f"Webhooks, {BATCHES} batches of {EACH} at once (times of a batch, rates of deliveries)",
        BATCHES,
        (CHILDREN, DELIVERIES, POSTS),
    ),
    ("A neighbour's webhooks, one at a time, commit to arrival", ALONE, (QUIET, HANGING)),
    (
        f"The gateway beside exports, {CALLERS} callers at a steady rate (r's processor time has "
        "the exports in it)",
        CALLERS,
        (UNDISTURBED, EXPORTING),
    ),
    (
        f"A tenant during another tenant's hostile mails, {CALLERS} callers at a steady rate",
        CALLERS,
        (PEACE, HOSTILE),
    ),
    (
        f"A tenant during another tenant's floods, {CALLERS} callers at a steady rate",
        CALLERS,
        (UNFLOODED, SLOW_SOCKETS, REFUSED_FLOOD),
    ),
    (
        f"A tenant during another tenant's webhooks, {CALLERS} callers at a steady rate",
        CALLERS,
        (SILENT, NOTIFIED),
    ),
    (
        f"A tenant during another tenant's replay, {CALLERS} callers at a steady rate",
        CALLERS,
        (UNREPLAYED, REPLAYED),
    ),
)


def show(report: BenchReport, out: Console) -> None:
    for title, concurrency, names in _TABLES:
        rows = [r for r in report.rows if r.concurrency == concurrency and r.contender in names]
        if rows:
            out.print(_times(title, rows))
            out.print(_processor("Processor time per call, ms", rows))
    if report.plans:
        out.print(_plans(report.plans))
    if report.admission is not None:
        full = next(row for row in report.rows if row.contender == FULL)
        out.print(_admission(report.admission, full.p50))
        out.print(_explanation(report.admission, full.p50), highlight=False)
    if report.exports is not None:
        out.print(_copies(report.exports))
        out.print(_growth(report.exports))
    _show_holds(report, out)
    out.print(_aims(report))
    if report.filled_in_s is not None:
        out.print(f"The full database was filled in {report.filled_in_s:.0f} s.")
    if report.really_parked is not None:
        out.print(f"{report.really_parked} of the pending reviews are runs that wait in Temporal.")
    _show_people(report, out)
    if report.turns:
        _show_turns(report, out)


def _show_people(report: BenchReport, out: Console) -> None:
    if report.first_answers is not None:
        out.print(_first_answers(report.first_answers))
    if report.pages is not None:
        out.print(pages_shown(report.pages))


def _show_turns(report: BenchReport, out: Console) -> None:
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


def _first_answers(first: FirstAnswers) -> str:
    verdict = "met" if first.met else "missed"
    return (
        f"Signup to the first answered ticket: {first.calls} calls, "
        f"{statistics.median(first.seconds):.1f} s (median of {len(first.seconds)}, the slowest "
        f"{max(first.seconds):.1f} s; at most {MOST_CALLS} and {LONGEST_S:.0f} s: {verdict})."
    )


def _show_holds(report: BenchReport, out: Console) -> None:
    if any(turn.holds for turn in report.turns):
        out.print(_holds(report))
    for answer in sorted(report.hostile, key=lambda one: -one.ms)[:_SLOWEST]:
        out.print(f"Tenant A waited {answer.ms:.0f} ms: {answer.shape}, HTTP {answer.status}")


def _times(title: str, rows: list[ReportRow]) -> Table:
    table = Table(title=title, title_justify="left")
    table.add_column("")
    for name in ("calls", "p50 ms", "p95 ms", "p99 ms", "per s"):
        table.add_column(name, justify="right")
    for row in rows:
        figures = (_short(row.p50), _short(row.p95), _short(row.p99), f"{row.per_second:.1f}")
        table.add_row(TITLES[row.contender], str(row.calls), *figures)
    return table


def _short(value: float) -> str:
    return f"{value:.0f}" if value >= 20 else f"{value:.1f}"


def _processor(title: str, rows: list[ReportRow]) -> Table:
    names = list(dict.fromkeys(name for row in rows for name in row.cpu_ms))
    table = Table(title=title, title_justify="left")
    table.add_column("")
    for name in ("all", *names):
        table.add_column(name, justify="right")
    for row in rows:
        parts = (f"{row.cpu_ms[name]:.1f}" if name in row.cpu_ms else "" for name in names)
        table.add_row(row.contender, _short(sum(row.cpu_ms.values())), *parts)
    return table


def _plans(plans: list[StatementPlan]) -> Table:
    """Return a table of the query plans, with one line per statement. The line of an insert without
    a conflict check shows no index, because the insert reads no table."""
    table = Table(title="Query plans on the full database", title_justify="left")
    for name in ("statement", "reads by", ""):
        table.add_column(name, overflow="fold")
    for plan in plans:
        mark = (
            f"[bold red]missed: all of {', '.join(plan.missed)}[/]"
            if plan.missed
            else "[green]met[/]"
        )
        table.add_row(plan.statement, ", ".join(plan.scans) or "-", mark)
    return table


def _admission(cost: AdmissionCost, gateway_ms: float) -> Table:
    table = Table(title="Admission on the full database, p50 in ms", title_justify="left")
    table.add_column("")
    for name in ("counted", "uncounted", "added", "of e's p50"):
        table.add_column(name, justify="right")

    def line(name: str, counted: float, uncounted: float) -> None:
        added = counted - uncounted
        figures = (f"{counted:.2f}", f"{uncounted:.2f}" if uncounted else "", f"{added:.2f}")
        table.add_row(name, *figures, f"{added / gateway_ms:.1%}")

    for name, ms in cost.counted.parts.items():
        line(name, ms, cost.uncounted.parts.get(name, 0.0))
    table.add_section()
    line("the whole transaction", cost.counted.whole, cost.uncounted.whole)
    return table


def _explanation(cost: AdmissionCost, gateway_ms: float) -> str:
    return (
        f"Admission adds {cost.added:.1f} ms to a call, {cost.added / gateway_ms:.1%} of its time. "
        f"Three additional statements in the transaction take {cost.added_statements:.1f} ms. They "
        "lock the account, read the counts, and write the ledger and the counter. The rest is for "
        "the Python code around them, and for a COMMIT with more rows. Only calls of the same "
        "client wait for each other."
    )


def _copies(exports: ExportFigures) -> Table:
    table = Table(title="Exports, medians", title_justify="left")
    table.add_column("")
    for name in ("conversations", "seconds", "/ psql", "processor s", "MB", "first byte ms"):
        table.add_column(name, justify="right")
    for size in SIZES:
        for name in (PSQL, JSON, CSV, PSQL_CSV):
            seconds, turns = exports.seconds(name, size), exports.of(name, size)
            first = f"{exports.first_byte_ms(name, size):.0f}" if name in {JSON, CSV} else ""
            figures = (
                f"{size:,}",
                f"{seconds:.2f}",
                f"{seconds / exports.seconds(PSQL, size):.2f}",
                f"{exports.cpu_s(name, size):.2f}",
            )
            table.add_row(name, *figures, f"{turns[0].bytes / 1e6:.1f}", first)
        table.add_section()
    return table


def _growth(exports: ExportFigures) -> Table:
    growth = exports.growth
    title = (
        f"An export by the rows of one table, without the {growth.start_s * 1000:.0f} ms of none"
    )
    table = Table(title=title, title_justify="left")
    for name in ("rows", "seconds", "µs a row"):
        table.add_column(name, justify="right")
    for one in growth.readings:
        figures = (f"{one.seconds - growth.start_s:.3f}", f"{growth.row_us(one):.2f}")
        table.add_row(f"{one.rows:,}", *figures)
    return table


def _holds(report: BenchReport) -> Table:
    """Return a table of the event loop blocks in all of a contender's turns, by process."""
    title = "Event loop blocks of 50 ms or more: by own work (250 ms or more), by other causes"
    table = Table(title=title, title_justify="left")
    for name in ("", *PROCESSES):
        table.add_column(name)
    for contender in dict.fromkeys(turn.contender for turn in report.turns if turn.holds):
        turns = [turn for turn in report.turns if turn.contender == contender]
        figures = []
        for name in PROCESSES:
            all_turns = reduce(Holds.plus, (turn.holds[name] for turn in turns))
            figures.append(f"{all_turns.own} ({all_turns.long}), {all_turns.other}")
        table.add_row(contender, *figures)
    return table


def _aims(report: BenchReport) -> Table:
    table = Table(title="Ratios", title_justify="left", box=None, show_header=False)
    for aim in report.aims:
        mark = "[green]met[/]" if aim.met else "[bold red]missed[/]"
        table.add_row(aim.text, f"{aim.value:.2f}", mark if aim.is_aim else "")
    return table
