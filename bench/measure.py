"""The benchmark's turns. A turn measures one contender, with a given number of callers and a given
duration."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from pydantic import BaseModel

from bench.contenders import Contender
from bench.cpu import cpu_seconds
from bench.holds import Holds, holds_between, read_holds
from bench.load import Phase, Sample

NAIVE: Final = "naive"
FLOOR: Final = "floor"
SKELETON: Final = "skeleton"
GATEWAY: Final = "gateway"
MAIL: Final = "gateway, mail"
EMPTY: Final = "empty"
FULL: Final = "full"
USAGE: Final = "usage"
BARE: Final = "bare"
NONE_PARKED: Final = "unparked"
PARKED: Final = "parked"
CHILDREN: Final = "children"
DELIVERIES: Final = "deliveries"
POSTS: Final = "posts"
QUIET: Final = "quiet"
HANGING: Final = "hanging"
UNDISTURBED: Final = "undisturbed"
EXPORTING: Final = "exporting"
PEACE: Final = "peace"
HOSTILE: Final = "hostile"

ALONE: Final = 1
CONCURRENT: Final = 16
BATCHES: Final = 4
CALLERS: Final = 4
EACH: Final = 10
"""Deliveries per batch. A batch is small enough that none of its deliveries is deferred: each gets
a permit, or a place in its endpoint's queue."""


_STEADY: Final = 8.0
"""Calls per second, with and without exports."""
_PEACEFUL: Final = 4.0
"""Calls per second, with and without hostile emails."""


@dataclass(frozen=True, slots=True)
class BenchTurn:
    """One planned turn. `each` is the number of items per call, for a batch. `rate` is calls per
    second, or None for the maximum."""

    round: int
    contender: str
    concurrency: int
    warm_up_s: float
    seconds: float
    each: int = 1
    rate: float | None = None

    @property
    def title(self) -> str:
        return f"round {self.round + 1}: {self.contender}, {self.concurrency} at a time"

    @property
    def planned_s(self) -> float:
        return self.warm_up_s + self.seconds


class TurnResult(BaseModel):
    """The results of one turn. `per_second` and `cpu_ms` are per call, or per item of a batch.
    `idle_cpu_percent` is the idle contenders' load, in percent of a core."""

    round: int
    contender: str
    concurrency: int
    per_second: float
    latencies_ms: tuple[float, ...]
    cpu_ms: dict[str, float]
    idle_cpu_percent: float
    failed: int
    failures: tuple[str, ...]
    holds: dict[str, Holds] = {}

    @property
    def calls(self) -> int:
        return len(self.latencies_ms)


def design_turns(rounds: int, seconds: float) -> Iterator[BenchTurn]:
    """Yield a turn for every contender in every round, so that noise affects all equally, in
    changing order. Email turns make one call at a time, without a target."""
    order = [NAIVE, FLOOR, SKELETON, GATEWAY]
    for number in range(rounds):
        for name in order[number % 4 :] + order[: number % 4]:
            yield BenchTurn(number, name, ALONE, 1, seconds)
            yield BenchTurn(number, name, CONCURRENT, 2, seconds)
        yield BenchTurn(number, MAIL, ALONE, 0.5, seconds / 2)


def size_turns(rounds: int, seconds: float) -> Iterator[BenchTurn]:
    """Yield many short turns because the expected differences are only a few percent. The usage
    turns follow the gateway's turns."""
    for number in range(3 * rounds):
        for name in _alternating(number, EMPTY, FULL):
            yield BenchTurn(number, name, ALONE, 0.5, seconds / 2)
    for number in range(rounds):
        for concurrency in (ALONE, CONCURRENT):
            for name in _alternating(number, USAGE, BARE):
                yield BenchTurn(number, name, concurrency, 0.5, seconds / 2)


def parked_turns(rounds: int, seconds: float) -> Iterator[BenchTurn]:
    """Yield many short turns, like `size_turns`, because the expected differences are only a few
    percent."""
    for number in range(3 * rounds):
        for name in _alternating(number, NONE_PARKED, PARKED):
            yield BenchTurn(number, name, ALONE, 0.5, seconds / 2)


def webhook_turns(rounds: int, seconds: float) -> Iterator[BenchTurn]:
    """Yield first the turns with batches, then the neighbour tenant's turns. The neighbour has more
    turns because its slowest calls are compared."""
    order = [CHILDREN, DELIVERIES, POSTS]
    for number in range(rounds):
        for name in order[number % 3 :] + order[: number % 3]:
            yield BenchTurn(number, name, BATCHES, 2, 2 * seconds, each=EACH)
    for number in range(3 * rounds):
        for name in _alternating(number, QUIET, HANGING):
            yield BenchTurn(number, name, ALONE, 0.5, seconds)


def export_turns(rounds: int, seconds: float) -> Iterator[BenchTurn]:
    """Yield long turns because the slowest calls are compared. The steady rate is a third of the
    gateway's maximum rate."""
    for number in range(rounds):
        for name in _alternating(number, UNDISTURBED, EXPORTING):
            yield BenchTurn(number, name, CALLERS, 2, 6 * seconds, rate=_STEADY)


def hostile_turns(rounds: int, seconds: float) -> Iterator[BenchTurn]:
    """Yield turns with a tenant's calls at a steady rate, with and without another tenant's hostile
    emails."""
    for number in range(rounds):
        for name in _alternating(number, PEACE, HOSTILE):
            yield BenchTurn(number, name, CALLERS, 1, 2 * seconds, rate=_PEACEFUL)


def _alternating(number: int, first: str, second: str) -> tuple[str, str]:
    return (first, second) if number % 2 == 0 else (second, first)


async def take(turn: BenchTurn, contenders: Sequence[Contender]) -> TurnResult:
    """Run one turn, warm-up first, and return its results."""
    owner = next(one for one in contenders if turn.contender in one.drivers)
    driver = owner.drivers[turn.contender]
    phase = Phase(concurrency=turn.concurrency, seconds=turn.seconds, rate=turn.rate)
    others = _others(owner, contenders)
    async with owner.during(turn.contender):
        warmed = await driver.run(phase.model_copy(update={"seconds": turn.warm_up_s}))
        held = await _holds(owner)
        before, before_others = cpu_seconds(owner.pids), sum(cpu_seconds(others).values())
        sample = await driver.run(phase)
        after, after_others = cpu_seconds(owner.pids), sum(cpu_seconds(others).values())
        holds = holds_between(held, await _holds(owner))
    return TurnResult(
        round=turn.round,
        contender=turn.contender,
        concurrency=turn.concurrency,
        per_second=round(sample.per_second * turn.each, 2),
        latencies_ms=sample.latencies_ms,
        cpu_ms=_per_call(before, after, sample, turn.each),
        idle_cpu_percent=round((after_others - before_others) / sample.elapsed_s * 100, 2),
        failed=warmed.failed + sample.failed,
        failures=warmed.failures + sample.failures,
        holds=holds,
    )


async def _holds(owner: Contender) -> dict[str, Holds]:
    """Return the numbers of event loop blocks up to now, or an empty mapping for a contender
    without metrics."""
    return {} if owner.metrics_port is None else await read_holds(owner.metrics_port)


def _others(owner: Contender, contenders: Sequence[Contender]) -> dict[str, int]:
    """Return the processes that are idle during this contender's turn."""
    return {
        f"{one.name} {name}": pid
        for one in contenders
        for name, pid in one.pids.items()
        if pid not in owner.pids.values()
    }


def _per_call(
    before: Mapping[str, float], after: Mapping[str, float], sample: Sample, each: int
) -> dict[str, float]:
    """Return the CPU time per call in ms, by process. The driver is included because for the no-op
    contenders it does the API's work."""
    calls = max(1, len(sample.latencies_ms) * each)
    used = {name: after[name] - before[name] for name in after}
    used["driver"] = sample.driver_cpu_s
    return {name: round(seconds * 1000 / calls, 2) for name, seconds in used.items()}
