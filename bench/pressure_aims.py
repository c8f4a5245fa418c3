"""The targets for the latency of one tenant's calls while another tenant generates load."""

from bench.aim import RatioAim, ReportRow, note, quantile
from bench.flood_contender import REFUSED_FLOOD, SLOW_SOCKETS, UNFLOODED
from bench.hostile_contender import HostileAnswer
from bench.inbound_contender import NOTIFIED, SILENT
from bench.measure import HOSTILE, PEACE
from bench.replay_contender import REPLAYED, UNREPLAYED, ReplayFigures


def hostile_aims(rows: list[ReportRow], answers: list[HostileAnswer]) -> list[RatioAim]:
    found = {row.contender: row for row in rows}
    slower = found[HOSTILE].p99 / found[PEACE].p99
    longest = max(answer.ms for answer in answers)
    refused = sum(answer.status != 200 for answer in answers)
    return [
        RatioAim(text="p99 of t / s: at most 2", value=slower, met=slower <= 2),
        note("p50 of t / s", found[HOSTILE].p50 / found[PEACE].p50),
        RatioAim(
            text=f"longest answer to A, ms, of {len(answers)} mails: at most 3,000",
            value=longest,
            met=longest <= 3_000,
        ),
        note("median answer to A, ms", quantile([answer.ms for answer in answers], 0.5)),
        RatioAim(text="mails of A not answered with 200: 0", value=refused, met=refused == 0),
    ]


def flood_aims(rows: list[ReportRow]) -> list[RatioAim]:
    found = {row.contender: row for row in rows}
    if UNFLOODED not in found:
        return []
    slow = found[SLOW_SOCKETS].p99 / found[UNFLOODED].p99
    return [
        RatioAim(text="p99 of v / u, 4 callers: at most 2", value=slow, met=slow <= 2),
        note("p99 of w / u, 4 callers", found[REFUSED_FLOOD].p99 / found[UNFLOODED].p99),
    ]


def inbound_aims(rows: list[ReportRow]) -> list[RatioAim]:
    found = {row.contender: row for row in rows}
    if SILENT not in found:
        return []
    slower = found[NOTIFIED].p99 / found[SILENT].p99
    return [
        RatioAim(text="p99 of y / x, 4 callers: at most 2", value=slower, met=slower <= 2),
        note("p50 of y / x", found[NOTIFIED].p50 / found[SILENT].p50),
    ]


def replay_aims(rows: list[ReportRow], figures: ReplayFigures) -> list[RatioAim]:
    found = {row.contender: row for row in rows}
    slower = found[REPLAYED].p99 / found[UNREPLAYED].p99
    return [
        RatioAim(text="p99 of z2 / z1, 4 callers: at most 2", value=slower, met=slower <= 2),
        note("p50 of z2 / z1", found[REPLAYED].p50 / found[UNREPLAYED].p50),
        note("events a second beside 8 calls a second", quantile(figures.beside_per_second, 0.5)),
        note(f"seconds for {figures.examined} events alone", figures.alone_s),
        note("events a second alone", figures.examined / figures.alone_s),
    ]
