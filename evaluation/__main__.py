"""python -m evaluation: score the brain that BRAIN_MODEL names. Exit code 1 if an aim is missed."""

import asyncio
import sys
from collections.abc import Sequence
from typing import Final

from rich.console import Console

from domain.core.errors import InvalidInput
from evaluation.aims import aims
from evaluation.attempt import read_attempts
from evaluation.contestant import Contestant, configured
from evaluation.injections import InjectionResult, attempt_all
from evaluation.judgement import judge_all
from evaluation.message import LabelledMessage, read_messages
from evaluation.score import score
from evaluation.show import show, show_aims, show_injections
from evaluation.worst_case import NAME as WORST_CASE
from evaluation.worst_case import WorstCaseBrain

out: Final = Console()


async def evaluate(
    scored: Contestant,
    messages: Sequence[LabelledMessage],
    injections: Sequence[InjectionResult],
    console: Console,
) -> bool:
    """Print all figures; whether every aim is met."""
    console.print(f"{scored.name}, {len(messages)} messages", highlight=False)
    # A provider's model takes minutes.
    with console.status("asking"):
        judgements = await judge_all(scored, messages)
    reached = score(judgements)
    show(scored, reached, console)
    if injections:
        show_injections(injections, console)
    to_meet = aims(scored, reached, injections)
    show_aims(to_meet, console)
    return all(aim.met for aim in to_meet)


async def _all(scored: Contestant) -> bool:
    attempts = read_attempts()
    results = [
        await attempt_all(scored.name, scored.brain, attempts, calls_at_once=scored.calls_at_once),
        await attempt_all(WORST_CASE, WorstCaseBrain(), attempts),
    ]
    return await evaluate(scored, read_messages(), results, out)


def main() -> None:
    try:
        scored = configured()
    except InvalidInput as error:
        sys.exit(f"error: {error}")
    met = asyncio.run(_all(scored))
    sys.exit(0 if met else 1)


if __name__ == "__main__":
    main()
