"""The individual benchmarks, called chapters. Each one starts its contenders, calls them
alternately, and stops them."""

from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from rich.console import Console
from rich.progress import BarColumn, Progress, TextColumn, TimeRemainingColumn

from bench.admission_cost import AdmissionCost, admission_cost
from bench.aim import quantile
from bench.contenders import (
    BareContender,
    Contender,
    FullContender,
    GatewayContender,
    NoopContender,
)
from bench.export_contender import ExportContender
from bench.export_figures import CSV, JSON, PSQL, PSQL_CSV, SIZES, ExportFigures, ExportTurn
from bench.export_growth import growth
from bench.flood_contender import FloodContender, flood_turns
from bench.hostile_contender import HostileAnswer, HostileContender
from bench.inbound_contender import InboundContender, inbound_turns
from bench.measure import (
    BARE,
    CHILDREN,
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
    BenchTurn,
    TurnResult,
    design_turns,
    export_turns,
    hostile_turns,
    parked_turns,
    size_turns,
    take,
    webhook_turns,
)
from bench.page_views import PageFigures, PagesContender
from bench.parked import ParkedContender
from bench.plans import StatementPlan, plans_of
from bench.replay_contender import ReplayContender, ReplayFigures, replay_turns
from bench.webhook_contenders import (
    ChildrenContender,
    HangingContender,
    PostsContender,
    WebhookContender,
)
from store.core.database import Database


@dataclass(frozen=True, slots=True)
class Effort:
    rounds: int
    seconds: float


@dataclass(frozen=True, slots=True)
class Design:
    turns: list[TurnResult]
    mails_missing: int


@dataclass(frozen=True, slots=True)
class Size:
    turns: list[TurnResult]
    plans: list[StatementPlan]
    admission: AdmissionCost
    filled_in_s: float


@dataclass(frozen=True, slots=True)
class Parked:
    """The results of the benchmark with pending reviews. `real` is the number of reviews that are
    real runs waiting in Temporal."""

    turns: list[TurnResult]
    real: int


@dataclass(frozen=True, slots=True)
class Hostile:
    """The results of the benchmark with hostile emails. `answers` are the responses to the hostile
    emails."""

    turns: list[TurnResult]
    answers: list[HostileAnswer]


@dataclass(frozen=True, slots=True)
class Replays:
    turns: list[TurnResult]
    figures: ReplayFigures


@dataclass(frozen=True, slots=True)
class ExportMeasurements:
    turns: list[TurnResult]
    figures: ExportFigures


async def design(effort: Effort, folder: Path, out: Console) -> Design:
    """Compare the gateway with a naive design, and with the minimum cost of a durable call."""
    gateway = GatewayContender(GATEWAY, folder, mail=MAIL)
    noops: list[Literal["naive", "floor", "skeleton"]] = [NAIVE, FLOOR, SKELETON]
    contenders = [*(NoopContender(name, folder) for name in noops), gateway]
    async with _running(contenders, out):
        taken = await _take_turns(
            list(design_turns(effort.rounds, effort.seconds)), contenders, out
        )
        replies = sum(turn.calls for turn in taken if turn.contender == MAIL)
        return Design(taken, mails_missing=max(0, replies - gateway.mails()))


async def size(effort: Effort, folder: Path, out: Console) -> Size:
    """Compare the service on a full database with the service on an empty one. Also collect the
    plans of the service's queries and the cost of admission."""
    full = FullContender(FULL, folder, usage=USAGE)
    contenders = [GatewayContender(EMPTY, folder), full, BareContender(BARE, folder, full)]
    async with _running(contenders, out):
        database = Database(full.database_url, pool_size=1)
        try:
            plans = await plans_of(database, full.database_url, full.shops[0])
        finally:
            await database.close()
        taken = await _take_turns(list(size_turns(effort.rounds, effort.seconds)), contenders, out)
        # Admission is measured last. This measurement stores runs, and the sweeper would process
        # them during the other measurements.
        admission = await admission_cost(full.database_url, full.shops)
        return Size(taken, plans, admission, full.filled_in_s)


async def parked(effort: Effort, folder: Path, out: Console, *, real: int) -> Parked:
    """Compare the service with 10,000 pending reviews and without any."""
    contenders = [
        GatewayContender(NONE_PARKED, folder),
        ParkedContender(PARKED, folder, real=real),
    ]
    async with _running(contenders, out):
        taken = await _take_turns(
            list(parked_turns(effort.rounds, effort.seconds)), contenders, out
        )
        return Parked(taken, real)


async def webhooks(effort: Effort, folder: Path, out: Console) -> list[TurnResult]:
    """Compare deliveries with bare child workflows and bare POSTs, with and without another
    tenant's hanging receivers. Raises RuntimeError if those did not hang."""
    ours = WebhookContender(DELIVERIES, folder, quiet=QUIET)
    hanging = HangingContender(HANGING, folder)
    contenders = [
        ours,
        ChildrenContender(CHILDREN, ours),
        PostsContender(POSTS, folder, ours),
        hanging,
    ]
    async with _running(contenders, out):
        taken = await _take_turns(
            list(webhook_turns(effort.rounds, effort.seconds)), contenders, out
        )
        await hanging.check()
        return taken


async def hostile(effort: Effort, folder: Path, out: Console) -> Hostile:
    """Measure a tenant's calls while another tenant sends hostile emails."""
    contender = HostileContender(PEACE, folder, beside=HOSTILE)
    async with _running([contender], out):
        taken = await _take_turns(
            list(hostile_turns(effort.rounds, effort.seconds)), [contender], out
        )
        return Hostile(taken, contender.answers)


async def floods(effort: Effort, folder: Path, out: Console) -> list[TurnResult]:
    """Measure other tenants' gateway calls with and without floods from one tenant."""
    contenders = [FloodContender(folder)]
    async with _running(contenders, out):
        return await _take_turns(list(flood_turns(effort.rounds, effort.seconds)), contenders, out)


async def inbound(effort: Effort, folder: Path, out: Console) -> list[TurnResult]:
    """Measure the gateway with and without 10,000 webhooks from another tenant's shop."""
    contenders = [InboundContender(folder)]
    async with _running(contenders, out):
        turns = list(inbound_turns(effort.rounds, effort.seconds))
        return await _take_turns(turns, contenders, out)


async def replays(effort: Effort, folder: Path, out: Console) -> Replays:
    """Measure the gateway with and without another tenant's replay of a month. Then measure a whole
    replay without other load."""
    contender = ReplayContender(folder)
    async with _running([contender], out):
        turns = list(replay_turns(effort.rounds, effort.seconds))
        taken = await _take_turns(turns, [contender], out)
        with out.status("a whole replay"):
            return Replays(taken, await contender.figures())


async def pages(folder: Path, out: Console) -> PageFigures:
    """Measure the dashboard's pages for a client with 1,000,000 runs."""
    contender = PagesContender(folder)
    async with _running([contender], out):
        with out.status("pages"):
            return await contender.figures()


async def exports(effort: Effort, folder: Path, out: Console) -> ExportMeasurements:
    """Compare exports with psql, measure the gateway during exports, and measure how the export
    time grows with the number of rows. Raises RuntimeError if the contenders wrote different
    numbers of records."""
    contender = ExportContender(UNDISTURBED, folder, beside=EXPORTING)
    async with _running([contender], out):
        copies = [turn async for turn in _copies(contender, effort.rounds, out)]
        with out.status("memory"):
            memory = await contender.memory()
        taken = await _take_turns(
            list(export_turns(effort.rounds, effort.seconds)), [contender], out
        )
        with out.status("growth"):
            grown = await growth(contender.database_url, contender.owner_url)
        figures = ExportFigures(
            turns=copies, memory=memory, growth=grown, filled_in_s=contender.filled_in_s
        )
        return ExportMeasurements(taken, figures)


async def _copies(
    contender: ExportContender, rounds: int, out: Console
) -> AsyncIterator[ExportTurn]:
    """Yield each contender's copies, for every size and round. A different contender starts each
    round."""
    names = [JSON, PSQL, CSV, PSQL_CSV]
    for name in names:
        await contender.copy(
            0, name, SIZES[0]
        )  # The first copy is discarded, because its caches are cold.
    for number in range(rounds):
        for size in SIZES:
            records = set()
            for name in names[number % 4 :] + names[: number % 4]:
                turn = await contender.copy(number, name, size)
                records.add(turn.records)
                out.print(
                    f"round {number + 1}: {name}, {size} conversations: {turn.seconds:.2f} s, "
                    f"{turn.bytes / 1e6:.1f} MB, processor s {turn.cpu_s}",
                    highlight=False,
                )
                yield turn
            if len(records) != 1:
                raise RuntimeError(f"not the same records: {sorted(records)}")


@asynccontextmanager
async def _running(contenders: Sequence[Contender], out: Console) -> AsyncIterator[None]:
    try:
        with out.status("starting") as status:
            for contender in contenders:
                status.update(f"starting {contender.name}")
                await contender.start()
        yield
    finally:
        with out.status("stopping"):
            for contender in reversed(contenders):
                await contender.stop()


async def _take_turns(
    planned: list[BenchTurn], contenders: Sequence[Contender], out: Console
) -> list[TurnResult]:
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
                f"{turn.title}: p50 {p50:.1f} ms, {result.per_second:.1f} per s", highlight=False
            )
            progress.advance(bar, turn.planned_s)
    return taken
