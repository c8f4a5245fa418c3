"""The figures of the export chapter, from measurements with a known result."""

import asyncio
from collections.abc import Callable
from pathlib import Path

import pytest

from bench.driver import run_phase
from bench.export_copies import records_in
from bench.export_figures import (
    CSV,
    JSON,
    LARGEST,
    PSQL,
    PSQL_CSV,
    ROWS,
    ExportFigures,
    ExportTurn,
    Growth,
    Memory,
    Reading,
)
from bench.load import Phase
from store.exports.sections import SOURCES


def _growth(seconds: Callable[[int], float]) -> Growth:
    readings = (Reading(rows=rows, seconds=0.05 + seconds(rows)) for rows in ROWS)
    return Growth(start_s=0.05, readings=tuple(readings))


def test_a_time_that_grows_with_the_rows_has_exponent_1() -> None:
    growth = _growth(lambda rows: rows * 20e-6)
    assert growth.exponent == pytest.approx(1)
    assert growth.spread == pytest.approx(1)
    assert growth.row_us(growth.readings[0]) == pytest.approx(20)


def test_a_time_that_grows_faster_is_seen() -> None:
    growth = _growth(lambda rows: rows**1.5 * 1e-9)
    assert growth.exponent == pytest.approx(1.5)
    assert growth.spread == pytest.approx(1_000**0.5)


def test_one_slow_round_does_not_count() -> None:
    turns = [
        ExportTurn(
            round=number, contender=JSON, conversations=size, seconds=seconds, bytes=1, records=1,
            first_byte_ms=seconds * 10, cpu_s={"api": 1, "postgres": 2},
        )
        for size in (10, LARGEST)
        for number, seconds in enumerate((2.0, 1.0, 9.0))
    ]  # fmt: skip
    memory = Memory(before_mb=100, peak_mb=107.5)
    figures = ExportFigures(
        turns=turns, memory=memory, growth=_growth(lambda rows: rows), filled_in_s=1
    )
    assert (figures.seconds(JSON), figures.first_byte_ms(JSON)) == (2.0, 20.0)
    assert figures.cpu_s(JSON) == 3
    assert memory.growth_mb == 7.5


def test_the_records_of_a_file_are_counted(tmp_path: Path) -> None:
    sections = list(SOURCES)
    texts = {
        JSON: '{"exported_at": "x", "client_id": "y",\n"client": [\n{"a": 1},\n{"a": 2}]}\n',
        PSQL: '{"a": 1}\n{"a": 2}\n',
        PSQL_CSV: '1,"two\nlines"\n2,\n',
        CSV: "\ufeff" + f'## {sections[0]} (2)\r\na,b\r\n"1","two\nlines"\r\n2,\r\n'
        + "".join(f"## {section} (0)\r\na,b\r\n" for section in sections[1:]),
    }  # fmt: skip
    file = tmp_path / "copy"
    for contender, text in texts.items():
        file.write_bytes(text.encode())
        assert records_in(contender, file) == 2, contender
    file.write_bytes(texts[CSV].replace("2,\r\n", "").encode())
    with pytest.raises(RuntimeError):
        records_in(CSV, file)


async def test_calls_at_a_rate_count_from_when_they_were_due() -> None:
    """One of two callers waits so long for its first answer that its next requests are late."""
    answers = 0

    async def call() -> str:
        nonlocal answers
        answers += 1
        if answers == 1:
            await asyncio.sleep(0.4)
        return "completed"

    sample = await run_phase(call, Phase(concurrency=2, seconds=1, rate=50))
    assert len(sample.latencies_ms) == 50
    late = [latency for latency in sample.latencies_ms if latency > 100]
    # Due every 40 ms from 0 to at least 0.28 s, and answered from 0.4 s on.
    assert len(late) >= 8


async def test_a_phase_ends_in_time_when_calls_are_slower_than_due() -> None:
    async def call() -> str:
        await asyncio.sleep(0.1)
        return "completed"

    sample = await run_phase(call, Phase(concurrency=1, seconds=0.5, rate=100))
    assert sample.elapsed_s < 0.9
    assert len(sample.latencies_ms) <= 6
