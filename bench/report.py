"""The report on a benchmark run: a table of figures, the targets, and a file for comparison with
later runs."""

import statistics
from datetime import datetime
from pathlib import Path
from typing import Final

from pydantic import BaseModel

from bench.admission_cost import AdmissionCost
from bench.aim import RatioAim, ReportRow, note, quantile
from bench.export_figures import CSV, JSON, LARGEST, PSQL, PSQL_CSV, ExportFigures
from bench.first_answer import FirstAnswers
from bench.flood_contender import REFUSED_FLOOD, SLOW_SOCKETS, UNFLOODED
from bench.hostile_contender import HostileAnswer
from bench.inbound_contender import NOTIFIED, SILENT
from bench.load import ROOT
from bench.measure import (
    ALONE,
    BARE,
    CALLERS,
    CHILDREN,
    CONCURRENT,
    DELIVERIES,
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
    TurnResult,
)
from bench.page_views import PageFigures
from bench.plans import StatementPlan
from bench.pressure_aims import flood_aims, hostile_aims, inbound_aims, replay_aims
from bench.replay_contender import REPLAYED, UNREPLAYED, ReplayFigures

RESULTS: Final = ROOT / "bench" / "results"
TITLES: Final = {
    NAIVE: "a  naive: four no-op activities, all defaults",
    FLOOR: "b  floor: one local no-op, tuned server",
    SKELETON: "b' skeleton: four local no-ops, tuned server",
    GATEWAY: "c  our gateway, everything on",
    MAIL: "c' our gateway, answered by mail",
    EMPTY: "d  our gateway, empty database",
    FULL: "e  our gateway, full database",
    BARE: "f  usage, a bare FastAPI route",
    USAGE: "g  usage, our API",
    NONE_PARKED: "h  our gateway, nothing parked",
    PARKED: "i  our gateway, 10,000 reviews parked",
    CHILDREN: "j  bare children, a no-op activity each",
    DELIVERIES: "k  our deliveries, outbox to record",
    POSTS: "l  a bare loop of the same POSTs",
    QUIET: "m  tenant B's deliveries, B alone",
    HANGING: "n  tenant B's, 200 receivers of A hang",
    UNDISTURBED: "q  our gateway, no export",
    EXPORTING: "r  our gateway beside two exports",
    PEACE: "s  tenant B's calls, B alone",
    HOSTILE: "t  tenant B's, beside hostile mails of A",
    UNFLOODED: "u  tenant B's calls, no flood",
    SLOW_SOCKETS: "v  tenant B's, 2,048 slow sockets of A",
    REFUSED_FLOOD: "w  tenant B's, a refused flood of A",
    SILENT: "x  tenant B's calls, no webhooks",
    NOTIFIED: "y  tenant B's, beside 10,000 webhooks of A",
    UNREPLAYED: "z1 tenant B's calls, no replay",
    REPLAYED: "z2 tenant B's, beside A's replay of 10,000 events",
}


class BenchReport(BaseModel):
    """The measurements, with the ratios derived from them. A skipped benchmark has no rows."""

    started_at: datetime
    cores: int
    rows: list[ReportRow]
    aims: list[RatioAim]
    plans: list[StatementPlan]
    admission: AdmissionCost | None
    filled_in_s: float | None
    really_parked: int | None
    exports: ExportFigures | None
    hostile: list[HostileAnswer]
    first_answers: FirstAnswers | None
    replay: ReplayFigures | None
    pages: PageFigures | None
    turns: list[TurnResult]

    @property
    def failed(self) -> int:
        return sum(turn.failed for turn in self.turns)


def report_on(
    turns: list[TurnResult],
    *,
    plans: list[StatementPlan],
    admission: AdmissionCost | None,
    filled_in_s: float | None,
    really_parked: int | None,
    exports: ExportFigures | None,
    hostile: list[HostileAnswer],
    first_answers: FirstAnswers | None,
    replay: ReplayFigures | None,
    pages: PageFigures | None,
    started_at: datetime,
    cores: int,
) -> BenchReport:
    groups = dict.fromkeys((turn.contender, turn.concurrency) for turn in turns)
    rows = [
        _row([turn for turn in turns if (turn.contender, turn.concurrency) == group])
        for group in sorted(groups, key=lambda group: (group[1], list(TITLES).index(group[0])))
    ]
    return BenchReport(
        started_at=started_at,
        cores=cores,
        rows=rows,
        aims=[
            *_design_aims(rows),
            *_size_aims(rows, plans),
            *_parked_aims(rows),
            *_webhook_aims(rows),
            *(_export_aims(rows, exports) if exports else ()),
            *(hostile_aims(rows, hostile) if hostile else ()),
            *flood_aims(rows),
            *inbound_aims(rows),
            *(replay_aims(rows, replay) if replay else ()),
        ],
        plans=plans,
        admission=admission,
        filled_in_s=filled_in_s,
        really_parked=really_parked,
        exports=exports,
        hostile=hostile,
        first_answers=first_answers,
        replay=replay,
        pages=pages,
        turns=turns,
    )


def _row(turns: list[TurnResult]) -> ReportRow:
    latencies = [value for turn in turns for value in turn.latencies_ms]
    return ReportRow(
        contender=turns[0].contender,
        concurrency=turns[0].concurrency,
        calls=len(latencies),
        p50=round(quantile(latencies, 0.5), 2),
        p95=round(quantile(latencies, 0.95), 2),
        p99=round(quantile(latencies, 0.99), 2),
        per_second=round(statistics.median(turn.per_second for turn in turns), 1),
        cpu_ms={
            name: round(statistics.median(turn.cpu_ms[name] for turn in turns), 2)
            for name in turns[0].cpu_ms
        },
    )


def _design_aims(rows: list[ReportRow]) -> list[RatioAim]:
    found = {(row.contender, row.concurrency): row for row in rows}
    if (GATEWAY, ALONE) not in found:
        return []
    alone = {name: found[name, ALONE].p50 for name in (NAIVE, FLOOR, SKELETON, GATEWAY)}
    concurrent = {
        name: found[name, CONCURRENT].per_second for name in (NAIVE, FLOOR, SKELETON, GATEWAY)
    }
    latency_a, latency_b = alone[GATEWAY] / alone[NAIVE], alone[GATEWAY] / alone[FLOOR]
    rate_a, rate_b = (
        concurrent[GATEWAY] / concurrent[NAIVE],
        concurrent[GATEWAY] / concurrent[FLOOR],
    )
    return [
        RatioAim(
            text="p50 of c / a, one at a time: at most 0.4", value=latency_a, met=latency_a <= 0.4
        ),
        RatioAim(text="rate of c / a, 16 at once: at least 1.5", value=rate_a, met=rate_a >= 1.5),
        RatioAim(
            text="p50 of c / b, one at a time: at most 1.6", value=latency_b, met=latency_b <= 1.6
        ),
        note("rate of c / b, 16 at once: no target", rate_b),
        note("p50 of b' / b: four durable steps instead of one", alone[SKELETON] / alone[FLOOR]),
        note("p50 of c / b': the cost of our own work", alone[GATEWAY] / alone[SKELETON]),
        note("rate of c / b', 16 at once", concurrent[GATEWAY] / concurrent[SKELETON]),
    ]


def _size_aims(rows: list[ReportRow], plans: list[StatementPlan]) -> list[RatioAim]:
    found = {(row.contender, row.concurrency): row for row in rows}
    if (FULL, ALONE) not in found:
        return []
    grown = found[FULL, ALONE].p50 / found[EMPTY, ALONE].p50
    rate = found[USAGE, CONCURRENT].per_second / found[BARE, CONCURRENT].per_second
    alone = found[USAGE, ALONE].per_second / found[BARE, ALONE].per_second
    missed = [plan.statement for plan in plans if plan.missed]
    return [
        RatioAim(text="p50 of e / d, one at a time: at most 1.15", value=grown, met=grown <= 1.15),
        RatioAim(text="rate of g / f, 16 at once: at least 0.5", value=rate, met=rate >= 0.5),
        note("rate of g / f, one at a time", alone),
        RatioAim(
            text=f"of {len(plans)} statements, those that read a large table whole: none",
            value=len(missed),
            met=not missed,
        ),
    ]


def _parked_aims(rows: list[ReportRow]) -> list[RatioAim]:
    found = {(row.contender, row.concurrency): row for row in rows}
    if (PARKED, ALONE) not in found:
        return []
    ratio = found[PARKED, ALONE].p50 / found[NONE_PARKED, ALONE].p50
    return [
        RatioAim(text="p50 of i / h, one at a time: at most 1.1", value=ratio, met=ratio <= 1.1)
    ]


def _webhook_aims(rows: list[ReportRow]) -> list[RatioAim]:
    found = {row.contender: row for row in rows}
    if HANGING not in found:
        return []
    rate = found[DELIVERIES].per_second / found[CHILDREN].per_second
    slow = found[HANGING].p95 / found[QUIET].p95
    return [
        RatioAim(
            text="rate of k / j, 4 batches at once: at least 0.6", value=rate, met=rate >= 0.6
        ),
        note("rate of k / l", found[DELIVERIES].per_second / found[POSTS].per_second),
        RatioAim(text="p95 of n / m, one at a time: at most 1.2", value=slow, met=slow <= 1.2),
        note("p50 of n / m", found[HANGING].p50 / found[QUIET].p50),
    ]


def _export_aims(rows: list[ReportRow], exports: ExportFigures) -> list[RatioAim]:
    found = {(row.contender, row.concurrency): row for row in rows}
    psql = exports.seconds(PSQL)
    json, csv = exports.seconds(JSON) / psql, exports.seconds(CSV) / psql
    first = max(exports.first_byte_ms(JSON), exports.first_byte_ms(CSV))
    grown, exponent = exports.memory.growth_mb, exports.growth.exponent
    slow = found[EXPORTING, CALLERS].p99 / found[UNDISTURBED, CALLERS].p99
    size = f"{LARGEST:,} conversations"
    return [
        RatioAim(text=f"JSON / psql, {size}: at most 1.5", value=json, met=json <= 1.5),
        RatioAim(text=f"CSV / psql, {size}: at most 1.5", value=csv, met=csv <= 1.5),
        note(f"CSV / psql's own CSV, {size}", exports.seconds(CSV) / exports.seconds(PSQL_CSV)),
        note(f"processor time of JSON / psql, {size}", exports.cpu_s(JSON) / exports.cpu_s(PSQL)),
        note(f"processor time of CSV / psql, {size}", exports.cpu_s(CSV) / exports.cpu_s(PSQL)),
        RatioAim(text=f"first byte, ms, {size}: below 300", value=first, met=first < 300),
        RatioAim(text="growth of the API's memory, MB: at most 16", value=grown, met=grown <= 16),
        RatioAim(text="p99 of r / q, 4 callers: at most 1.2", value=slow, met=slow <= 1.2),
        RatioAim(
            text="exponent of an export's time by rows: at most 1.1",
            value=exponent,
            met=exponent <= 1.1,
        ),
        note("highest cost per row / lowest, across sizes", exports.growth.spread),
    ]


def save(report: BenchReport) -> Path:
    RESULTS.mkdir(parents=True, exist_ok=True)
    path = RESULTS / f"{report.started_at:%Y-%m-%dT%H%M%SZ}.json"
    path.write_text(report.model_dump_json(indent=1))
    return path
