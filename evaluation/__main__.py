"""Score the brain configured in `BRAIN_MODEL`: `python -m evaluation [--misses]`.

The exit code is 1 if a target is missed. `--misses` lists the rows that count against it.
"""

import argparse
import asyncio
import sys
from collections.abc import Sequence
from typing import Final

from rich.console import Console

from domain.core.errors import InvalidInput
from evaluation.aims import aims
from evaluation.contestant import Contestant, configured
from evaluation.figure import HandFigure
from evaluation.hand_sets import figures_of, read_hand_sets
from evaluation.judgement import judge_all
from evaluation.message import LabelledMessage, read_messages
from evaluation.score import score
from evaluation.sealing import BrokenSet
from evaluation.show import show, show_aims, show_figures, show_misses

out: Final = Console()


async def evaluate(
    scored: Contestant,
    messages: Sequence[LabelledMessage],
    figures: Sequence[HandFigure],
    console: Console,
) -> bool:
    """Print all metrics. Return True if every target is met."""
    console.print(f"{scored.name}, {len(messages)} messages", highlight=False)
    # A provider's language model takes minutes to answer all messages.
    with console.status("asking"):
        judgements = await judge_all(scored, messages)
    reached = score(judgements)
    show(scored, reached, console)
    show_figures(figures, console)
    to_meet = aims(scored, reached, figures)
    show_aims(to_meet, console)
    return all(aim.met for aim in to_meet)


async def _all(scored: Contestant, *, misses: bool) -> bool:
    sets = read_hand_sets()
    with out.status("acting"):
        figures = await figures_of(scored, sets)
    if misses:
        show_misses(figures, out)
    met = await evaluate(scored, read_messages(), figures, out)
    if sets.unopened:
        out.print(f"sealed: not opened: {', '.join(sets.unopened)}", highlight=False)
    return met


def main() -> None:
    options = argparse.ArgumentParser(prog="python -m evaluation")
    options.add_argument(
        "--misses",
        action="store_true",
        help="For each metric, list the rows that count as errors.",
    )
    chosen = options.parse_args()
    try:
        met = asyncio.run(_all(configured(), misses=chosen.misses))
    except (InvalidInput, BrokenSet) as error:
        sys.exit(f"error: {error}")
    sys.exit(0 if met else 1)


if __name__ == "__main__":
    main()
