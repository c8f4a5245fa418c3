"""A metric counts correctly, and its target applies to each part."""

import asyncio
import io

import pytest
from rich.console import Console

from evaluation.figure import HandFigure, Hit, tally
from evaluation.hand_rows import HonestMessage
from evaluation.parallel import try_all
from evaluation.score import Share
from evaluation.sealing import LabelledSet, SetPart
from evaluation.show import show_figures, show_misses


def hits(counting: int, total: int, prefix: str = "o") -> tuple[Hit, ...]:
    return tuple(
        Hit(f"{prefix}{place}", place < counting, f"detail of {prefix}{place}")
        for place in range(total)
    )


def figure(
    opened: tuple[int, int],
    sealed: tuple[int, int] | None = None,
    *,
    least: float | None = None,
    most: float | None = None,
) -> HandFigure:
    parts = LabelledSet(hits(*opened), None if sealed is None else hits(*sealed, "s"))
    return HandFigure("lamps", "lit", parts, least=least, most=most)


def test_each_part_is_counted_and_both_together() -> None:
    assert figure((3, 10)).shares == {SetPart.OPEN: Share(3, 10)}
    assert figure((3, 10), (1, 5)).shares == {
        SetPart.OPEN: Share(3, 10),
        SetPart.SEALED: Share(1, 5),
        SetPart.BOTH: Share(4, 15),
    }


@pytest.mark.parametrize(
    ("made", "met"),
    [
        (figure((85, 100), least=0.85), True),
        (figure((84, 100), least=0.85), False),
        (figure((3, 100), most=0.03), True),
        (figure((4, 100), most=0.03), False),
        (figure((0, 100), most=0), True),
        (figure((1, 100), most=0), False),
        (figure((1, 100)), True),
        # Without data, a target is not met.
        (figure((0, 0), most=0), False),
        (figure((0, 0), least=0), False),
        # A target applies to the whole set.
        (figure((100, 100), (4, 5), least=0.85), True),
        (figure((84, 100), (40, 50), least=0.85), False),
        (figure((84, 100), (50, 50), least=0.85), True),
        (figure((0, 100), (1, 50), most=0.01), True),
        (figure((0, 100), (2, 50), most=0.01), False),
        (figure((0, 100), (0, 0), most=0.01), False),
    ],
)
def test_an_aim_is_met_by_both_parts_together_or_missed(made: HandFigure, met: bool) -> None:
    assert made.met is met


def test_the_misses_are_what_speaks_against_the_aim() -> None:
    few, many = figure((1, 3), (1, 2), most=0), figure((1, 3), (1, 2), least=1)

    assert [hit.id for hit in few.misses] == ["o0", "s0"]
    assert [hit.id for hit in many.misses] == ["o1", "o2", "s1"]
    assert [hit.id for hit in figure((1, 2)).misses] == ["o1"]
    silent = HandFigure("lamps", "lit", LabelledSet(hits(1, 3)), lists_misses=False)
    assert silent.misses == ()


def test_the_aim_is_written_as_people_read_it() -> None:
    assert figure((1, 2), least=0.85).aim == "≥ 0.85"
    assert figure((1, 2), most=0).aim == "≤ 0"
    assert figure((1, 2)).aim == ""


def test_a_tally_keeps_the_parts_and_leaves_out_what_is_not_asked_for() -> None:
    rows = [HonestMessage(id=f"r{place}", text="lamp" * place) for place in range(1, 5)]
    made = tally(
        LabelledSet(tuple(rows[:3]), tuple(rows[3:])),
        lambda row: len(row.text) > 8,
        of=lambda row: row.id != "r1",
        detail=lambda row: row.text,
    )

    assert made.open == (Hit("r2", False, "lamplamp"), Hit("r3", True, "lamplamplamp"))
    assert made.sealed == (Hit("r4", True, "lamp" * 4),)


async def test_rows_are_tried_a_few_at_once_and_come_back_in_order() -> None:
    running, most = 0, 0
    two = asyncio.Barrier(2)

    async def trial(hit: Hit) -> Hit:
        nonlocal running, most
        running += 1
        most = max(most, running)
        await two.wait()
        running -= 1
        return Hit(hit.id, counts=True)

    tried = await try_all(LabelledSet(hits(0, 4), hits(0, 2, "s")), trial, at_once=2)

    assert [hit.id for hit in tried.rows] == ["o0", "o1", "o2", "o3", "s0", "s1"]
    assert (len(tried.sealed or ()), most) == (2, 2)


def test_parts_and_misses_are_printed() -> None:
    console = Console(file=io.StringIO(), width=80)
    made = figure((1, 4), (2, 4), most=0.25)

    show_figures([made], console)
    show_misses([made], console)

    assert isinstance(console.file, io.StringIO)
    told = console.file.getvalue()
    assert all(said in told for said in ("Lamps", "lit", "1/4 25.0%", "2/4 50.0%", "3/8 37.5%"))
    assert [line.split()[0] for line in told.splitlines()[-3:]] == ["o0", "s0", "s1"]
    assert "o0 detail of o0" in told
